import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { COMMON, DELETED, exampleOf, requestOnce } from "./act-common.ts";

export const HideComment = operation({
  ...COMMON,
  id: "hideComment",
  method: "post",
  path: "/social/hide-comment/{comment_id}",
  summary: "Hide a comment",
  description:
    "Hides it from others at the platform. An answer of a bot that was not begun is cancelled. A 422 says why where the platform has no such act.",
  idempotent: true,
  refusedByState: DELETED,
  example: exampleOf("hide"),
  run: (as, { params }) => requestOnce(as, { id: readPathId("comment", params.comment_id), kind: "hide", text: null }),
});
