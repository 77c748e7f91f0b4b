import { type SQL, sql } from "drizzle-orm";
import type { Cause } from "../core/failures.ts";
import { type CampaignId, idOf, type ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { scheduleTask } from "../jobs/recurring-store.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Job } from "../jobs/store.ts";
import { isJobOpen, openJob } from "../jobs/store.ts";
import { findPlatform } from "../platforms/registry.ts";
import { BOOST, CHANGE_LIMIT_MS, LOOK, LOOK_EVERY, REBOOST } from "./jobs.ts";
import { mostSpent } from "./money.ts";
import { isThere, updateCampaign } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";
import { apply, noteWait, readWork, startWork, tell, toBoost } from "./work.ts";

/**
 * Gives a campaign at its platform the terms that it has here. What the platform does not take is taken back here, so that both say the
 * same; should a part have been taken, the terms are those that it then says it has.
 */
export const reboostJob: JobHandler<Deps> = {
  kind: REBOOST,
  queues: ["campaigns"],
  limitMs: () => CHANGE_LIMIT_MS,
  version: 1,
  isLasting: () => false,
  run,
  fail,
  abandon,
  waiting: noteWait,
};

/** The job, due at once, while `condition` holds; its rows are for `wakeJobs`. */
export function openReboost(
  db: Db,
  { projectId, id, now }: { readonly projectId: ProjectId; readonly id: CampaignId; readonly now: number },
  condition: SQL,
) {
  const job = { kind: REBOOST, queue: "campaigns", projectId, subjectId: id, runAt: now, messageAt: now, now } as const;
  return openJob(db, { ...job, deadlineAt: now + CHANGE_LIMIT_MS }, condition);
}

const WAIT_SECONDS = 5;

async function run(deps: Deps, journal: Journal): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read || read.campaign.deletedAt !== null || isOver(read.campaign)) return end(journal);
  if (await isJobOpen(deps.db, `${BOOST}:${read.campaign.id}`)) {
    journal.later(WAIT_SECONDS, "Waiting until the campaign is made.", null);
  }
  const { applied, terms, revision } = read.campaign;
  if (applied === null || isSame(applied, terms)) return end(journal);
  const working = await startWork(deps, journal, read, false);
  const { ads, context, campaign } = working;
  const progress = ads.prepare ? await prepared(working, terms) : null;
  await apply(working, "change", () => ads.change(context, toBoost(working, applied), campaign.made, terms, progress));
  const now = Date.now();
  // Another change that came meanwhile is seen to by the next look.
  const asRead = sql`${journal.held} AND ${isThere(campaign.id)} AND ${isAt(campaign.id, revision)}`;
  await journal.finish([
    updateCampaign(
      deps.db,
      campaign.id,
      { applied: terms, reason: null, errorCode: null },
      now,
      sql`${journal.held} AND ${isThere(campaign.id)}`,
    ),
    tell(
      working,
      {
        type: "campaign.changed",
        message: "The platform has it as it was changed.",
        detail: { social_post_id: campaign.postId },
      },
      asRead,
    ),
    scheduleTask(
      deps.db,
      { key: `${LOOK}:${campaign.id}`, dueAt: now, intervalMs: LOOK_EVERY.review, now },
      sql`${journal.held} AND ${isThere(campaign.id)} AND NOT (${isAt(campaign.id, revision)})`,
    ),
  ]);
}

const isAt = (id: CampaignId, revision: number): SQL =>
  sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.revision = ${revision})`;

async function prepared(working: Parameters<typeof apply>[0], terms: StoredTerms) {
  const { ads, journal, context } = working;
  for (let progress = null; ; ) {
    await journal.checkpoint();
    const outcome = await ads.prepare?.(context, toBoost(working, terms), progress);
    if (!outcome || outcome.kind === "ready") return outcome?.progress ?? null;
    if (outcome.kind === "failed") {
      await apply(working, "prepare", async () => outcome);
      return null;
    }
    if (outcome.afterSeconds !== undefined)
      journal.later(outcome.afterSeconds, "The platform prepares the change.", null);
  }
}

export const isOver = ({ state }: Pick<Campaign, "state">) =>
  state === "failed" || state === "completed" || state === "deleted" || state === "rejected";

export const isSame = (one: StoredTerms, other: StoredTerms) => JSON.stringify(one) === JSON.stringify(other);

const end = async (journal: Journal): Promise<void> => void (await journal.finish([]));

/** The campaign goes on as the platform has it: with the budget that it tells, should a part of the change have been taken. */
async function fail(deps: Deps, journal: Journal, { code, message }: Cause): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read) return end(journal);
  const { campaign } = read;
  const before = campaign.applied ?? campaign.terms;
  const ads = findPlatform(campaign.platform)?.ads;
  const budgetMinor = (await budgetThere(deps, journal, read).catch(() => null)) ?? before.budgetMinor;
  const applied = { ...before, budgetMinor };
  const now = Date.now();
  const there = sql`${journal.held} AND ${isThere(campaign.id)}`;
  const committedMinor = Math.max(campaign.spendMinor, mostSpent(ads ?? {}, applied));
  const reason = `The change was not taken: ${message}`;
  await journal.finish([
    updateCampaign(
      deps.db,
      campaign.id,
      { terms: applied, applied, committedMinor, reason, errorCode: code },
      now,
      there,
    ),
    tell(
      { deps, journal, campaign },
      {
        type: "campaign.change_failed",
        message: reason,
        detail: { social_post_id: campaign.postId, error_code: code },
      },
      isThere(campaign.id),
    ),
  ]);
}

/** Null where the platform does not tell. */
async function budgetThere(deps: Deps, journal: Journal, read: NonNullable<Awaited<ReturnType<typeof readWork>>>) {
  const working = await startWork(deps, journal, read, false);
  const { ads, context, campaign } = working;
  const standing = await ads.read(context, toBoost(working, campaign.applied ?? campaign.terms), campaign.made);
  return standing.kind === "standing" ? standing.budgetMinor : null;
}

function abandon(deps: Deps, { subjectId }: Job, held: SQL): readonly Statement[] {
  const reason = "Whether the change was taken cannot be told; look at the platform.";
  return [updateCampaign(deps.db, idOf<CampaignId>(subjectId), { reason, errorCode: "unexpected" }, Date.now(), held)];
}
