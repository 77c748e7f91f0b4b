import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { accessChannel } from "../channels/credentials.ts";
import { HOUR } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { jobKey } from "../jobs/messages.ts";
import type { JobHandler } from "../jobs/runner.ts";
import { GiveUp, type Journal } from "../jobs/steps.ts";
import { jobsTable } from "../jobs/table.ts";
import { findPlatform } from "../platforms/registry.ts";
import { findPostOfJob, type Post } from "./store.ts";
import { postEvent } from "./timeline.ts";

const REMOVAL_DEADLINE_MS = 24 * HOUR;

/** Takes a deleted post down at its platform: the job `unpublish:<post id>`. Removing twice is removing. */
export const unpublishJob: JobHandler = { run, fail };

/** Goes into the batch that deletes the post, or that finds it deleted after it went out. */
export function insertUnpublish(deps: Deps, post: Pick<Post, "id" | "projectId">, now: number, when: SQL): Statement {
  return deps.db
    .insert(jobsTable)
    .select(
      sql`SELECT ${jobKey("unpublish", post.id)}, 'unpublish', ${post.projectId}, ${post.id}, 'open', ${now}, ${now},
        NULL, NULL, 0, ${now + REMOVAL_DEADLINE_MS}, NULL, ${now}, NULL WHERE ${when}`,
    )
    .onConflictDoNothing()
    .returning({ key: jobsTable.key });
}

/** Sends the job's message when `insertUnpublish`, whose rows these are, made one. */
export async function wakeUnpublish(deps: Deps, post: Pick<Post, "id">, inserted: unknown): Promise<void> {
  if (!Array.isArray(inserted) || inserted.length === 0) return;
  await deps.jobs.send({ type: "job", key: jobKey("unpublish", post.id) });
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const post = await findPostOfJob(deps.db, journal.job.subjectId);
  const remove = post ? findPlatform(post.channelType)?.posts.remove : undefined;
  if (!post || !remove) {
    await journal.finish([]);
    return;
  }
  const access = await accessChannel(deps, post.channelId);
  if (access.kind === "reconnect_needed") throw new GiveUp(access.reason);
  if (access.kind === "later") return journal.later(access.seconds, access.reason);
  // The last item first: a thread never stands there without its end in sight of nobody.
  for (const live of [...post.platformPosts].reverse()) {
    await journal.step(`remove:${live.id}`, z.boolean(), async () => {
      const outcome = await remove(access.context, post.postType, live);
      if (outcome.kind === "removed") return true;
      switch (outcome.reason) {
        case "rejected":
        case "disconnected":
          throw new GiveUp(outcome.message);
        case "token_expired": {
          const renewed = await accessChannel(deps, post.channelId, true);
          if (renewed.kind === "reconnect_needed") throw new GiveUp(renewed.reason);
          return journal.laterWithBackoff("remove", outcome.message, { maxTries: 5 });
        }
        default:
          return journal.laterWithBackoff(
            "remove",
            outcome.message,
            outcome.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: outcome.retryAfterSeconds },
          );
      }
    });
  }
  await journal.finish([postEvent(deps, journal, "post.removed", "Taken down at the platform.")]);
}

async function fail(deps: Deps, journal: Journal, reason: string): Promise<void> {
  const message = `Deleted here, but it could not be taken down at the platform: ${reason}`;
  await journal.finish([postEvent(deps, journal, "post.removal_failed", message)]);
  deps.log.event("removal_failed", { key: journal.job.key });
}
