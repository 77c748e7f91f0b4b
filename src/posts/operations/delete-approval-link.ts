import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { revokeApprovalLink } from "../approval/approval-link.ts";
import { PostIdParam } from "../schema.ts";

export const DeleteApprovalLink = operation({
  id: "deleteApprovalLink",
  audited: true,
  method: "delete",
  path: "/social/delete-approval-link/{post_id}",
  tag: "Approval",
  permission: "social-create-post",
  extension: true,
  summary: "Revoke an approval link",
  description: "The link of the post stops working at once.",
  refusedByState: "Post 42 does not wait for approval.",
  params: PostIdParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "The link is revoked.",
  example: { message: "The link of post 42 is revoked.", status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("post", params.post_id);
    await revokeApprovalLink(deps, caller, id);
    return { message: `The link of post ${id} is revoked.`, status: true } as const;
  },
});
