import { env } from "cloudflare:workers";
import { z } from "zod";
import { type Answer, type ChannelRef, CreatedPost, type Project } from "./world.ts";

/** A channel's queue and its timetable, through the front door. */

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** The same times every day. */
export function everyDay(...times: readonly string[]) {
  return Object.fromEntries(DAYS.map((day) => [day, times]));
}

const Timetable = z.strictObject({
  slots: z.record(z.enum(DAYS), z.array(z.string())),
  time_zone: z.string(),
  paused: z.boolean(),
  is_default: z.boolean(),
});

const Changed = z.strictObject({
  message: z.string(),
  timetable: Timetable,
  moved_posts: z.int(),
  status: z.literal(true),
});

export async function readTimetable(project: Project, { channel_id }: ChannelRef) {
  const answer = await project.call("GET", `/social/get-channel-timetable/${channel_id}`);
  return z.strictObject({ timetable: Timetable, status: z.literal(true) }).parse(answer.body).timetable;
}

export function putTimetable(project: Project, { channel_id }: ChannelRef, body: unknown): Promise<Answer> {
  return project.call("PUT", `/social/update-channel-timetable/${channel_id}`, { body });
}

export async function setTimetable(project: Project, channel: ChannelRef, body: unknown) {
  const answer = await putTimetable(project, channel, body);
  if (answer.status !== 200) throw new Error(`timetable: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Changed.parse(answer.body);
}

const Queued = CreatedPost.extend({
  data: z.strictObject({
    post_id: z.number(),
    STATUS: z.literal("processing"),
    find_post_url: z.string(),
  }),
});

const WithTime = z.object({ post: z.object({ scheduled_at: z.string().nullable() }) });

/** When the post is due, as find-post shows it with its content. */
export async function timeOf(project: Project, id: number): Promise<string | null> {
  return WithTime.parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post.scheduled_at;
}

/** Puts a post into the queue; what was answered. */
export async function enqueue(
  project: Project,
  channel: ChannelRef,
  caption_text: string,
  publish_mode: "queued" | "share_next" = "queued",
) {
  const body = { ...channel, post_type: "post", media_urls: [], caption_text, publish_mode };
  const answer = await project.call("POST", "/social/create-post", { body });
  if (answer.status !== 200) throw new Error(`create-post: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { message, data } = Queued.parse(answer.body);
  return { id: data.post_id, scheduledAt: (await timeOf(project, data.post_id)) ?? "", message };
}

const Upcoming = z.object({
  up_coming: z.array(
    z.strictObject({
      post_id: z.number(),
      channel_type: z.string(),
      channel_id: z.string(),
      STATUS: z.enum(["queued", "scheduled"]),
      schedule_time: z.string().regex(/^\d+(AM|PM), \d+(st|nd|rd|th) of \w+, \d{4}$/),
      time_zone: z.string(),
      scheduled_at: z.string(),
    }),
  ),
});

/** Ids and times of upcoming-posts, in its order. */
export async function upcoming(project: Project, limit = 100) {
  const { up_coming } = Upcoming.parse((await project.call("GET", `/social/upcoming-posts?limit=${limit}`)).body);
  return up_coming.map(({ post_id, scheduled_at }) => ({ id: post_id, at: scheduled_at }));
}

export async function eventsOf(project: Project, id: number) {
  const Events = z.object({
    events: z.array(
      z.object({ type: z.string(), message: z.string(), detail: z.record(z.string(), z.unknown()).nullable() }),
    ),
  });
  return Events.parse((await project.call("GET", `/social/get-post-events/${id}`)).body).events;
}

/** What is stored of the queue: each queued post, its slot and when its job runs, in order. */
export async function storedQueue({ channel_id }: ChannelRef) {
  const { results } = await env.DB.prepare(
    `SELECT p.id, p.slot_at, p.publish_at, j.run_at, j.deadline_at FROM posts p JOIN jobs j ON j.key = 'publish:' || p.id
     WHERE p.channel_id = ? AND p.state = 'queued' ORDER BY p.slot_at`,
  )
    .bind(channel_id)
    .all<{ id: number; slot_at: number; publish_at: number; run_at: number; deadline_at: number }>();
  return results;
}
