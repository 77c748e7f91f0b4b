import { parts } from "./support/parts.ts";

parts({
  flow: () => import("./connecting/flow.ts"),
  attacks: () => import("./connecting/attacks.ts"),
  pages: () => import("./connecting/pages.ts"),
  trouble: () => import("./connecting/trouble.ts"),
  "next-steps": () => import("./connecting/next-steps.ts"),
  linkedin: () => import("./connecting/linkedin.ts"),
});
