import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { expiredAccessRequests } from "../access/store.ts";
import { hasProjectsBefore } from "../accounts/list-projects.ts";
import { forgetTokens, hasForgettableTokens } from "../accounts/tokens.ts";
import { expiredPaces } from "../acting/pace.ts";
import { hasUntidyPages, tidyPages } from "../archive/tidy.ts";
import { expiredAudit } from "../audit/store.ts";
import { expiredAuthors, forgetReplies, hasOldReplies } from "../automations/reply-store.ts";
import { forgetDeletedAutomations, hasDeletedAutomations } from "../automations/store.ts";
import { isWatched } from "../automations/watch-store.ts";
import { forgetDeletedCampaigns, hasDeletedCampaigns } from "../boosts/forget.ts";
import { hasCampaign } from "../boosts/store.ts";
import { expiredLimits } from "../channels/rate-limits.ts";
import { forgetActs, hasOldActs } from "../comments/act-store.ts";
import { COMMENT_LIFE_MS, forgetComments, hasOldComments } from "../comments/store.ts";
import { expiredConnectRows } from "../connect/store.ts";
import { expiredDeauthorizations } from "../consent/store.ts";
import { expiredMessages } from "../conversations/store.ts";
import { DAY } from "../core/time.ts";
import { expiredAllowances } from "../db/allowances.ts";
import { runBatch } from "../db/client.ts";
import { deleteExpired, type Expired, hasExpired } from "../db/expired.ts";
import { EVENT_LIFE_MS, EventPosition, forgetOldEvents } from "../events/store.ts";
import { deleteUnusedFiles } from "../files/delete-unused.ts";
import { hasUnusedFiles } from "../files/store.ts";
import { expireGenerations, forgetDeletedGenerations, hasOldGenerations } from "../generations/store.ts";
import { expiredIdempotencyKeys } from "../http/store.ts";
import { expiredInsights, forgetOldInsights, forgetPostInsights, isForgettingDue } from "../insights/store.ts";
import { forgetOldJobs } from "../jobs/sweep.ts";
import { notePlace, placeOf, readNotes, storeNotes } from "../jobs/sweep-notes.ts";
import { hasOldJobs } from "../jobs/sweep-store.ts";
import { expiredSignIns } from "../people/forget.ts";
import { expiredAdoptions } from "../posts/publish/publications.ts";
import { restingPosts } from "../posts/rest/move.ts";
import { isWalkDue, walkOldPosts } from "../posts/rest/old-posts.ts";
import { postsInPage } from "../posts/rest/read.ts";
import { forgetDeletedPosts, hasDeletedPosts } from "../posts/store.ts";
import { oldTimelines } from "../posts/timelines/move.ts";
import { expiredDeletionLists } from "../projects/deletion/store.ts";
import type { Deps } from "../service/deps.ts";
import { expiredSpending } from "../spending/store.ts";
import { expiredUsage } from "../usage/store.ts";
import { expiredDeliveries } from "../webhooks/store.ts";

/** What the sweep forgets: rows and files past their lifetimes. */

/** docs/storage.md lists the retention times. */
const DELETED_POST_LIFE_MS = 30 * DAY;
const DELIVERY_LIFE_MS = 30 * DAY;
/** For generations, and for the authors to whom an automation that replies once has replied. */
const YEAR_MS = 365 * DAY;
const CHUNK = 500;
/** Rows that one sweep deletes per kind: more than a busy minute creates, yet a short statement. */
const FORGET_CHUNK = 20_000;
/** Each token costs two calls to its storages. */
const FORGET_TOKENS = 50;

const oldPosts = restingPosts([isWatched, hasCampaign]);

/** Which of these parts have work, by their names. */
export const leftoverConditions = (deps: Deps, now: number): Readonly<Record<string, SQL>> => ({
  forgetShortLived: hasExpired(shortLived(now, deps)),
  forgetTokens: hasForgettableTokens(now),
  forgetFiles: hasUnusedFiles(),
  // No event is older than the first project.
  forgetEvents: hasProjectsBefore(now - EVENT_LIFE_MS),
  forgetOldJobs: hasOldJobs(now),
  forgetDeletedAutomations: hasDeletedAutomations(now),
  forgetComments: hasOldComments(now - COMMENT_LIFE_MS),
  forgetActs: hasOldActs(now - COMMENT_LIFE_MS),
  forgetReplies: hasOldReplies(now - COMMENT_LIFE_MS),
  forgetInsights: isForgettingDue(now),
  forgetDeletedCampaigns: hasDeletedCampaigns(now - DELETED_POST_LIFE_MS),
  forgetGenerations: hasOldGenerations(now - YEAR_MS, now - DELETED_POST_LIFE_MS),
  forgetDeletedPosts: hasDeletedPosts(now - DELETED_POST_LIFE_MS),
  moveOldTimelines: isWalkDue(oldTimelines, now),
  moveOldPosts: isWalkDue(oldPosts, now),
  tidyPages: hasUntidyPages(now),
});

/**
 * Events checked per sweep, and deleted if old: the events of half a year at 25,000 posts a day take two
 * days.
 */
const EVENTS_A_SWEEP = 5_000;

/** Continues where the previous sweep stopped, which a note has. */
async function continueFromNote<Position>(
  { db }: Deps,
  name: string,
  schema: z.ZodType<Position>,
  walk: (from: Position | null) => Promise<Position | null>,
): Promise<void> {
  const notes = await readNotes(db);
  notePlace(notes, name, await walk(placeOf(notes, name, schema)));
  await storeNotes(db, notes);
}

const shortLived = (now: number, { databases }: Pick<Deps, "databases">): readonly Expired[] => [
  ...expiredConnectRows(now, FORGET_CHUNK),
  expiredIdempotencyKeys(now, FORGET_CHUNK),
  expiredLimits(now),
  expiredPaces(now),
  expiredAuthors(now - YEAR_MS, FORGET_CHUNK),
  ...expiredUsage(now, FORGET_CHUNK),
  expiredDeliveries(now - DELIVERY_LIFE_MS, FORGET_CHUNK),
  ...expiredSignIns(now, FORGET_CHUNK),
  expiredAllowances(now, FORGET_CHUNK),
  expiredAccessRequests(now, FORGET_CHUNK),
  expiredSpending(now, FORGET_CHUNK),
  expiredAudit(now, FORGET_CHUNK),
  expiredInsights(now, FORGET_CHUNK),
  ...expiredMessages(now, FORGET_CHUNK),
  expiredDeletionLists(now),
  expiredDeauthorizations(now, FORGET_CHUNK),
  ...(databases > 1 ? [expiredAdoptions(now)] : []),
];

/** What each part may delete, and how fast: docs/storage.md, Retention. */
export function forgetLeftovers(deps: Deps, now: number) {
  const { db } = deps;
  return {
    forgetShortLived: () => runBatch(db, deleteExpired(db, shortLived(now, deps))),
    forgetTokens: () => forgetTokens(deps, now, FORGET_TOKENS),
    forgetFiles: () => continueFromNote(deps, "files", z.number(), (from) => deleteUnusedFiles(deps, now, from)),
    forgetEvents: () =>
      continueFromNote(deps, "events", EventPosition, (from) =>
        forgetOldEvents(db, now - EVENT_LIFE_MS, from, EVENTS_A_SWEEP),
      ),
    forgetOldJobs: () => forgetOldJobs(deps, now),
    forgetDeletedAutomations: () => forgetDeletedAutomations(db, now, 10 * CHUNK),
    forgetComments: () => forgetComments(db, now - COMMENT_LIFE_MS, FORGET_CHUNK),
    forgetActs: () => forgetActs(db, now - COMMENT_LIFE_MS, FORGET_CHUNK),
    forgetReplies: () => forgetReplies(db, now - COMMENT_LIFE_MS, FORGET_CHUNK),
    forgetInsights: () => forgetOldInsights(db, now, FORGET_CHUNK),
    forgetDeletedCampaigns: () => forgetDeletedCampaigns(db, now - DELETED_POST_LIFE_MS, CHUNK),
    async forgetGenerations() {
      await expireGenerations(db, now - YEAR_MS, now, CHUNK);
      await forgetDeletedGenerations(db, now - DELETED_POST_LIFE_MS, CHUNK);
    },
    forgetDeletedPosts: () =>
      forgetDeletedPosts(db, now - DELETED_POST_LIFE_MS, 10 * CHUNK, (ids) => [forgetPostInsights(db, ids)]),
    moveOldTimelines: () => walkOldPosts(deps, oldTimelines, now),
    moveOldPosts: () => walkOldPosts(deps, oldPosts, now),
    tidyPages: () => tidyPages(deps, now, postsInPage),
  };
}
