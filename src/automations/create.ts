import { sql } from "drizzle-orm";
import { claimSubscriptions, sendSubscriptions } from "../acting/subscribe-task.ts";
import { selectNamedCampaigns } from "../boosts/store.ts";
import { selectChannels } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { MINUTE } from "../core/time.ts";
import {
  type Answers,
  answersOf,
  type IdempotencyRecord,
  isChangedSince,
  listed,
  readTogether,
  requireStill,
  type Statement,
  type Statements,
  writeTogether,
} from "../db/client.ts";
import { scheduleTaskOf } from "../jobs/recurring-store.ts";
import { selectAtRest, takeBackPosts } from "../posts/rest/take-back.ts";
import { selectNamedPosts } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { type Advice, adviceOn } from "./advice.ts";
import { type Named, requireFitting } from "./checks.ts";
import { automationEvents } from "./events.ts";
import { BACKFILL_WATCHES } from "./jobs.ts";
import { isWithinQuota, requireRoomForBot } from "./quota.ts";
import type { CreateAutomationBody } from "./schema.ts";
import { toSettings } from "./settings.ts";
import { clearTargets, findAutomation, insertAutomation, insertTargets, newestAutomationId } from "./store.ts";
import type { Automation, Settings } from "./table.ts";
import { chosenPosts, newestPosts, watchPosts } from "./watch-store.ts";

export interface CreatedAutomation {
  readonly automation: Automation;
  readonly advice: Advice;
}

/**
 * Creates a comment automation (spec 4.8), which is active from now on: two D1 calls. Errors: a 422 that
 * names the channel, post or campaign that the project does not have, or the text that is too long for a
 * channel.
 */
export async function createAutomation(
  deps: Deps,
  caller: Caller,
  body: CreateAutomationBody,
  idempotency: IdempotencyRecord | null,
): Promise<CreatedAutomation> {
  const { db } = deps;
  const settings = toSettings(body);
  const { record, ...named } = await readNamed(deps, caller, settings, idempotency);
  idempotency?.check(record);
  requireFitting(settings, named);
  const now = Date.now();
  const { automations, subscriptions } = await writeWithinQuota(deps, caller, settings.channelIds, {
    automations: insertAutomation(db, caller.projectId, settings, now),
    subscriptions: claimSubscriptions(deps, settings.channelIds, now),
    answering: beginAnswering(deps, settings, now),
    event: automationEvents.insert(db, {
      projectId: caller.projectId,
      subjectId: newestAutomationId,
      type: "automation.created",
      message: "The comment automation was created.",
      detail: {},
      at: now,
    }),
    record: idempotency?.write(sql`CAST(${newestAutomationId} AS TEXT)`) ?? null,
  });
  const [automation] = automations;
  if (!automation) throw new Error("The automation was not stored.");
  await sendSubscriptions(deps, subscriptions);
  return { automation, advice: adviceOn(settings, named.channels, now) };
}

/** Runs the statements that create a bot, with its quota checked in the same transaction. */
async function writeWithinQuota<const Given extends Statements>(
  deps: Deps,
  { projectId }: Caller,
  channelIds: Settings["channelIds"],
  statements: Given,
): Promise<Answers<Given>> {
  const isWithin = requireStill(deps.db, isWithinQuota(deps.config, { projectId, isNew: true }, channelIds));
  try {
    const { written } = await writeTogether(deps.db, { written: listed(statements), isWithin });
    return answersOf(statements, written);
  } catch (error) {
    if (isChangedSince(error)) await requireRoomForBot(deps, { projectId, isNew: true }, channelIds);
    throw error;
  }
}

/** The automation of an earlier request with the same `Idempotency-Key`. */
export async function findCreatedAutomation(
  deps: Deps,
  caller: Caller,
  stored: string,
): Promise<CreatedAutomation | null> {
  const automation = await findAutomation(deps.db, caller.projectId, Number(stored) as Automation["id"]);
  if (!automation) return null;
  const channels = await selectChannels(deps.db, caller.projectId, automation.channelIds);
  return { automation, advice: adviceOn(automation, channels, Date.now()) };
}

/**
 * The channels and posts of the settings that the project has: one D1 call. Posts at rest are taken back, so
 * that they can be polled.
 */
export async function readNamed(
  deps: Deps,
  { projectId }: Caller,
  { channelIds, postIds, campaignIds }: Settings,
  idempotency: IdempotencyRecord | null = null,
): Promise<Named & { readonly record: unknown }> {
  const { db } = deps;
  const { channels, posts, kept, campaigns, record } = await readTogether(db, {
    channels: selectChannels(db, projectId, channelIds),
    posts: postIds === null ? null : selectNamedPosts(db, projectId, postIds),
    kept: postIds === null ? null : selectAtRest(db, projectId, postIds),
    campaigns: campaignIds === null ? null : selectNamedCampaigns(db, projectId, campaignIds),
    record: idempotency?.read ?? null,
  });
  await takeBackPosts(deps, kept ?? []);
  return { channels, posts: posts ?? [], campaigns: campaigns ?? [], record };
}

/**
 * Statements that store an automation's targets and start the polls of its posts, for the batch that creates,
 * starts or changes it.
 */
export function beginAnswering(
  { db }: Deps,
  settings: Settings,
  now: number,
  id: Automation["id"] | typeof newestAutomationId = newestAutomationId,
): Statement[] {
  const chosen = chosenPosts(settings);
  return [
    ...(id === newestAutomationId ? [] : [clearTargets(db, id)]),
    insertTargets(db, id, settings),
    // The task that begins here does the older posts.
    watchPosts(db, chosen ?? newestPosts(settings.channelIds), now),
    ...(chosen
      ? []
      : [scheduleTaskOf(db, { kind: BACKFILL_WATCHES, subject: id, dueAt: now + MINUTE, intervalMs: MINUTE, now })]),
  ];
}
