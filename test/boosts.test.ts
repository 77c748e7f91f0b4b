import { parts } from "./support/parts.ts";

parts({
  campaigns: () => import("./boosting/campaigns.ts"),
  ends: () => import("./boosting/ends.ts"),
});
