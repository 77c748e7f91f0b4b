import type { SQL } from "drizzle-orm";
import { accessAs } from "../channels/acting.ts";
import { findActor } from "../channels/store.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { DAY, HOUR, MINUTE } from "../core/time.ts";
import { runBatch, type Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import { adapted, type Recurrence, type RecurringHandler } from "../jobs/recurring.ts";
import { type RecurringTask, scheduleTask } from "../jobs/recurring-store.ts";
import { findPlatform } from "../platforms/registry.ts";
import { PERMALINK } from "./jobs.ts";
import { findPostOfJob, type Post, setPermalink } from "./store.ts";

/**
 * Some platforms tell the address of a live post late: the post is published without one, and this asks for it, ever more
 * seldom, for some days. A post may stay without.
 */
export const latePermalinks: RecurringHandler<Deps> = { kind: PERMALINK, queue: "publish", run: lookForPermalink };

const INTERVAL = { minMs: MINUTE, maxMs: 6 * HOUR };
/** After that nobody expects one any more. */
const LIMIT_MS = 7 * DAY;
const STOP = { kind: "stop" } as const;

/** Goes into the batch that publishes a post without its address. */
export function expectPermalink(deps: Deps, id: PostId, now: number, condition: SQL): Statement {
  const { minMs } = INTERVAL;
  const task = { key: `${PERMALINK}:${id}`, dueAt: now + minMs, intervalMs: minMs, now };
  return scheduleTask(deps.db, task, condition);
}

async function lookForPermalink(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const post = await findPostOfJob(deps.db, idOf<PostId>(Number(subject)));
  const [live] = post?.platformPosts ?? [];
  const now = Date.now();
  const isOver = now - task.createdAt > LIMIT_MS;
  if (!post || !live || post.state !== "published" || post.permalink !== null || isOver) return STOP;
  const access = await accessAs(deps, await findActor(deps.db, post.channelId), "publish");
  const platform = findPlatform(post.channelType);
  const permalink = access.kind === "ready" ? await platform?.posts.permalink(access.context, live) : null;
  if (!permalink) return { kind: "again", afterMs: adapted(task.intervalMs, false, INTERVAL) };
  await storePermalink(deps, post, permalink, now);
  return STOP;
}

async function storePermalink(deps: Deps, post: Post, permalink: string, now: number): Promise<void> {
  const event = {
    projectId: post.projectId,
    subject: "post",
    subjectId: post.id,
    type: "post.permalink",
    message: "The platform told its address.",
    detail: { permalink },
    at: now,
  } as const;
  const [lacksOne, change] = setPermalink(deps.db, post.id, permalink, now);
  await runBatch(deps.db, [insertEvent(deps.db, event, lacksOne), change]);
}
