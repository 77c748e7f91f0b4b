import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { ActView, EXAMPLE_ACT, toActView } from "../act-schema.ts";
import { getComment } from "../read.ts";
import { CommentIdParam, CommentView, EXAMPLE_COMMENT, toCommentView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetComment = operation({
  ...COMMON,
  id: "getComment",
  method: "get",
  path: "/social/get-comment/{comment_id}",
  summary: "Get a comment",
  description: "A comment, with its state and the last 50 things that were to be done with it, the newest first.",
  params: CommentIdParam,
  answer: z.object({ comment: CommentView, acts: z.array(ActView), status: Done }),
  answerDescription: "The comment.",
  example: { comment: EXAMPLE_COMMENT, acts: [EXAMPLE_ACT], status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("comment", params.comment_id);
    const { comment, acts } = await getComment(deps, caller.projectId, id);
    const answer = { comment: toCommentView(comment), acts: acts.map(toActView), status: true } as const;
    return answer;
  },
});
