import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import type { Api } from "../../http/api.ts";
import { operation } from "../../http/operation.ts";
import { apiOrigin } from "../../http/origin.ts";
import { readPathId } from "../../http/page.ts";
import { FoundPostView, toFoundView } from "../content/content-view.ts";
import { FindPostQuery, PostIdParam, UpcomingQuery } from "../schema.ts";
import { findPost, findPostWithContent } from "../store.ts";
import { readTimeline } from "../timelines/timeline.ts";
import { EXAMPLE_POST, PostEventView, PostView, toPostView, toUpcomingView, UpcomingView } from "../view-schema.ts";
import { ExplanationView, explain } from "./explanation.ts";
import { listUpcoming } from "./upcoming.ts";

const Done = z.literal(true);

/** The routes of spec 4.5 and 4.7, and the timeline. */
export function postReadRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "findPost",
      method: "get",
      path: "/social/post/{post_id}",
      tag: "Posts",
      permission: "social-view-post",
      summary: "Find a post",
      description:
        "The state of one post, with `permalink` if it is published and `error`, `error_code` and what to do about it if it failed. `include=content` also returns its content, and what it has cost so far.",
      params: PostIdParam,
      query: FindPostQuery,
      answer: z.object({ post: z.union([FoundPostView, PostView]), status: Done }),
      answerDescription: "The post.",
      example: {
        post: EXAMPLE_POST,
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { deps, caller } = c.var;
      if (c.req.valid("query").include === undefined) {
        const post = await findPost(deps, caller.projectId, id);
        if (!post) throw absent("post", id);
        return c.json({ post: toPostView(post, apiOrigin(c)), status: true } as const, 200);
      }
      const found = await findPostWithContent(deps, caller.projectId, id);
      if (!found) throw absent("post", id);
      const view = toFoundView(found, { caller, origin: apiOrigin(c), sandboxUrl: deps.config.sandboxUrl });
      return c.json({ post: view, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "upcomingPosts",
      method: "get",
      path: "/social/upcoming-posts",
      tag: "Posts",
      permission: "social-read-posts",
      permits: "to read posts",
      refusal: 422,
      summary: "Upcoming posts",
      description: "Scheduled, queued and next-share posts, sorted by due time.",
      errorExtras: { up_coming: [] },
      query: UpcomingQuery,
      answer: z.object({ up_coming: z.array(UpcomingView) }),
      answerDescription: "The next posts.",
      example: {
        up_coming: [
          {
            post_id: 43,
            channel_type: "twitter",
            channel_id: "13",
            STATUS: "scheduled",
            schedule_time: "10AM, 5th of March, 2030",
            time_zone: "Europe/Berlin",
            scheduled_at: "2030-03-05T09:00:00.000+00:00",
          },
        ],
      },
    }),
    async (c) => {
      const rows = await listUpcoming(c.var.deps.db, c.var.caller, c.req.valid("query").limit);
      return c.json({ up_coming: rows.map(toUpcomingView) }, 200);
    },
  );

  app.openapi(
    operation({
      id: "postEvents",
      method: "get",
      path: "/social/post/{post_id}/events",
      tag: "Posts",
      permission: "social-view-post",
      extension: true,
      summary: "Timeline of a post",
      description:
        "Everything that happened to the post, oldest first, with the reason and the `error_code` of each wait and failure.",
      params: PostIdParam,
      answer: z.object({ events: z.array(PostEventView), status: Done }),
      answerDescription: "The timeline.",
      example: {
        events: [
          {
            id: 7,
            type: "post.published",
            message: "Live on the platform.",
            detail: { permalink: "https://x.com/acmebikes/status/2094364576052150272" },
            created_at: "2030-03-05T09:00:01.000+00:00",
          },
          {
            id: 9,
            type: "post.failed",
            message: "frame.bmp is a BMP file; allowed here: JPEG, PNG and WebP.",
            detail: { error_code: "media_invalid", cause: null, items: 1, live_items: 0 },
            created_at: "2030-03-05T09:00:04.000+00:00",
          },
        ],
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const found = await readTimeline(c.var.deps, c.var.caller.projectId, id);
      if (!found) throw absent("post", id);
      const events = found.events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
      return c.json({ events, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "explainPost",
      method: "get",
      path: "/social/explain/{post_id}",
      tag: "Posts",
      permission: "social-view-post",
      extension: true,
      summary: "Explain a post",
      description:
        "What happened to the post, why, what to do, and whether it is safe to post the same again, in plain sentences. A deleted post is explained for as long as its timeline is kept.",
      params: PostIdParam,
      answer: z.object({ explanation: ExplanationView, status: Done }),
      answerDescription: "The explanation.",
      example: {
        explanation: {
          post_id: 42,
          STATUS: "failed",
          what_happened: "The post was sent to the platform, but it is unknown whether it is live.",
          why: "The platform did not answer, and its lists do not show whether the post is live.",
          what_to_do: "Check the channel. Post again only if the post is not live.",
          post_again: "Do not post again before you have checked the channel: the post, or a part of it, may be live.",
          again: "look_first",
          error_code: "may_be_published",
          docs_url: "https://belfry.example/docs/errors#may_be_published",
        },
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const found = await readTimeline(c.var.deps, c.var.caller.projectId, id);
      if (!found) throw absent("post", id);
      const explanation = explain(found.post, found.events, apiOrigin(c));
      return c.json({ explanation, status: true } as const, 200);
    },
  );
}
