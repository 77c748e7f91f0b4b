import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { ApproveBody } from "../approval/approval-schema.ts";
import { approvePost, insteadOf } from "../approval/decide.ts";
import { tokenName } from "../approval/request-approval.ts";
import { PostIdParam } from "../schema.ts";
import { toPostView } from "../view-schema.ts";
import { Decided, WAITING } from "./approval-common.ts";

export const ApprovePost = operation({
  id: "approvePost",
  audited: true,
  method: "post",
  path: "/social/approve-post/{post_id}",
  tag: "Approval",
  permission: "social-create-post",
  extension: true,
  summary: "Approve a post",
  description:
    "Publishes a draft that waits for approval as requested, or as this body says. A post that changed after `revision` is refused, so that nothing is approved unseen. A second approval publishes nothing more.",
  params: PostIdParam,
  body: ApproveBody,
  answer: Decided,
  answerDescription: "The post is published as requested.",
  example: {
    message: "Post 42 is approved: it is scheduled.",
    post: { ...WAITING, STATUS: "scheduled" },
    status: true,
  },
  run: async ({ deps, caller, origin, warn }, { body, params }) => {
    const id = readPathId("post", params.post_id);
    const { revision, note = null, ...schedule } = body;
    const approval = { by: tokenName(caller), revision, note, instead: insteadOf(schedule) };
    const { post: approved, warnings, isNew } = await approvePost(deps, caller, id, approval);
    warn(...warnings.map(({ message }) => message));
    const post = toPostView(approved, origin);
    const message = isNew ? `Post ${id} is approved: it is ${post.STATUS}.` : `Post ${id} was approved before.`;
    return { message, post, status: true } as const;
  },
});
