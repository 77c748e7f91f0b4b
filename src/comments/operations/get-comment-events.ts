import { z } from "@hono/zod-openapi";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { CommentEventView } from "../act-schema.ts";
import { readCommentTimeline } from "../read.ts";
import { CommentIdParam } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetCommentEvents = operation({
  ...COMMON,
  id: "getCommentEvents",
  method: "get",
  path: "/social/get-comment-events/{comment_id}",
  summary: "Timeline of a comment",
  description:
    "When the comment was received, what was to be done with it and what came of it, oldest first, with the reason and the `error_code` of each wait and failure.",
  params: CommentIdParam,
  answer: z.object({ events: z.array(CommentEventView), status: Done }),
  answerDescription: "The timeline.",
  example: {
    events: [
      {
        id: 7,
        type: "comment.replied",
        message: "The comment was answered.",
        detail: { act_id: 77, act: "reply", text: "Five euros.", platform_id: "122000000000011_990000002" },
        created_at: "2030-03-05T10:05:02.000+00:00",
      },
    ],
    status: true,
  },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("comment", params.comment_id);
    const found = await readCommentTimeline(deps, caller.projectId, id);
    const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    return { events, status: true } as const;
  },
});
