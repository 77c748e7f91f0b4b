import { platformTitle } from "../../src/platforms/facts.ts";
import { platforms } from "../../src/platforms/registry.ts";
import type { LivePost } from "../../test/support/control.ts";
import type { Channel, Logged, NewPost, Post } from "./api.ts";
import type { Finding } from "./driver.ts";
import { waitFor } from "./http.ts";
import { bold, dim, mark, say, seconds } from "./terminal.ts";
import type { World } from "./world.ts";

/** The part of the demo in which a bot replies to comments on the published posts. */

export interface Published {
  readonly post: Post;
  readonly body: NewPost;
}

interface Written {
  readonly platform: string;
  readonly text: string;
  readonly at: number;
}

/** The sweep reads comments once a minute, and some platforms list them late. */
const PATIENCE_MS = 150_000;
const ASK_EVERY_MS = 500;
const READER = "Ada Reader";

/**
 * Creates a bot for all channels, writes a comment on one post of each platform, and prints each reply.
 */
export async function answerComments(
  { api, control }: Pick<World, "api" | "control">,
  channels: readonly Channel[],
  published: readonly Published[],
  live: readonly LivePost[],
): Promise<Finding> {
  say(bold("\nA bot answers comments"));
  const targets = commentable(published, live);
  const answering = channels.filter(({ channel_id: id }) => targets.some(({ body }) => body.channel_id === id));
  const bot = await api.createAutomation({
    name: "Opening hours",
    channels: answering.map(({ channel_id }) => channel_id),
    trigger_type: "keywords",
    keywords: ["open", "hours"],
    comment_reply: "Thank you for asking: every day from nine to five.",
    direct_message: "Hello! Shall we keep a table for you?",
    ai_enable: "no",
  });
  say(`  ${bot.message}`);
  say(dim("  Some platforms send webhooks of comments at once; the others are polled each minute.\n"));
  const written: Written[] = [];
  for (const { platform, liveId } of targets) {
    // Identifies the comment in the log by its text: the sandbox's ids can differ from the platform's.
    const text = `I found you on ${platformTitle(platform)}. When are you open?`;
    await control.comment(platform, liveId, text, READER);
    written.push({ platform, text, at: Date.now() });
  }
  const waiting = new Set(written);
  await waitFor(
    async () => {
      const log = await api.listReplies(bot.id);
      for (const comment of waiting) {
        const reply = log.find((one) => one.comment.text === comment.text && one.outcome !== "waiting");
        if (!reply) continue;
        waiting.delete(comment);
        showReply(comment, reply);
      }
      return waiting.size === 0;
    },
    { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS },
  );
  const missing = Array.from(waiting, ({ platform }) => platform).join(", ");
  return { holds: missing === "", text: `every comment is answered${missing && `, but for ${missing}`}` };
}

/** The newest commentable post of each platform that supports reading comments. */
function commentable(published: readonly Published[], live: readonly LivePost[]) {
  return Object.values(platforms).flatMap(({ name: platform, comments }) => {
    const newest = published.findLast(({ body: { channel_type: type, post_type: kind } }) => {
      return type === platform && comments?.reading && comments.types.some((one) => one === kind);
    });
    const there = live.find((one) => one.platform === platform && isSame(one.permalink, newest?.post.permalink));
    return newest && there ? [{ platform, body: newest.body, liveId: there.id }] : [];
  });
}

/** Ignores the trailing slash that some platforms add to URLs. */
function isSame(one: string | null, other: string | null | undefined): boolean {
  return one !== null && one.replace(/\/$/, "") === other?.replace(/\/$/, "");
}

function showReply({ platform, text, at }: Written, { outcome, message, comment_reply, direct_message }: Logged): void {
  const sent = [comment_reply, direct_message].flatMap((part) => part?.sent_at ?? []).map((time) => Date.parse(time));
  const took = sent.length === 0 ? "" : dim(seconds(Math.max(...sent) - at));
  say(`${mark(outcome === "replied")} ${bold(platform)}  ${took}`);
  say(`    ${READER}: ${text}`);
  if (comment_reply?.text) say(`    in public: ${comment_reply.text}`);
  if (direct_message?.text) say(`    in private: ${direct_message.text}`);
  if (outcome !== "replied") say(`    ${outcome}: ${message}`);
}
