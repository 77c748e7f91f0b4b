import { parts } from "./support/parts.ts";

parts({
  operator: () => import("./access/operator.ts"),
  revocation: () => import("./access/revocation.ts"),
  "invented-tokens": () => import("./access/invented-tokens.ts"),
  unconfigured: () => import("./access/unconfigured.ts"),
  "foreign-channels": () => import("./access/foreign-channels.ts"),
  "error-codes": () => import("./access/error-codes.ts"),
  refusals: () => import("./access/refusals.ts"),
  log: () => import("./access/log.ts"),
  "webhook-endpoints": () => import("./access/webhook-endpoints.ts"),
  document: () => import("./access/document.ts"),
  "request-examples": () => import("./access/request-examples.ts"),
  "unknown-fields": () => import("./access/unknown-fields.ts"),
  "input-limits": () => import("./access/input-limits.ts"),
  nulls: () => import("./access/nulls.ts"),
});
