import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { PostIdParam } from "../schema.ts";
import { readTimeline } from "../timelines/timeline.ts";
import { PostEventView } from "../view-schema.ts";

export const GetPostEvents = operation({
  id: "getPostEvents",
  method: "get",
  path: "/social/get-post-events/{post_id}",
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
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("post", params.post_id);
    const found = await readTimeline(deps, caller.projectId, id);
    if (!found) throw absent("post", id);
    const events = found.events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    return { events, status: true } as const;
  },
});
