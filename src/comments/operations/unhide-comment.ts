import { operation } from "../../http/operation.ts";
import { COMMON, textlessAct } from "./act-common.ts";

export const UnhideComment = operation({
  ...COMMON,
  id: "unhideComment",
  method: "post",
  path: "/social/unhide-comment/{comment_id}",
  summary: "Show a comment again",
  description: "Takes hiding back.",
  ...textlessAct("unhide"),
});
