import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { COMMON, DELETED, exampleOf, requestOnce } from "./act-common.ts";

export const UnhideComment = operation({
  ...COMMON,
  id: "unhideComment",
  method: "post",
  path: "/social/unhide-comment/{comment_id}",
  summary: "Show a comment again",
  description: "Takes hiding back.",
  idempotent: true,
  refusedByState: DELETED,
  example: exampleOf("unhide"),
  run: (as, { params }) =>
    requestOnce(as, { id: readPathId("comment", params.comment_id), kind: "unhide", text: null }),
});
