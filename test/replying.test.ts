import { parts } from "./support/parts.ts";

parts({
  replies: () => import("./replying/replies.ts"),
});
