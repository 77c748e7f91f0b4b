import { operation } from "../../http/operation.ts";
import { COMMON, textlessAct } from "./act-common.ts";

export const HideComment = operation({
  ...COMMON,
  id: "hideComment",
  method: "post",
  path: "/social/hide-comment/{comment_id}",
  summary: "Hide a comment",
  description:
    "Hides it from others at the platform. An answer of a bot that was not begun is cancelled. A 422 says why where the platform has no such act.",
  ...textlessAct("hide"),
});
