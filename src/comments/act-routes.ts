import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Api } from "../http/api.ts";
import type { AppEnv } from "../http/environment.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { readPathId } from "../http/page.ts";
import { ActView, EXAMPLE_ACT, ReplyBody, toActView } from "./act-schema.ts";
import type { ActKind } from "./acts.ts";
import { type GoesWithComment, recallAct, requestAct, type WantedAct } from "./request-act.ts";
import { CommentIdParam, CommentView, EXAMPLE_COMMENT, toCommentView, UpdateCommentBody } from "./schema.ts";
import { updateComment } from "./update.ts";

const Answered = z.object({ act: ActView, status: z.literal(true) });
const COMMON = {
  tag: "Comments",
  permission: "social-manage-comments",
  extension: true,
  params: CommentIdParam,
  answer: Answered,
  answerDescription: "What is carried out next.",
} as const;

/** What is done with comments: each request opens a job, which acts once. */
export function commentActRoutes(app: Api, goesWith: GoesWithComment): void {
  replyRoute(app, goesWith);
  for (const one of SETTING) settingRoute(app, one, goesWith);
  deleteRoute(app, goesWith);
  updateRoute(app);
}

const exampleOf = (act: ActKind) => ({ act: { ...EXAMPLE_ACT, act, text: null }, status: true }) as const;

function replyRoute(app: Api, goesWith: GoesWithComment): void {
  const contract = operation({
    ...COMMON,
    id: "replyToComment",
    method: "post",
    path: "/social/comment/{comment_id}/reply",
    summary: "Answer a comment",
    description:
      "Answers in public, as the channel, exactly once. Answers keep the pace that bots keep, and share it with them; the price of the platform and the project's ceiling apply.",
    idempotent: true,
    quotas: "waiting requests on a comment",
    body: ReplyBody,
    example: { act: EXAMPLE_ACT, status: true },
  });
  app.openapi(contract, (c) => {
    const id = readPathId("comment", c.req.valid("param").comment_id);
    return requestOnce(c, { id, kind: "reply", ...c.req.valid("json") }, goesWith);
  });
}

/** Requests the act once for each key. The operation names its kind. */
async function requestOnce(c: Context<AppEnv>, act: Omit<WantedAct, "projectId">, goesWith: GoesWithComment) {
  const { deps, caller } = c.var;
  const { id, text } = act;
  const requested = await idempotently(
    c,
    text === null ? { id } : { id, text },
    (record) => requestAct(deps, { projectId: caller.projectId, ...act }, goesWith, record),
    (stored) => recallAct(deps, stored),
  );
  return c.json({ act: toActView(requested), status: true } as const, 200);
}

const SETTING = [
  {
    kind: "hide",
    id: "hideComment",
    path: "/social/comment/{comment_id}/hide",
    summary: "Hide a comment",
    description:
      "Hides it from others at the platform. An answer of a bot that was not begun is cancelled. A 422 says why where the platform has no such act.",
  },
  {
    kind: "unhide",
    id: "unhideComment",
    path: "/social/comment/{comment_id}/unhide",
    summary: "Show a comment again",
    description: "Takes hiding back.",
  },
  {
    kind: "like",
    id: "likeComment",
    path: "/social/comment/{comment_id}/like",
    summary: "Like a comment",
    description: "Likes it as the channel. A 422 says why where the platform has no such act.",
  },
  {
    kind: "unlike",
    id: "unlikeComment",
    path: "/social/comment/{comment_id}/unlike",
    summary: "Take back a like",
    description: "Takes the like of the channel back.",
  },
] as const;

function settingRoute(app: Api, { kind, ...about }: (typeof SETTING)[number], goesWith: GoesWithComment): void {
  const contract = operation({
    ...COMMON,
    ...about,
    method: "post",
    idempotent: true,
    quotas: "waiting requests on a comment",
    refusedByState: "Comment 981 was deleted.",
    example: exampleOf(kind),
  });
  app.openapi(contract, (c) => {
    const id = readPathId("comment", c.req.valid("param").comment_id);
    return requestOnce(c, { id, kind, text: null }, goesWith);
  });
}

function deleteRoute(app: Api, goesWith: GoesWithComment): void {
  const contract = operation({
    ...COMMON,
    id: "deleteComment",
    method: "delete",
    path: "/social/comment/{comment_id}",
    summary: "Delete a comment",
    description:
      "Deletes it at the platform for good, where the platform lets the owner of a post do that; elsewhere a 422 says so. Answers that were not begun are cancelled, one under way is waited for.",
    quotas: "waiting requests on a comment",
    refusedByState: "Comment 981 was deleted.",
    example: exampleOf("delete"),
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const id = readPathId("comment", c.req.valid("param").comment_id);
    const wanted = { projectId: caller.projectId, id, kind: "delete", text: null } as const;
    const act = await requestAct(deps, wanted, goesWith, null);
    return c.json({ act: toActView(act), status: true } as const, 200);
  });
}

function updateRoute(app: Api): void {
  const contract = operation({
    tag: "Comments",
    permission: "social-manage-comments",
    extension: true,
    id: "updateComment",
    method: "put",
    path: "/social/comment/{comment_id}",
    summary: "Assign a comment, mark it as done, or note on it",
    description:
      "What the members of the project keep about a comment. Absent fields stay. Nothing changes at the platform.",
    params: CommentIdParam,
    body: UpdateCommentBody,
    answer: z.object({ comment: CommentView, status: z.literal(true) }),
    answerDescription: "The comment.",
    example: { comment: { ...EXAMPLE_COMMENT, state: "done", note: "Sent the price list." }, status: true },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const id = readPathId("comment", c.req.valid("param").comment_id);
    const comment = await updateComment(deps, caller.projectId, id, c.req.valid("json"));
    return c.json({ comment: toCommentView(comment), status: true } as const, 200);
  });
}
