import { parts } from "./support/parts.ts";

parts({
  list: () => import("./channels/list.ts"),
  "health-marks": () => import("./channels/health-marks.ts"),
  "long-list": () => import("./channels/long-list.ts"),
  credentials: () => import("./channels/credentials.ts"),
  "renewed-once": () => import("./channels/renewed-once.ts"),
  disconnection: () => import("./channels/disconnection.ts"),
  grants: () => import("./channels/grants.ts"),
  lasting: () => import("./channels/lasting.ts"),
});
