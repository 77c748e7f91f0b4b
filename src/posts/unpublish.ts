import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { type Acting, actAs, handleFailure } from "../channels/acting.ts";
import { findActor } from "../channels/store.ts";
import { idOf, type PostId } from "../core/ids.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Job } from "../jobs/store.ts";
import { findPlatform } from "../platforms/registry.ts";
import { recordWait } from "./outcome.ts";
import { findPostOfJob, markRemoval } from "./store.ts";
import { postEvent } from "./timeline.ts";

/**
 * Takes a deleted post down at its platform: the job `unpublish:<post id>`. Removing twice is removing. It waits for a
 * channel that needs its person, up to its deadline and again after a reconnection (removals.ts); at the end it says
 * that the post may still be up.
 */
export const unpublishJob: JobHandler<Deps> = {
  version: 1,
  isLasting: (step) => step.startsWith("remove:"),
  run,
  fail,
  abandon,
  waiting: recordWait,
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const post = await findPostOfJob(deps.db, idOf<PostId>(journal.job.subjectId));
  const remove = post ? findPlatform(post.channelType)?.posts.remove : undefined;
  if (!post || !remove) {
    await journal.finish([]);
    return;
  }
  const acting: Acting = { deps, journal, isPatient: true };
  const { channel, context } = await actAs(acting, await findActor(deps.db, post.channelId));
  // The last item first: a thread never stands there without its end in sight of nobody.
  for (const live of [...post.platformPosts].reverse()) {
    const step = `remove:${live.id}`;
    if (journal.read(step, z.literal(true))) continue;
    await journal.keepLease();
    const outcome = await remove(context, post.postType, live);
    if (outcome.kind === "failed") return handleFailure(acting, channel, outcome, "remove");
    await journal.write(step, true);
  }
  await journal.finish([
    markRemoval(deps.db, post.id, "done", journal.held),
    postEvent(deps, journal, "post.removed", "Taken down at the platform."),
  ]);
}

async function fail(deps: Deps, journal: Journal, reason: string): Promise<void> {
  const message = `Deleted here, but it may still be up on the platform; check the channel. ${reason}`;
  await journal.finish([
    markRemoval(deps.db, idOf<PostId>(journal.job.subjectId), "given_up", journal.held),
    postEvent(deps, journal, "post.removal_failed", message),
  ]);
  deps.log.event("removal_failed", { key: journal.job.key });
}

function abandon(deps: Deps, { projectId, subjectId }: Job, held: SQL): readonly Statement[] {
  const message = "Deleted here, but our records of it cannot be read any more: it may still be up; check the channel.";
  const event = {
    projectId,
    subject: "post",
    subjectId,
    type: "post.removal_failed",
    message,
    at: Date.now(),
  } as const;
  return [markRemoval(deps.db, idOf<PostId>(subjectId), "given_up", held), insertEvent(deps.db, event, held)];
}
