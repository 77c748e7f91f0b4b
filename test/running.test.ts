import { parts } from "./support/parts.ts";

parts({
  journal: () => import("./running/journal.ts"),
  waits: () => import("./running/waits.ts"),
  recurring: () => import("./running/recurring.ts"),
  "live-projects": () => import("./running/live-projects.ts"),
  health: () => import("./running/health.ts"),
  doctor: () => import("./running/doctor.ts"),
  limiter: () => import("./running/limiter.ts"),
  quotas: () => import("./running/quotas.ts"),
  retention: () => import("./running/retention.ts"),
  fairness: () => import("./running/fairness.ts"),
  deadlines: () => import("./running/deadlines.ts"),
});
