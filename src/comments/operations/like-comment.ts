import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { COMMON, DELETED, exampleOf, requestOnce } from "./act-common.ts";

export const LikeComment = operation({
  ...COMMON,
  id: "likeComment",
  method: "post",
  path: "/social/like-comment/{comment_id}",
  summary: "Like a comment",
  description: "Likes it as the channel. A 422 says why where the platform has no such act.",
  idempotent: true,
  refusedByState: DELETED,
  example: exampleOf("like"),
  run: (as, { params }) => requestOnce(as, { id: readPathId("comment", params.comment_id), kind: "like", text: null }),
});
