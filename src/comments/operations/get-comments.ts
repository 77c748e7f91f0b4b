import { z } from "@hono/zod-openapi";
import { cursorPage, exampleCursorPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { listComments } from "../list.ts";
import {
  CommentPage,
  cursorOfPlace,
  EXAMPLE_COMMENT,
  ListCommentsQuery,
  placeOfCursor,
  scopeOf,
  toCommentView,
} from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetComments = operation({
  ...COMMON,
  id: "getComments",
  method: "get",
  path: "/social/get-comments",
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
  run: async ({ deps, caller, url }, { query }) => {
    const { limit, cursor, state, ...scope } = query;
    const filter = { projectId: caller.projectId, of: scopeOf(scope), state: state ?? null };
    const { items, next } = await listComments(deps.db, filter, { after: placeOfCursor(cursor), limit });
    const nextCursor = cursorOfPlace(next);
    const comments = cursorPage(url, { data: items.map(toCommentView), limit, nextCursor });
    return { comments, status: true } as const;
  },
});
