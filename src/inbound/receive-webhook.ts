import { sql } from "drizzle-orm";
import { standingOf } from "../accounts/moving.ts";
import { ingestComments } from "../automations/ingest.ts";
import { commentWatches } from "../automations/watch.ts";
import {
  expediteWatches,
  isWanted,
  namedPosts,
  newestPosts,
  readWatched,
  restartWatches,
} from "../automations/watch-store.ts";
import { listDatabasesOf } from "../channels/account-databases.ts";
import { listChannelsOfAccount } from "../channels/store.ts";
import type { Sender } from "../conversations/receive.ts";
import { isNearlySpent } from "../core/meter.ts";
import { runBatch, unlessMoving, writeTogether } from "../db/client.ts";
import { claimUntil, sendClaimed } from "../jobs/recurring.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { InboundComment } from "../platforms/webhooks.ts";
import { listPublished } from "../posts/publish/publications.ts";
import type { Deps } from "../service/deps.ts";
import { intakeWait } from "../usage/intake.ts";

/** A condition on a post at rest: someone wants its comments. */
const isCovered = isWanted(sql`posts_at_rest.channel_id`, sql`posts_at_rest.id`);

/** The result of a webhook, for the log. */
export interface ReceivedWebhook {
  readonly received: number;
  /** The number of new comments. */
  readonly fresh: number;
  /** Whether some are of a project on its way to another database: the platform sends them again. */
  readonly isMoving: boolean;
}

/**
 * Passes comments from a platform's webhook to the automations of their posts at once, as if they had been
 * read there. Comments on unknown posts are ignored. If the webhook names no post, the posts of the account
 * are checked. Repeats change nothing. A project that moves keeps nothing of other projects.
 */
export async function receiveWebhook(
  deps: Deps,
  sender: Sender,
  received: readonly InboundComment[],
): Promise<ReceivedWebhook> {
  if (deps.databases === 1) return receiveIn(deps, sender, received);
  const accountIds = [...new Set(received.map(({ accountId }) => accountId))];
  let [fresh, isMoving] = [0, false];
  for (const database of await listDatabasesOf(deps, sender.platform, accountIds)) {
    const taken = await receiveIn(deps.in(database), sender, received);
    fresh += taken.fresh;
    isMoving ||= taken.isMoving;
  }
  return { received: received.length, fresh, isMoving };
}

async function receiveIn(
  deps: Deps,
  { platform, isTest }: Sender,
  received: readonly InboundComment[],
): Promise<ReceivedWebhook> {
  const named = received.flatMap(({ postId }) => (postId === null ? [] : [postId]));
  const posts = named.length === 0 ? [] : await listPublished(deps, platform, [...new Set(named)], isCovered);
  const byPost = new Map(posts.map((post) => [post.platformId, post]));
  const byTarget = Map.groupBy(received, ({ postId }) =>
    postId === null ? null : (byPost.get(postId)?.postId ?? null),
  );
  let [fresh, isMoving] = [0, false];
  for (const [postId, ofPost] of byTarget) {
    // Comments beyond the request's limits are left to the watches.
    if (postId === null || isNearlySpent(deps.meter)) continue;
    const { post, automations, actor, takenToday } = await readWatched(deps.db, postId);
    const standing = actor && standingOf(actor.project, deps.database);
    if (standing === "elsewhere") continue;
    if (standing === "moving") {
      isMoving = true;
      continue;
    }
    const isOurs =
      post?.state === "published" && actor?.project.isTest === isTest && actor.channel.disconnectedAt === null;
    // A poll of tomorrow brings what is beyond the day's quota.
    if (!isOurs || intakeWait(deps.config, "comments", takenToday, Date.now()) !== null) continue;
    const { accountId, username, collectsCommentsAt: collectsSince } = actor.channel;
    if (automations.length === 0 && collectsSince === null) continue;
    const comments = ofPost.flatMap((one) => (one.accountId === accountId ? [recognized(one.comment, username)] : []));
    const taken = await unlessMoving(async () => {
      const count = await ingestComments(deps, post, { automations, collectsSince }, comments);
      if (count > 0) await runBatch(deps.db, [restartWatches(deps.db, namedPosts([postId]), Date.now())]);
      return count;
    });
    fresh += taken ?? 0;
    isMoving ||= taken === null;
  }
  isMoving = (await unlessMoving(() => hurry(deps, platform, received))) === null || isMoving;
  return { received: received.length, fresh, isMoving };
}

/**
 * Instagram's webhooks use user ids that differ from the account's own id, so the username identifies the
 * account.
 */
function recognized(comment: ReadComment, username: string | null): ReadComment {
  const isNamed = username !== null && comment.author?.name?.toLowerCase() === username.toLowerCase();
  return comment.isOwn === null && isNamed ? { ...comment, isOwn: true } : comment;
}

/** Has the watches of accounts run soon if the webhook named no post. */
async function hurry(deps: Deps, platform: PlatformName, received: readonly InboundComment[]): Promise<boolean> {
  const accounts = new Set(received.flatMap(({ postId, accountId }) => (postId === null ? [accountId] : [])));
  for (const accountId of accounts) {
    if (isNearlySpent(deps.meter)) return true;
    const channels = await listChannelsOfAccount(deps, platform, accountId);
    const now = Date.now();
    const until = claimUntil(deps, now);
    const { claimed } = await writeTogether(deps.db, {
      claimed: channels.flatMap(({ id }) => [
        ...expediteWatches(deps.db, id, now, until),
        restartWatches(deps.db, newestPosts([id]), now),
      ]),
    });
    await sendClaimed(deps, commentWatches, claimed.filter(Array.isArray).flat());
  }
  return true;
}
