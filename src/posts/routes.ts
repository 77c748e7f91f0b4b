import { z } from "@hono/zod-openapi";
import { AppError } from "../core/errors.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { listEvents } from "../events/store.ts";
import type { Api } from "../http/api.ts";
import { idempotently } from "../http/idempotency.ts";
import { apiOrigin, apiUrl } from "../http/origin.ts";
import { paginate, readPathId } from "../http/page.ts";
import { createPost } from "./create.ts";
import { listPosts, listUpcoming } from "./list.ts";
import {
  createPostOperation,
  deletePostOperation,
  findPostOperation,
  getPosts,
  postEvents,
  upcomingPosts,
  updatePostOperation,
  validatePostOperation,
} from "./operations.ts";
import { deletePost } from "./remove.ts";
import { toPostView, toUpcomingView } from "./schema.ts";
import { findPost, hasPost } from "./store.ts";
import { updatePost } from "./update.ts";
import { validatePost } from "./validate.ts";

const StoredPostId = z.object({ post_id: z.int() });

export function postRoutes(app: Api): void {
  app.openapi(getPosts, async (c) => {
    const { channels, status, page, limit } = c.req.valid("query");
    const found = await listPosts(c.var.deps.db, c.var.caller.projectId, {
      channels,
      states: status ?? null,
      page,
      limit,
    });
    return c.json({ posts: paginate(apiUrl(c), found, toPostView), status: true } as const, 200);
  });

  app.openapi(createPostOperation, async (c) => {
    const body = c.req.valid("json");
    const { deps, caller } = c.var;
    const id = await idempotently(
      c,
      body,
      (companion) => createPost(deps, caller, body, companion),
      (stored) => idOf<PostId>(StoredPostId.parse(JSON.parse(stored)).post_id),
    );
    const url = `${apiOrigin(c)}/api/v1/social/post/${id}`;
    const data = { post_id: id, STATUS: "processing", find_post_url: url } as const;
    return c.json({ message: MESSAGES[body.publish_mode], data, status: true } as const, 200);
  });

  app.openapi(findPostOperation, async (c) => {
    const id = postId(c.req.valid("param").post_id);
    const post = await findPost(c.var.deps.db, c.var.caller.projectId, id);
    if (!post) throw noPost(id);
    return c.json({ post: toPostView(post), status: true } as const, 200);
  });

  app.openapi(deletePostOperation, async (c) => {
    const message = await deletePost(c.var.deps, c.var.caller, postId(c.req.valid("param").postId));
    return c.json({ message, status: true } as const, 200);
  });

  app.openapi(upcomingPosts, async (c) => {
    const rows = await listUpcoming(c.var.deps.db, c.var.caller.projectId, c.req.valid("query").limit);
    return c.json({ up_coming: rows.map(toUpcomingView) }, 200);
  });

  app.openapi(updatePostOperation, async (c) => {
    const id = postId(c.req.valid("param").post_id);
    const post = await updatePost(c.var.deps, c.var.caller, id, c.req.valid("json"));
    return c.json({ message: "The post was changed.", post: toPostView(post), status: true } as const, 200);
  });

  app.openapi(validatePostOperation, async (c) => {
    const found = await validatePost(c.var.deps, c.var.caller, c.req.valid("json"));
    const items = found.map(({ text, media }) => ({
      text,
      media: media.map(({ durationSeconds, ...file }) => ({ ...file, duration_seconds: durationSeconds })),
    }));
    return c.json({ message: "The post can be published.", valid: true, items, status: true } as const, 200);
  });

  app.openapi(postEvents, async (c) => {
    const { db } = c.var.deps;
    const id = postId(c.req.valid("param").post_id);
    if (!(await hasPost(db, c.var.caller.projectId, id))) throw noPost(id);
    const events = (await listEvents(db, "post", id, 500)).map((event) => ({
      id: event.id,
      type: event.type,
      message: event.message,
      detail: event.detail ?? null,
      created_at: new Date(event.createdAt).toISOString(),
    }));
    return c.json({ events, status: true } as const, 200);
  });
}

const MESSAGES = {
  now: "The post is being published.",
  scheduled: "The post is scheduled.",
  queued: "The post is in the channel's queue.",
  share_next: "The post is the next one of the channel's queue.",
} as const;

function postId(text: string): PostId {
  const id = readPathId(text);
  if (id === null) throw noPost(text);
  return idOf<PostId>(id);
}

function noPost(id: number | string): AppError {
  return new AppError("not_found", `There is no post ${String(id).slice(0, 40)} in this project.`);
}
