import { z } from "zod";
import { advance } from "../support/clock.ts";
import { queue } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { findPost } from "../support/world.ts";
import type { Shape } from "./shapes.ts";
import { untilAllIsShown } from "./shown.ts";
import { type Home, liveNow, type Sent, send } from "./world.ts";

/** A post with a first comment, and the outcome of both. */
export interface Commented {
  readonly sent: Sent;
  /** In no other comment. */
  readonly text: string;
}

/** Creates a post of the shape with a first comment, to be published now. */
export async function sendCommented(home: Home, shape: Shape): Promise<Commented> {
  const text = `First ${crypto.randomUUID()}`;
  return { sent: await send(home, shape, { first_comment: text }), text };
}

const MOST_SECONDS = 3_600;

/** Lets everything arrive until the post is published; what comes after that waits in the queue. */
export async function untilPublished(commented: Commented): Promise<void> {
  const { home, id } = commented.sent;
  await until(commented, async () => (await findPost(home.project, id)).STATUS === "published");
}

/** The same until the comment is to be seen. */
export async function untilShown(commented: Commented): Promise<void> {
  await until(commented, async () => (await shownComments(commented)).length > 0);
}

async function until({ sent: { home, id } }: Commented, hasHappened: () => Promise<boolean>): Promise<void> {
  for (let seconds = 0; seconds < MOST_SECONDS; ) {
    const message = queue.takeDue();
    if (message) {
      await queue.deliver(message);
      if (await hasHappened()) return;
    } else {
      await advance(1_000);
      seconds += 1;
    }
  }
  throw new Error(`It has not happened to post ${id}: ${JSON.stringify(await findPost(home.project, id))}`);
}

const Comments = z.array(z.looseObject({ id: z.string(), post_id: z.string(), text: z.string() }));

export interface Shown {
  readonly id: string;
  /** The post that it is under. */
  readonly under: string | null;
}

/** Everything on the platform that reads like the comment, whether it is a comment there or a post. */
export async function shownComments({ sent: { home }, text }: Commented): Promise<Shown[]> {
  await untilAllIsShown();
  const all = Comments.parse(await sandbox.control("GET", `comments?platform=${home.channel.channel_type}`));
  const posts = await liveNow(home);
  return [
    ...all.map((one) => ({ ...one, under: one.post_id })),
    ...posts.map((one) => ({ ...one, under: one.reply_to })),
  ].flatMap(({ id, text: shown, under }) => (shown === text ? [{ id, under }] : []));
}

const Result = z.object({
  post: z.object({
    STATUS: z.string(),
    first_comment: z.string().nullable(),
    first_comment_result: z
      .strictObject({
        state: z.enum(["pending", "published", "failed"]),
        comment_id: z.string().nullable(),
        error: z.string().nullable(),
        error_code: z.string().nullable(),
      })
      .nullable(),
  }),
});

/** What `include=content` shows of the post and its comment. */
export async function commentResult({ sent: { home, id } }: Pick<Commented, "sent">) {
  const answer = await home.project.call("GET", `/social/post/${id}?include=content`);
  return Result.parse(answer.body).post;
}
