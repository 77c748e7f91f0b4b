// Post reads: by URN, in batches, and by author.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { type Caller, endpoint, type LinkedinContext, type LinkedinEnv } from "./api";
import { hasRole } from "./authors";
import { badInput, denied, notFound } from "./errors";
import { Paging, pageOf, readKey, readQuery, readSeveral } from "./input";
import { findPost, isLive, keyOf, type PostRow, urnOf } from "./store";
import { objectOf } from "./text";

const viewContext = z.enum(["AUTHOR", "READER"]).default("READER");
const One = z.object({ viewContext });
const ByAuthor = Paging.extend({
  q: z.literal("author"),
  author: z.string(),
  sortBy: z.enum(["LAST_MODIFIED", "CREATED"]).default("LAST_MODIFIED"),
  isDsc: z.string().optional(),
  viewContext,
});
const Several = z.object({ ids: z.string(), viewContext });

export function readRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  // `r_member_social` is closed: a write-only token reads nothing.
  const scopes = ["r_organization_social"];
  const read = (method: string) =>
    endpoint(sandbox, { operation: "status", resource: `partnerApiPosts.${method}`, scopes });

  app.get("/rest/posts", ...read("FINDER-author"), (c) => {
    if (c.req.query("ids") !== undefined) return c.json(several(sandbox, c));
    const { author: urn, sortBy, viewContext: as, ...paging } = readQuery(sandbox, c, ByAuthor);
    const author = keyOf(sandbox, c.var.caller.clientId, urn);
    if (author === null) throw badInput("INVALID_URN_ID", "/author", `${urn} is not known`);
    if (!mayRead(sandbox, c.var.caller, author)) throw denied("partnerApiPosts.FINDER-author");
    const now = sandbox.now();
    const shownSince = now - sandbox.settings.all.linkedin_listing_lag_ms;
    const rows = sandbox.db
      .all<PostRow>("SELECT * FROM linkedin_posts WHERE author = ? AND deleted_at IS NULL", author)
      .filter((post) => post.created_at <= shownSince && (as === "AUTHOR" || isLive(post, now)));
    const order = (post: PostRow) => (sortBy === "CREATED" ? post.created_at : post.modified_at);
    rows.sort((a, b) => order(b) - order(a) || b.activity.localeCompare(a.activity));
    const page = pageOf(rows, paging);
    const elements = page.elements.map((post) => ({ ...postView(sandbox, c, post), id: listedUrn(sandbox, post) }));
    return c.json({ ...page, elements });
  });

  app.get("/rest/posts/:urn", ...read("GET"), (c) => {
    const { viewContext: as } = readQuery(sandbox, c, One);
    const post = readable(sandbox, c, readKey(c, "urn"), as);
    return c.json(postView(sandbox, c, post));
  });
  return app;
}

function several(sandbox: Sandbox, c: LinkedinContext) {
  if (sandbox.settings.all.linkedin_tier === "development") throw denied("partnerApiPosts.BATCH_GET");
  const { viewContext: as } = readQuery(sandbox, c, Several);
  return readSeveral(c, (urn) => postView(sandbox, c, readable(sandbox, c, urn, as)));
}

function readable(sandbox: Sandbox, c: LinkedinContext, urn: string, as: "AUTHOR" | "READER"): PostRow {
  if (!/^urn:li:(share|ugcPost):\d+$/.test(urn)) throw badInput("INVALID_URN_TYPE", "/id", `${urn} is no post`);
  const post = findPost(sandbox, urn);
  if (!post || (as === "READER" && !isLive(post, sandbox.now()))) throw notFound("entity");
  if (!mayRead(sandbox, c.var.caller, post.author)) throw denied("partnerApiPosts.GET");
  return post;
}

const mayRead = (sandbox: Sandbox, caller: Caller, author: string) =>
  author.startsWith("organization:") && hasRole(sandbox, caller, author);

function listedUrn(sandbox: Sandbox, { urn }: PostRow): string {
  return sandbox.settings.all.linkedin_listed_urns === "share" ? urn.replace("ugcPost", "share") : urn;
}

function lifecycleOf({ live_at }: PostRow, now: number) {
  if (live_at === null) return "PUBLISH_FAILED";
  return live_at > now ? "PUBLISH_REQUESTED" : "PUBLISHED";
}

function postView(sandbox: Sandbox, c: LinkedinContext, post: PostRow) {
  const now = sandbox.now();
  const lifecycleState = lifecycleOf(post, now);
  return {
    id: post.urn,
    author: urnOf(c.var.caller.clientId, post.author),
    commentary: post.commentary === "" ? " " : post.commentary,
    visibility: post.visibility,
    distribution: objectOf(post.distribution),
    content: objectOf(post.content),
    lifecycleState,
    lifecycleStateInfo: { isEditedByAuthor: post.is_edited === 1 },
    createdAt: post.created_at,
    ...(lifecycleState === "PUBLISHED" ? { publishedAt: post.live_at } : {}),
    lastModifiedAt: post.modified_at,
    isReshareDisabledByAuthor: post.is_reshare_disabled === 1,
    ...(post.reshare_of === null ? {} : { reshareContext: { parent: post.reshare_of } }),
  };
}
