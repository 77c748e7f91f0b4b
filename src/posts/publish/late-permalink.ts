import type { SQL } from "drizzle-orm";
import { accessAs } from "../../acting/acting.ts";
import { findActor } from "../../channels/store.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../core/time.ts";
import { runBatch, type Statement } from "../../db/client.ts";
import { adaptInterval, type Recurrence, type RecurringHandler } from "../../jobs/recurring.ts";
import { type RecurringTask, scheduleTask } from "../../jobs/recurring-store.ts";
import type { PlatformName } from "../../platforms/names.ts";
import type { PermalinkOutcome } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Deps } from "../../service/deps.ts";
import { postEvents } from "../events.ts";
import { PERMALINK } from "../jobs.ts";
import { setPermalink } from "../states.ts";
import { findPostOfJob, type Post } from "../store.ts";
import { settlePublication } from "./publications.ts";

/**
 * Some platforms report the address of a live post late. The post is published without it, and this task
 * polls for it at growing intervals for some days. The post may never get one.
 */
export const latePermalinks: RecurringHandler<Deps> = { kind: PERMALINK, queue: "publish", run: lookForPermalink };

const INTERVAL = { minMs: MINUTE, maxMs: 6 * HOUR };
/** How long to poll if the platform documents no period. */
const LIMIT_MS = 7 * DAY;
const STOP = { kind: "stop" } as const;

/** For the batch that publishes a post without its address. Nothing if the platform never reports one. */
export function expectPermalink(deps: Deps, { id, channelType }: Post, now: number, condition: SQL): Statement[] {
  if (permalinkOf(channelType) === null) return [];
  const { minMs } = INTERVAL;
  const task = { key: `${PERMALINK}:${id}`, dueAt: now + minMs, intervalMs: minMs, now };
  return [scheduleTask(deps.db, task, condition)];
}

/** How the platform reports addresses; null if it does not. */
function permalinkOf(platform: PlatformName) {
  const permalink = findPlatform(platform)?.posts.permalink;
  return permalink === undefined || permalink.shown === "never" ? null : permalink;
}

async function lookForPermalink(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const post = await findPostOfJob(deps.db, idOf<PostId>(Number(subject)));
  const [live] = post?.platformPosts ?? [];
  const now = Date.now();
  if (!post || !live || post.state !== "published" || post.permalink !== null) return STOP;
  const permalink = permalinkOf(post.channelType);
  const limitMs = permalink?.shown === "later" ? permalink.forSeconds * SECOND : LIMIT_MS;
  if (permalink === null || now - task.createdAt > limitMs) return STOP;
  const access = await accessAs(deps, await findActor(deps.db, post.channelId), "publish");
  const outcome = access.kind === "ready" ? await permalink.read(access.context, live) : null;
  if (outcome?.kind !== "found") return { kind: "again", afterMs: adaptInterval(task.intervalMs, false, INTERVAL) };
  await storePermalink(deps, post, outcome.post, now);
  return STOP;
}

async function storePermalink(
  deps: Deps,
  post: Post,
  live: Extract<PermalinkOutcome, { kind: "found" }>["post"],
  now: number,
): Promise<void> {
  const { permalink } = live;
  const event = {
    projectId: post.projectId,
    subjectId: post.id,
    type: "post.permalink",
    message: "The platform returned the permalink.",
    detail: { permalink },
    at: now,
  } as const;
  const platformPosts = [live, ...post.platformPosts.slice(1)];
  const [lacksOne, change] = setPermalink(deps.db, post.id, { permalink, platformPosts }, now);
  const publication = { platform: post.channelType, postId: post.id, item: 0 } as const;
  await runBatch(deps.db, [
    postEvents.insert(deps.db, event, lacksOne),
    // The id may have changed; look-ups of other posts must exclude it.
    ...settlePublication(deps.db, publication, live.id, lacksOne),
    change,
  ]);
}
