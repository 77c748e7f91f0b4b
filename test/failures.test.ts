import { parts } from "./support/parts.ts";

parts({
  sentences: () => import("./failures/sentences.ts"),
  codes: () => import("./failures/codes.ts"),
});
