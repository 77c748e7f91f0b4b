// Comments and reactions. A comment's `object` is the activity of the post, not the share that was commented
// on.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { endpoint, type LinkedinContext, type LinkedinEnv, restliMethod } from "./api";
import { mayActAs } from "./authors";
import { commentsOn, commentView, likesOf } from "./comment-views";
import { badInput, denied, notFound, RestError } from "./errors";
import { Paging, pageOf, readJson, readKey, readQuery } from "./input";
import {
  type CommentRow,
  commentUrn,
  findComment,
  findPost,
  isLive,
  keyOf,
  newNumber,
  type PostRow,
  personKey,
  urnOf,
} from "./store";
import { lengthOf } from "./text";

const MOST_CHARACTERS = 1250;
const READERS = ["r_organization_social_feed", "r_organization_social"];
const WRITERS = ["w_organization_social_feed", "w_member_social_feed"];

const Attributes = z.array(z.object({ start: z.number(), length: z.number(), value: z.unknown() }));
const Create = z.object({
  actor: z.string(),
  object: z.string(),
  message: z.object({ text: z.string().min(1), attributes: Attributes.optional() }),
  parentComment: z.string().optional(),
});
const Patch = z.object({
  patch: z.object({
    message: z.object({ $set: z.object({ text: z.string().min(1), attributes: Attributes.optional() }) }),
  }),
});
const Reaction = z.object({
  root: z.string(),
  reactionType: z.enum(["LIKE", "PRAISE", "EMPATHY", "INTEREST", "APPRECIATION", "ENTERTAINMENT"]),
});
const Metadata = z.object({ patch: z.object({ $set: z.object({ commentsState: z.enum(["OPEN", "CLOSED"]) }) }) });
const ByActor = z.object({ actor: z.string() });

/** The target of a comment: a post, or a comment on it. */
interface Target {
  readonly post: PostRow;
  readonly comment: CommentRow | null;
}

export function commentRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const path = "/rest/socialActions/:target/comments";
  const read = endpoint(sandbox, {
    operation: "comments",
    resource: "partnerApiSocialActions.GET_ALL",
    scopes: READERS,
  });
  const write = (method: string) =>
    endpoint(sandbox, { operation: "reply", resource: `partnerApiSocialActions.${method}`, scopes: WRITERS });

  app.get("/rest/socialActions/:target", ...read, (c) => {
    const { post } = readableTarget(sandbox, c);
    const all = commentsOn(sandbox, post);
    return c.json({
      $URN: post.activity,
      target: post.activity,
      commentsSummary: {
        selectedComments: [],
        totalFirstLevelComments: all.filter(({ parent }) => parent === null).length,
        aggregatedTotalComments: all.length,
      },
      likesSummary: likesOf(sandbox, post.activity),
    });
  });

  app.get(path, ...read, (c) => {
    const paging = readQuery(sandbox, c, Paging);
    const { post, comment } = readableTarget(sandbox, c);
    const rows = commentsOn(sandbox, post).filter(({ parent }) => parent === (comment?.id ?? null));
    const page = pageOf(rows, paging);
    return c.json({ ...page, elements: page.elements.map((row) => commentView(sandbox, c.var.caller, row)) });
  });

  app.get(`${path}/:id`, ...read, (c) => {
    const { post } = readableTarget(sandbox, c);
    const row = findComment(sandbox, c.req.param("id"));
    if (row?.activity !== post.activity) throw notFound("comment");
    return c.json(commentView(sandbox, c.var.caller, row));
  });

  app.post(path, ...write("CREATE"), async (c) => {
    const input = await readJson(c, Create);
    const target = targetOf(sandbox, readKey(c, "target"));
    const actor = actorOf(sandbox, c, input.actor);
    const object = findPost(sandbox, input.object);
    if (object?.urn !== target.post.urn)
      throw badInput("INVALID_VALUE_FOR_FIELD", "/object", "It is not what is commented");
    checkText(input.message.text);
    if (target.post.comments_closed) throw denied("partnerApiSocialActions.CREATE");
    throttle(sandbox, c.var.caller.personId);
    const parent =
      input.parentComment === undefined ? target.comment : parentOf(sandbox, target.post, input.parentComment);
    const row = insertComment(sandbox, {
      post: target.post,
      // Replies are one level deep.
      parent: parent?.parent ?? parent?.id ?? null,
      actor,
      impersonator: actor.startsWith("organization:") ? personKey(c.var.caller.personId) : null,
      text: input.message.text,
      attributes: JSON.stringify(input.message.attributes ?? []),
    });
    return c.json(commentView(sandbox, c.var.caller, row), 201, { "x-restli-id": row.id });
  });

  app.post(`${path}/:id`, ...write("PARTIAL_UPDATE"), async (c) => {
    if (restliMethod(c) !== "partial_update")
      throw new RestError(400, "ILLEGAL_ARGUMENT", "POST on an entity is a PARTIAL_UPDATE");
    const row = ownComment(sandbox, c);
    const { text, attributes = [] } = (await readJson(c, Patch)).patch.message.$set;
    checkText(text);
    sandbox.db.run(
      "UPDATE linkedin_comments SET text = ?, attributes = ?, modified_at = ? WHERE id = ?",
      text,
      JSON.stringify(attributes),
      sandbox.now(),
      row.id,
    );
    return c.json(commentView(sandbox, c.var.caller, { ...row, text }));
  });

  app.delete(`${path}/:id`, ...write("DELETE"), (c) => {
    const row = ownComment(sandbox, c);
    sandbox.db.run("DELETE FROM linkedin_comments WHERE id = ?1 OR parent = ?1", row.id);
    return c.body(null, 204);
  });

  app.post("/rest/reactions", ...write("reactions.CREATE"), async (c) => {
    const actor = actorOf(sandbox, c, readQuery(sandbox, c, ByActor).actor);
    const { root, reactionType } = await readJson(c, Reaction);
    const { post, comment } = targetOf(sandbox, root);
    const urn = comment ? commentUrn(comment) : post.activity;
    if (isReactedTo(sandbox, urn, actor)) throw new RestError(409, "CONFLICT", "The member has reacted already");
    sandbox.db.run(
      "INSERT INTO linkedin_reactions (root, actor, type, created_at) VALUES (?, ?, ?, ?)",
      urn,
      actor,
      reactionType,
      sandbox.now(),
    );
    const id = `urn:li:reaction:(${urnOf(c.var.caller.clientId, actor)},${urn})`;
    return c.json({ id, root: urn, reactionType }, 201, { "x-restli-id": encodeURIComponent(id) });
  });

  app.delete("/rest/reactions/:key", ...write("reactions.DELETE"), (c) => {
    // A compound key: its own punctuation is raw, that of its URNs encoded.
    const { pathname } = new URL(c.req.url);
    const [, actorUrn = "", entity = ""] = /\/\(actor:([^(),:]+),entity:([^(),:]+)\)$/.exec(pathname) ?? [];
    const actor = actorOf(sandbox, c, decodeURIComponent(actorUrn));
    const { post, comment } = targetOf(sandbox, decodeURIComponent(entity));
    const urn = comment ? commentUrn(comment) : post.activity;
    if (!isReactedTo(sandbox, urn, actor)) throw notFound("reaction");
    sandbox.db.run("DELETE FROM linkedin_reactions WHERE root = ? AND actor = ?", urn, actor);
    return c.body(null, 204);
  });

  app.post("/rest/socialMetadata/:target", ...write("socialMetadata.PARTIAL_UPDATE"), async (c) => {
    const actor = actorOf(sandbox, c, readQuery(sandbox, c, ByActor).actor);
    const { post } = targetOf(sandbox, readKey(c, "target"));
    if (post.author !== actor) throw denied("socialMetadata.PARTIAL_UPDATE");
    const { commentsState } = (await readJson(c, Metadata)).patch.$set;
    sandbox.db.run(
      "UPDATE linkedin_posts SET comments_closed = ? WHERE urn = ?",
      commentsState === "CLOSED" ? 1 : 0,
      post.urn,
    );
    return c.body(null, 204);
  });
  return app;
}

/** One reaction of each member or page. */
function isReactedTo(sandbox: Sandbox, urn: string, actor: string): boolean {
  const query = "SELECT 1 AS one FROM linkedin_reactions WHERE root = ? AND actor = ?";
  return sandbox.db.first(query, urn, actor) !== null;
}

/** Whether the author of the post likes the comment. */
export function isLiked(sandbox: Sandbox, row: CommentRow): boolean {
  const post = findPost(sandbox, row.activity);
  return post !== null && isReactedTo(sandbox, commentUrn(row), post.author);
}

function targetOf(sandbox: Sandbox, urn: string): Target {
  const [, activity, id] = /^urn:li:comment:\((?:urn:li:)?(activity:\d+),(\d+)\)$/.exec(urn) ?? [];
  const post = findPost(sandbox, activity === undefined ? urn : `urn:li:${activity}`);
  if (!post || !isLive(post, sandbox.now())) throw notFound("entity");
  const comment = id === undefined ? null : findComment(sandbox, id);
  if (id !== undefined && comment?.activity !== post.activity) throw notFound("comment");
  return { post, comment };
}

function readableTarget(sandbox: Sandbox, c: LinkedinContext): Target {
  const target = targetOf(sandbox, readKey(c, "target"));
  if (!mayActAs(sandbox, c.var.caller, target.post.author, "read comments"))
    throw denied("partnerApiSocialActions.GET_ALL");
  return target;
}

function actorOf(sandbox: Sandbox, c: LinkedinContext, urn: string): string {
  const actor = keyOf(sandbox, c.var.caller.clientId, urn);
  if (actor === null || !mayActAs(sandbox, c.var.caller, actor, "comment"))
    throw denied("partnerApiSocialActions.CREATE");
  return actor;
}

function parentOf(sandbox: Sandbox, post: PostRow, urn: string): CommentRow | null {
  const target = targetOf(sandbox, urn);
  if (target.post.urn !== post.urn || target.comment === null) {
    throw badInput("INVALID_URN_ID", "/parentComment", "It is not a comment on this post");
  }
  return target.comment;
}

function ownComment(sandbox: Sandbox, c: LinkedinContext): CommentRow {
  const actor = actorOf(sandbox, c, readQuery(sandbox, c, ByActor).actor);
  const { post } = targetOf(sandbox, readKey(c, "target"));
  const row = findComment(sandbox, c.req.param("id") ?? "");
  if (row?.activity !== post.activity) throw notFound("comment");
  // The author of a post may delete other users' comments on it.
  const isAllowed = row.actor === actor || (c.req.method === "DELETE" && post.author === actor);
  if (!isAllowed) throw denied("partnerApiSocialActions.DELETE");
  return row;
}

function checkText(text: string): void {
  if (lengthOf(text) <= MOST_CHARACTERS) return;
  throw badInput("FIELD_LENGTH_TOO_LONG", "/message/text", `length is larger than ${MOST_CHARACTERS}`);
}

/** About one comment per minute and member, including comments in the name of a page. */
function throttle(sandbox: Sandbox, personId: string): void {
  const last = sandbox.db.first<{ at: number | null }>(
    "SELECT max(created_at) AS at FROM linkedin_comments WHERE actor = ?1 OR impersonator = ?1",
    personKey(personId),
  );
  const isSoon = sandbox.now() - (last?.at ?? 0) < sandbox.settings.all.linkedin_comment_throttle_ms;
  if (!isSoon) return;
  throw new RestError(429, "TOO_MANY_REQUESTS", "Comment create throttled: creation rate limit exceeded for member", {
    serviceErrorCode: 101,
  });
}

interface NewComment {
  readonly post: PostRow;
  readonly parent: string | null;
  readonly actor: string;
  readonly impersonator: string | null;
  readonly text: string;
  readonly attributes: string;
}

/** Stored verbatim: comments do not use the little text format. */
export function insertComment(sandbox: Sandbox, { post, parent, actor, impersonator, text, attributes }: NewComment) {
  const now = sandbox.now();
  const row: CommentRow = {
    id: String(newNumber(sandbox)),
    activity: post.activity,
    parent,
    actor,
    impersonator,
    text,
    attributes,
    created_at: now,
    modified_at: now,
  };
  const names = Object.keys(row);
  sandbox.db.run(
    `INSERT INTO linkedin_comments (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  return row;
}
