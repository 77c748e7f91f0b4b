import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { WaitingQuery } from "../lists/list-schema.ts";
import { listUpcoming } from "../lists/upcoming.ts";
import { toUpcomingView, UpcomingView } from "../view-schema.ts";

export const UpcomingPosts = operation({
  id: "upcomingPosts",
  method: "get",
  path: "/social/upcoming-posts",
  tag: "Posts",
  permission: "social-read-posts",
  permits: "to read posts",
  refusal: 422,
  summary: "Upcoming posts",
  description:
    "Scheduled, queued and next-share posts, sorted by due time: all, or those of a time span and a channel. Of a channel, only posts among the next 5,000 of the project (or of the span) are found.",
  errorExtras: { up_coming: [] },
  query: WaitingQuery,
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
  run: async ({ deps, caller }, { query }) => {
    const { limit, from, to, channel_id: channelId } = query;
    const rows = await listUpcoming(deps.db, caller, { limit, from, to, channelId });
    return { up_coming: rows.map(toUpcomingView) };
  },
});
