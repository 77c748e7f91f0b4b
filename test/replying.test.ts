import { parts } from "./support/parts.ts";

parts({
  replies: () => import("./replying/replies.ts"),
  meta: () => import("./replying/meta.ts"),
});
