import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { EXAMPLE_ACT, ReplyBody } from "../act-schema.ts";
import { COMMON, requestOnce } from "./act-common.ts";

export const ReplyToComment = operation({
  ...COMMON,
  id: "replyToComment",
  method: "post",
  path: "/social/reply-to-comment/{comment_id}",
  summary: "Answer a comment",
  description:
    "Answers in public, as the channel, exactly once. Answers keep the pace that bots keep, and share it with them; the price of the platform and the project's ceiling apply.",
  idempotent: true,
  body: ReplyBody,
  example: { act: EXAMPLE_ACT, status: true },
  run: async (as, { body, params }) => {
    const id = readPathId("comment", params.comment_id);
    return requestOnce(as, { id, kind: "reply", ...body });
  },
});
