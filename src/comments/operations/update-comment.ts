import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { CommentIdParam, CommentView, EXAMPLE_COMMENT, toCommentView, UpdateCommentBody } from "../schema.ts";
import { updateComment } from "../update.ts";

export const UpdateComment = operation({
  tag: "Comments",
  permission: "social-manage-comments",
  extension: true,
  id: "updateComment",
  method: "put",
  path: "/social/update-comment/{comment_id}",
  summary: "Assign a comment, mark it as done, or note on it",
  description:
    "What the members of the project keep about a comment. Absent fields stay. Nothing changes at the platform.",
  params: CommentIdParam,
  body: UpdateCommentBody,
  answer: z.object({ comment: CommentView, status: z.literal(true) }),
  answerDescription: "The comment.",
  example: { comment: { ...EXAMPLE_COMMENT, state: "done", note: "Sent the price list." }, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("comment", params.comment_id);
    const comment = await updateComment(deps, caller.projectId, id, body);
    return { comment: toCommentView(comment), status: true } as const;
  },
});
