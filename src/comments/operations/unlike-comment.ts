import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { COMMON, DELETED, exampleOf, requestOnce } from "./act-common.ts";

export const UnlikeComment = operation({
  ...COMMON,
  id: "unlikeComment",
  method: "post",
  path: "/social/unlike-comment/{comment_id}",
  summary: "Take back a like",
  description: "Takes the like of the channel back.",
  idempotent: true,
  refusedByState: DELETED,
  example: exampleOf("unlike"),
  run: (as, { params }) =>
    requestOnce(as, { id: readPathId("comment", params.comment_id), kind: "unlike", text: null }),
});
