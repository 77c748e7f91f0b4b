import { env } from "cloudflare:workers";
import { z } from "zod";
import { advance } from "./clock.ts";
import { cron, queue, queuesIdle } from "./queue.ts";
import { sandbox } from "./sandbox.ts";
import { MINUTE } from "./times.ts";
import { type ChannelRef, door, type Project } from "./world.ts";

/**
 * Comment automations as their users see them: through the front door, and by what is on the simulated
 * platforms.
 */

export const Bot = z.looseObject({ id: z.number(), status: z.enum(["active", "stopped"]) });
const Created = z.object({ message: z.string(), comment_bot: Bot, status: z.literal(true) });

/** Creates an automation that answers everything with fixed words at once by default. */
export async function makeBot(project: Project, channels: readonly ChannelRef[], body: Record<string, unknown> = {}) {
  const answer = await project.call("POST", "/social/create-comment-automation", {
    body: {
      name: "A bot",
      channels: channels.map(({ channel_id }) => channel_id),
      comment_reply: "Thank you!",
      response_type: "comment",
      ai_enable: "no",
      ...body,
    },
  });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { message, comment_bot } = Created.parse(answer.body);
  return { id: comment_bot.id, message };
}

const ReplyPart = z
  .object({
    state: z.enum(["waiting", "sent", "not_sent"]),
    text: z.string().nullable(),
    id: z.string().nullable(),
    sent_at: z.string().nullable(),
    reason: z.string().nullable(),
    message: z.string().nullable(),
  })
  .nullable();
const Logged = z.object({
  id: z.number(),
  post_id: z.number(),
  comment: z.object({
    id: z.string(),
    author_id: z.string().nullable(),
    author: z.string().nullable(),
    text: z.string().nullable(),
    created_at: z.string().nullable(),
  }),
  outcome: z.enum(["waiting", "replied", "partly_replied", "skipped", "failed"]),
  reason: z.string().nullable(),
  message: z.string(),
  keyword: z.string().nullable(),
  comment_reply: ReplyPart,
  direct_message: ReplyPart,
  due_at: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Logged = z.output<typeof Logged>;
const Log = z.object({ replies: z.looseObject({ data: z.array(Logged), next_cursor: z.string().nullable() }) });

/** The newest hundred entries of the log, the newest first. */
export async function logOf(project: Project, bot: number): Promise<readonly Logged[]> {
  const answer = await project.call("GET", `/social/get-comment-automation-replies/${bot}?limit=100`);
  if (answer.status !== 200) throw new Error(`replies: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Log.parse(answer.body).replies.data;
}

/** The entry of the comment with this text; fails the test when there is none, or more than one. */
export async function entryOf(project: Project, bot: number, text: string): Promise<Logged> {
  const entries = (await logOf(project, bot)).filter(({ comment }) => comment.text === text);
  const [entry, ...others] = entries;
  if (!entry || others.length > 0) throw new Error(`${entries.length} entries for ${text}`);
  return entry;
}

const Shown = z.looseObject({
  id: z.string(),
  reply_to: z.string().nullable(),
  text: z.string(),
  author_id: z.string(),
});
const Message = z.looseObject({ id: z.string(), text: z.string(), recipient_id: z.string() });

/** The comments under posts of the platform, the newest first. */
export async function commentsOn(platform: string) {
  return z.array(Shown).parse(await sandbox.control("GET", `comments?platform=${platform}`));
}

/** Texts that stand under this comment, the oldest first. */
export async function answersTo(platform: string, commentId: string): Promise<readonly string[]> {
  const shown = await commentsOn(platform);
  return shown.flatMap(({ reply_to, text }) => (reply_to === commentId ? [text] : [])).reverse();
}

/** Direct messages of the platform, the oldest first. */
export async function messagesOn(platform: string) {
  return z
    .array(Message)
    .parse(await sandbox.control("GET", `messages?platform=${platform}`))
    .reverse();
}

/** The platform's ids of a post that is live. */
export async function platformIdOf(postId: number): Promise<string> {
  const row = await env.DB.prepare("SELECT platform_posts FROM posts WHERE id = ?").bind(postId).first();
  const [first] = z.array(z.looseObject({ id: z.string() })).parse(JSON.parse(z.string().parse(row?.platform_posts)));
  if (!first) throw new Error(`Post ${postId} is not live.`);
  return first.id;
}

/** Lets time pass a minute at a time, as the cron does, with all that is delivered meanwhile. */
export async function minutes(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await advance(MINUTE);
    await cron();
    await queuesIdle(1_000);
  }
}

/** Runs what is due now, without the cron of the next minute. */
export async function settled(): Promise<void> {
  await queuesIdle(5_000);
}

/**
 * Delivers the platforms' notifications, with their repeats; returns how many notifications there
 * were.
 */
export async function deliverWebhooks(times = 1): Promise<number> {
  const waiting = await sandbox.webhooks("waiting");
  for (const { id, url, headers, body } of waiting) {
    let status = 0;
    for (let count = 0; count < times; count++) {
      status = (await door(new Request(url, { method: "POST", headers, body }))).status;
    }
    await sandbox.webhookAnswered(id, status);
  }
  return waiting.length;
}

/** Drops the notifications that wait. */
export async function dropWebhooks(): Promise<void> {
  for (const { id } of await sandbox.webhooks("waiting")) await sandbox.webhookAnswered(id, 200);
}

export { queue };
