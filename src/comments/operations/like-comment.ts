import { operation } from "../../http/operation.ts";
import { COMMON, textlessAct } from "./act-common.ts";

export const LikeComment = operation({
  ...COMMON,
  id: "likeComment",
  method: "post",
  path: "/social/like-comment/{comment_id}",
  summary: "Like a comment",
  description: "Likes it as the channel. A 422 says why where the platform has no such act.",
  ...textlessAct("like"),
});
