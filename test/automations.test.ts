import { parts } from "./support/parts.ts";

parts({
  operations: () => import("./automations/operations.ts"),
  speed: () => import("./automations/speed.ts"),
  doubt: () => import("./automations/doubt.ts"),
  models: () => import("./automations/models.ts"),
  platforms: () => import("./automations/platforms.ts"),
  costs: () => import("./automations/costs.ts"),
});
