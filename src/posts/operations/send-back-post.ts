import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { SendBackBody } from "../approval/approval-schema.ts";
import { sendBack } from "../approval/decide.ts";
import { tokenName } from "../approval/request-approval.ts";
import { PostIdParam } from "../schema.ts";
import { toPostView } from "../view-schema.ts";
import { Decided, WAITING } from "./approval-common.ts";

export const SendBackPost = operation({
  id: "sendBackPost",
  audited: true,
  method: "post",
  path: "/social/send-back-post/{post_id}",
  tag: "Approval",
  permission: "social-create-post",
  extension: true,
  summary: "Send a post back",
  description: "Refuses approval with a note. The draft can be changed, and approval requested again.",
  params: PostIdParam,
  body: SendBackBody,
  answer: Decided,
  answerDescription: "The draft was sent back.",
  example: { message: "Post 42 was sent back.", post: WAITING, status: true },
  run: async ({ deps, caller, origin }, { body, params }) => {
    const id = readPathId("post", params.post_id);
    const decision = { ...body, by: tokenName(caller) };
    const post = toPostView(await sendBack(deps, caller, id, decision), origin);
    return { message: `Post ${id} was sent back.`, post, status: true } as const;
  },
});
