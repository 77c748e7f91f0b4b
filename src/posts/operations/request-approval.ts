import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { RequestApprovalBody } from "../approval/approval-schema.ts";
import { requestApproval, tokenName, withTimes } from "../approval/request-approval.ts";
import { PostIdParam } from "../schema.ts";
import { toPostView } from "../view-schema.ts";
import { Decided, WAITING } from "./approval-common.ts";

export const RequestApproval = operation({
  id: "requestApproval",
  method: "post",
  path: "/social/request-approval/{post_id}",
  tag: "Approval",
  permission: ["social-propose-post", "social-create-post"],
  extension: true,
  summary: "Request approval of a draft",
  description: "Requests approval of a draft as it is now, for the first time, or again after it was sent back.",
  params: PostIdParam,
  body: RequestApprovalBody,
  answer: Decided,
  answerDescription: "The draft waits.",
  example: { message: "Post 42 waits for approval.", post: WAITING, status: true },
  run: async ({ deps, caller, origin }, { body, params }) => {
    const id = readPathId("post", params.post_id);
    const { note = null, ...schedule } = body;
    const request = { wanted: withTimes(schedule), note, by: tokenName(caller) };
    const post = toPostView(await requestApproval(deps, caller, id, request), origin);
    return { message: `Post ${id} waits for approval.`, post, status: true } as const;
  },
});
