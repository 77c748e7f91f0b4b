import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../channels/schema.ts";
import { isoUtc } from "../core/time.ts";
import type { Api } from "../http/api.ts";
import { cursorPage, exampleCursorPage } from "../http/cursor-page.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { readPathId } from "../http/page.ts";
import { ActView, CommentEventView, EXAMPLE_ACT, toActView } from "./act-schema.ts";
import { collectComments } from "./collect.ts";
import { listComments } from "./list.ts";
import { getComment, readCommentTimeline } from "./read.ts";
import {
  CollectCommentsBody,
  CollectingView,
  CommentIdParam,
  CommentPage,
  CommentView,
  cursorOfPlace,
  EXAMPLE_COLLECTING,
  EXAMPLE_COMMENT,
  ListCommentsQuery,
  placeOfCursor,
  scopeOf,
  toCollectingView,
  toCommentView,
} from "./schema.ts";

const Done = z.literal(true);
const COMMON = { tag: "Comments", permission: "social-read-comments", extension: true } as const;

/** Comments of other people under the project's posts. */
export function commentRoutes(app: Api): void {
  listRoute(app);
  commentRoute(app);
  timelineRoute(app);
  collectRoute(app);
}

function listRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getComments",
    method: "get",
    path: "/social/comments",
    summary: "List comments",
    description:
      "Comments under posts that a bot watches, and under posts of channels whose comments are collected: unanswered ones first, then answered and done ones, the newest first within each. Kept for 60 days.",
    query: ListCommentsQuery,
    answer: z.object({ comments: CommentPage, status: Done }),
    answerDescription: "A page of comments.",
    example: {
      comments: exampleCursorPage("comments", EXAMPLE_COMMENT),
      status: true,
    },
  });
  app.openapi(contract, async (c) => {
    const { limit, cursor, state, ...scope } = c.req.valid("query");
    const { deps, caller } = c.var;
    const filter = { projectId: caller.projectId, of: scopeOf(scope), state: state ?? null };
    const { items, next } = await listComments(deps.db, filter, { after: placeOfCursor(cursor), limit });
    const nextCursor = cursorOfPlace(next);
    const comments = cursorPage(apiUrl(c), { data: items.map(toCommentView), limit, nextCursor });
    return c.json({ comments, status: true } as const, 200);
  });
}

function commentRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getComment",
    method: "get",
    path: "/social/comment/{comment_id}",
    summary: "Get a comment",
    description: "A comment, with its state and the last 50 things that were to be done with it, the newest first.",
    params: CommentIdParam,
    answer: z.object({ comment: CommentView, acts: z.array(ActView), status: Done }),
    answerDescription: "The comment.",
    example: { comment: EXAMPLE_COMMENT, acts: [EXAMPLE_ACT], status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("comment", c.req.valid("param").comment_id);
    const { comment, acts } = await getComment(c.var.deps, c.var.caller.projectId, id);
    const answer = { comment: toCommentView(comment), acts: acts.map(toActView), status: true } as const;
    return c.json(answer, 200);
  });
}

function timelineRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "commentEvents",
    method: "get",
    path: "/social/comment/{comment_id}/events",
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
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("comment", c.req.valid("param").comment_id);
    const found = await readCommentTimeline(c.var.deps, c.var.caller.projectId, id);
    const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    return c.json({ events, status: true } as const, 200);
  });
}

function collectRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "collectComments",
    method: "post",
    path: "/social/channel/{channel_id}/comments",
    permission: "add-channels",
    summary: "Collect comments without a bot",
    description:
      "Reads the comments under the channel's posts of the last 30 days and under later ones, from now on, whether or not a bot answers them. Off until it is switched on, because some platforms charge for each comment that is read: `price` says what. The project's ceiling of platform cost applies.",
    params: ChannelIdParam,
    body: CollectCommentsBody,
    answer: z.object({ collecting: CollectingView, status: Done }),
    answerDescription: "Whether comments are collected.",
    example: { collecting: EXAMPLE_COLLECTING, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("channel", c.req.valid("param").channel_id);
    const { deps, caller } = c.var;
    const done = await collectComments(deps, caller.projectId, id, c.req.valid("json").collect);
    return c.json({ collecting: toCollectingView(done), status: true } as const, 200);
  });
}
