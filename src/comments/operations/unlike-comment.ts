import { operation } from "../../http/operation.ts";
import { COMMON, textlessAct } from "./act-common.ts";

export const UnlikeComment = operation({
  ...COMMON,
  id: "unlikeComment",
  method: "post",
  path: "/social/unlike-comment/{comment_id}",
  summary: "Take back a like",
  description: "Takes the like of the channel back.",
  ...textlessAct("unlike"),
});
