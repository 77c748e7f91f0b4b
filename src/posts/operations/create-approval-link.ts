import { z } from "@hono/zod-openapi";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { approvalUrl, makeApprovalLink } from "../approval/approval-link.ts";
import { tokenName } from "../approval/request-approval.ts";
import { PostIdParam } from "../schema.ts";

export const CreateApprovalLink = operation({
  id: "createApprovalLink",
  audited: true,
  method: "post",
  path: "/social/create-approval-link/{post_id}",
  tag: "Approval",
  permission: "social-create-post",
  extension: true,
  summary: "Create an approval link",
  description:
    "A link with which a client without an account approves the post, sends it back or comments on it, for 14 days. A new link replaces the earlier one.",
  refusedByState: "Post 42 does not wait for approval.",
  params: PostIdParam,
  answer: z.object({ url: z.string(), expires_at: z.string(), status: Done }),
  answerDescription: "The link.",
  example: {
    url: "https://belfry.example/console/approve/eyJhbGciOiJIUzI1NiJ9",
    expires_at: "2030-03-19T09:00:00.000+00:00",
    status: true,
  },
  run: async ({ deps, caller, origin }, { params }) => {
    const id = readPathId("post", params.post_id);
    const { secret, expiresAt } = await makeApprovalLink(deps, caller, id, tokenName(caller));
    const url = approvalUrl(origin, secret);
    return { url, expires_at: isoUtc(expiresAt), status: true } as const;
  },
});
