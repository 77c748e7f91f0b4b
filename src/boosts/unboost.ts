import { type SQL, sql } from "drizzle-orm";
import type { Cause } from "../core/failures.ts";
import { type CampaignId, idOf } from "../core/ids.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import { isJobOpen, type Job } from "../jobs/store.ts";
import { campaignEvents } from "./events.ts";
import { BOOST, REBOOST, REMOVAL_LIMIT_MS, UNBOOST } from "./jobs.ts";
import { updateCampaign } from "./store.ts";
import { apply, noteWait, readWork, startWork, tell, toBoost } from "./work.ts";

/**
 * Ends a deleted campaign at its platform. It waits for whatever works on it, so that nothing comes into being behind its back, and for
 * a channel that needs its person. To remove what is gone is done.
 */
export const unboostJob: JobHandler<Deps> = {
  kind: UNBOOST,
  queues: ["campaigns"],
  limitMs: () => REMOVAL_LIMIT_MS,
  version: 1,
  isLasting: () => false,
  run,
  fail,
  abandon,
  waiting: noteWait,
};

const WAIT_SECONDS = 5;

async function run(deps: Deps, journal: Journal): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read) return void (await journal.finish([]));
  const { id, made, terms, applied, postId } = read.campaign;
  const keys = [BOOST, REBOOST].map((kind) => `${kind}:${id}`);
  for (const key of keys) {
    if (await isJobOpen(deps.db, key))
      journal.later(WAIT_SECONDS, "Waiting until it is known what there is of it.", null);
  }
  const working = Object.keys(made).length === 0 ? null : await startWork(deps, journal, read, true);
  if (working) {
    const boost = toBoost(working, applied ?? terms);
    await apply(working, "remove", () => working.ads.remove(working.context, boost, made));
  }
  const figures = working ? await working.ads.read(working.context, toBoost(working, applied ?? terms), made) : null;
  const spendMinor = figures?.kind === "standing" ? figures.spendMinor : read.campaign.spendMinor;
  await journal.finish([
    updateCampaign(deps.db, id, { spendMinor, committedMinor: spendMinor }, Date.now(), journal.held),
    tell(
      { deps, journal, campaign: read.campaign },
      {
        type: "campaign.removed",
        message: "Nothing of it is at the platform any more.",
        detail: { social_post_id: postId },
      },
    ),
  ]);
}

async function fail(deps: Deps, journal: Journal, { code, message }: Cause): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read) return void (await journal.finish([]));
  const { campaign } = read;
  const sentence = `Deleted here, but it may still be at the platform, and spend; look there. ${message}`;
  await journal.finish([
    tell(
      { deps, journal, campaign },
      {
        type: "campaign.removal_failed",
        message: sentence,
        detail: { social_post_id: campaign.postId, error_code: code },
      },
    ),
  ]);
  deps.log.event("removal_failed", { key: journal.job.key });
}

function abandon(deps: Deps, { projectId, subjectId }: Job, held: SQL): readonly Statement[] {
  const message =
    "Deleted here, but our records of it cannot be read any more: it may still be at the platform; look there.";
  const event = {
    projectId,
    subjectId,
    type: "campaign.removal_failed",
    message,
    detail: { social_post_id: 0, error_code: "unexpected" },
    at: Date.now(),
  } as const;
  return [campaignEvents.insert(deps.db, event, sql`${held} AND ${idOf<CampaignId>(subjectId)} > 0`)];
}
