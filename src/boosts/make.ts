import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { asking, failedLook, handleFailure, heedLimits } from "../channels/acting.ts";
import type { Cause } from "../core/failures.ts";
import { type CampaignId, idOf } from "../core/ids.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { type Acted, type Found, GiveUp } from "../jobs/once.ts";
import { lagOf } from "../jobs/patience.ts";
import { scheduleTask } from "../jobs/recurring-store.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Job } from "../jobs/store.ts";
import type { Boost, FindMadeOutcome, Made, MakeOutcome } from "../platforms/advertising.ts";
import type { Failure, Json } from "../platforms/context.ts";
import { campaignEvents } from "./events.ts";
import { BOOST, BOOST_LIMIT_MS, LOOK, LOOK_EVERY } from "./jobs.ts";
import { isThere, noteMade, updateCampaign } from "./store.ts";
import { StoredTerms } from "./stored.ts";
import { apply, noteWait, readWork, startWork, tell, toBoost, type Working } from "./work.ts";

/**
 * Makes a campaign at its platform: its objects one after the other, each at most once, all switched off, and then switched on. Nothing
 * is begun for a campaign that was deleted; what is there then is removed by another job (unboost.ts), which waits for this one.
 */
export const boostJob: JobHandler<Deps> = {
  kind: BOOST,
  queues: ["campaigns"],
  limitMs: () => BOOST_LIMIT_MS,
  version: 1,
  isLasting: (step) => step.startsWith("make:") || step === ENABLE || step === TERMS,
  run,
  fail,
  abandon,
  waiting: noteWait,
};

const TERMS = "terms";
const ENABLE = "enable";
const PREPARED = "prepared";
const makeStep = (object: string) => `make:${object}`;

class Deleted extends Error {}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read || (read.campaign.deletedAt !== null && !journal.isUnsure())) {
    await journal.finish([]);
    return;
  }
  if (read.campaign.deletedAt === null && !read.post?.platformPosts[0])
    throw new GiveUp("unexpected", "The post of the campaign is not there any more.");
  // Of a deleted one only what may be there is looked for: that waits for the channel.
  const working = await startWork(deps, journal, read, read.campaign.deletedAt !== null);
  try {
    const { terms, startAt } = await begin(working);
    const boost = toBoost(working, terms, startAt);
    const made = await makeAll(working, boost);
    await enable(working, boost, made);
    await conclude(working, terms);
  } catch (error) {
    if (!(error instanceof Deleted)) throw error;
    await journal.finish([]);
  }
}

const Begun = z.object({ terms: StoredTerms, startAt: z.number() });

/** The terms with which it is made, and from when on, as its first delivery had them: what is sent is what is looked for. */
async function begin({ deps, journal, campaign }: Working): Promise<z.output<typeof Begun>> {
  const known = journal.read(TERMS, Begun);
  if (known) return known;
  const now = Date.now();
  const begun = { terms: campaign.terms, startAt: now };
  const changes = { state: "creating", startAt: now } as const;
  await journal.write(TERMS, begun, [
    updateCampaign(deps.db, campaign.id, changes, now, sql`${journal.held} AND state = 'queued'`),
  ]);
  return begun;
}

const Prepared = z.object({ isReady: z.boolean(), progress: z.custom<Json>(() => true) });

async function prepare(working: Working, boost: Boost): Promise<Json> {
  const { journal, ads } = working;
  if (!ads.prepare) return null;
  let known = journal.read(PREPARED, Prepared);
  while (!known?.isReady) {
    heedLimits(working);
    await journal.checkpoint();
    const outcome = await ads.prepare(asking(working), boost, known?.progress ?? null);
    if (outcome.kind === "failed") return handleFailure(working, outcome, PREPARED);
    known = { isReady: outcome.kind === "ready", progress: outcome.progress };
    await journal.write(PREPARED, known);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined)
      journal.later(outcome.afterSeconds, outcome.reason ?? "The platform prepares the post.", null);
  }
  return known.progress;
}

async function makeAll(working: Working, boost: Boost): Promise<Made> {
  let made: Made = working.campaign.made;
  const progress = await prepare(working, boost);
  for (const object of working.ads.objects) {
    const id = made[object] ?? (await make(working, boost, object, made, progress));
    made = { ...made, [object]: id };
  }
  return made;
}

const MadeObject = z.object({ id: z.string() });

async function make(working: Working, boost: Boost, object: string, made: Made, progress: Json): Promise<string> {
  const { deps, journal, ads, campaign } = working;
  const step = makeStep(object);
  if (!journal.isUnsure()) heedLimits(working);
  let isSure = false;
  const outcome = await journal.once<z.output<typeof MadeObject>, Failure>(step, {
    schema: MadeObject,
    doubt: { unsure: "may_be_published", duplicate: "duplicate" },
    ...lagOf(deps.config, ads.lagSeconds),
    // Where another one does no harm, nothing is waited for.
    get refusesRepeat() {
      return isSure;
    },
    isPatient: campaign.deletedAt !== null,
    unless: sql`NOT (${isThere(campaign.id)})`,
    settles: ({ id }) => [noteMade(deps.db, campaign.id, object, id, journal.held)],
    act: async () => toActed(await ads.make(asking(working), boost, object, made, progress)),
    async find(since) {
      const found = await ads.find(asking(working), boost, object, made, since);
      isSure = found.kind === "absent" && found.isSure === true;
      return toFound(working, found);
    },
  });
  switch (outcome.kind) {
    case "done":
      return outcome.value.id;
    case "forbidden":
      throw new Deleted();
    case "refused":
      return handleFailure(working, outcome.failure, step);
    case "gave_up":
      throw new GiveUp(outcome.cause.code, outcome.cause.message);
  }
}

function toActed(outcome: MakeOutcome): Acted<z.output<typeof MadeObject>, Failure> {
  switch (outcome.kind) {
    case "made":
      return { kind: "done", value: { id: outcome.id } };
    case "unknown":
      return { kind: "unsure", message: outcome.message };
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

async function toFound(working: Working, outcome: FindMadeOutcome): Promise<Found<z.output<typeof MadeObject>>> {
  switch (outcome.kind) {
    case "found":
      return { kind: "found", value: { id: outcome.id } };
    case "absent":
      return { kind: "absent" };
    case "unknown":
      return { kind: "unclear", message: outcome.message };
    case "failed":
      return failedLook(working, outcome);
  }
}

/**
 * From here on it spends. The intent is stored only while the campaign is there, and to switch on what is on does no harm: so a
 * delivery that dies here does it again, and a deletion that comes after the intent is followed by the removal.
 */
async function enable(working: Working, boost: Boost, made: Made): Promise<void> {
  const { journal, ads, campaign } = working;
  const outcome = await journal.once<true, Failure>(ENABLE, {
    schema: z.literal(true),
    doubt: { unsure: "may_be_published", duplicate: "duplicate" },
    lagMs: 0,
    refusesRepeat: true,
    isPatient: true,
    unless: sql`NOT (${isThere(campaign.id)})`,
    async act() {
      const applied = await ads.enable(asking(working), boost, made);
      if (applied.kind === "done") return { kind: "done", value: true };
      return applied.reason === "down"
        ? { kind: "unsure", message: applied.message }
        : { kind: "refused", failure: applied };
    },
    // Not looked for, but done again.
    find: async () => ({ kind: "absent" }),
  });
  if (outcome.kind === "forbidden") throw new Deleted();
  if (outcome.kind === "refused") await handleFailure(working, outcome.failure, ENABLE);
  if (outcome.kind === "gave_up") throw new GiveUp(outcome.cause.code, outcome.cause.message);
}

async function conclude(working: Working, terms: StoredTerms): Promise<void> {
  const { deps, journal, campaign } = working;
  const now = Date.now();
  const there = sql`${journal.held} AND ${isThere(campaign.id)}`;
  const changes = { state: "in_review", reason: null, errorCode: null, applied: terms } as const;
  const dueAt = now + firstLookMs(deps);
  await journal.finish([
    updateCampaign(deps.db, campaign.id, changes, now, there),
    tell(
      working,
      {
        type: "campaign.submitted",
        message: "At the platform, which reviews it.",
        detail: { social_post_id: campaign.postId },
      },
      isThere(campaign.id),
    ),
    scheduleTask(deps.db, { key: `${LOOK}:${campaign.id}`, dueAt, intervalMs: LOOK_EVERY.review, now }, there),
  ]);
}

const firstLookMs = ({ config }: Pick<Deps, "config">) => Math.ceil(LOOK_EVERY.review / config.paceFactor);

/** What was made of it is taken away first: a campaign that failed has nothing that could come to spend. */
async function fail(deps: Deps, journal: Journal, cause: Cause): Promise<void> {
  const read = await readWork(deps, journal);
  if (!read) return void (await journal.finish([]));
  const { campaign } = read;
  const isUndone = await undo(deps, journal, read).catch((error: unknown) => {
    deps.log.error("boost_not_undone", error, { key: journal.job.key });
    return false;
  });
  const rest = isUndone ? "" : " Something of it may be at the platform, switched off; look there.";
  const now = Date.now();
  const there = sql`${journal.held} AND ${isThere(campaign.id)}`;
  const message = `${cause.message}${rest}`;
  await journal.finish([
    updateCampaign(
      deps.db,
      campaign.id,
      { state: "failed", reason: message, errorCode: cause.code, committedMinor: 0 },
      now,
      there,
    ),
    tell(
      { deps, journal, campaign },
      { type: "campaign.failed", message, detail: { social_post_id: campaign.postId, error_code: cause.code } },
      isThere(campaign.id),
    ),
  ]);
}

/** Whether nothing is left of it. */
async function undo(
  deps: Deps,
  journal: Journal,
  read: NonNullable<Awaited<ReturnType<typeof readWork>>>,
): Promise<boolean> {
  if (Object.keys(read.campaign.made).length === 0) return !journal.isUnsure();
  const working = await startWork(deps, journal, read, false);
  const terms = journal.read(TERMS, StoredTerms) ?? read.campaign.terms;
  await apply(working, "undo", () => working.ads.remove(working.context, toBoost(working, terms), read.campaign.made));
  return !journal.isUnsure();
}

function abandon(deps: Deps, { projectId, subjectId }: Job, held: SQL): readonly Statement[] {
  const id = idOf<CampaignId>(subjectId);
  const message =
    "Something went wrong on our side, several times. Something of it may be at the platform; look there.";
  const now = Date.now();
  const event = {
    projectId,
    subjectId,
    type: "campaign.failed",
    message,
    detail: { social_post_id: 0, error_code: "unexpected" },
    at: now,
  } as const;
  return [
    updateCampaign(deps.db, id, { state: "failed", reason: message, errorCode: "unexpected" }, now, held),
    campaignEvents.insert(deps.db, event, held),
  ];
}
