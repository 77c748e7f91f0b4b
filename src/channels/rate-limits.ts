import { lt, type SQL, sql } from "drizzle-orm";
import type { ChannelId } from "../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Journal } from "../jobs/journal.ts";
import type { WaitCause } from "../jobs/outcomes.ts";
import type { ReachedLimit } from "../platforms/context.ts";
import type { PlatformName } from "../platforms/names.ts";
import { type Act, rateLimitsTable } from "./table.ts";

/**
 * Allowances of a platform that are used up (design.md, Pacing). Whoever learns of one, by a refusal or by a
 * header before any, stores until when; whatever else needs it waits until then without asking the platform,
 * and is woken a little apart from the others. An account's is that of the account in every project, our
 * app's is everyone's; those of the sandbox stand beside those of the real platforms. A row counts until its
 * time and not a moment longer.
 */
export type StoredRateLimit = typeof rateLimitsTable.$inferSelect;

/** Whose allowance, and for what. */
export interface RateLimitKey {
  readonly platform: PlatformName;
  readonly accountId: string;
  readonly isTest: boolean;
  readonly act: Act;
}

/** The longest day of any zone: whatever a platform says, it is asked again after that. */
const LONGEST_MS = 25 * HOUR;
/** Shorter ones concern the call that learned of it only. */
const SHORTEST_MS = SECOND;
/**
 * Those who wait are woken over a tenth of the wait, but over so much at most: an account's few, or
 * everyone's.
 */
const SPREAD = 0.1;
const FIRST_SPREAD_MS = 3 * SECOND;
const LONGEST_SPREAD_MS = { account: 2 * MINUTE, app: 10 * MINUTE };

/** What a statement about a channel joins: that channel, its project, and what is used up for either. */
const ofChannel = (id: ChannelId | SQL) => sql`channels AS limited JOIN projects ON projects.id = limited.project_id
  JOIN rate_limits ON rate_limits.platform = limited.platform AND rate_limits.account_id IN (limited.account_id, '')
    AND rate_limits.is_test = projects.is_test
  WHERE limited.id = ${id}`;

/**
 * For a batch: what is, or was lately, used up for the channel. Reads the channel, its project, and two index
 * entries.
 */
export function selectRateLimits(db: Db, id: ChannelId | SQL) {
  return db
    .select()
    .from(rateLimitsTable)
    .where(
      sql`(rate_limits.platform, rate_limits.account_id, rate_limits.is_test) IN (SELECT limited.platform, asked.value, projects.is_test
        FROM channels AS limited JOIN projects ON projects.id = limited.project_id
        JOIN json_each(json_array('', limited.account_id)) AS asked WHERE limited.id = ${id})`,
    );
}

/** True while the channel must not be asked to do this. */
export function isRateLimited(id: SQL, act: Act, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM ${ofChannel(id)} AND rate_limits.act = ${act} AND rate_limits.until > ${now})`;
}

/** The allowance that keeps this from being done now, of several the last to come back; null for none. */
export function activeLimit(limits: readonly StoredRateLimit[], act: Act, now: number): ActiveLimit | null {
  const standing = limits.filter((limit) => limit.act === act && limit.until > now);
  const last = standing.toSorted((a, b) => b.until - a.until)[0];
  if (!last) return null;
  const { accountId, since, until, message } = last;
  return { scope: accountId === "" ? "app" : "account", act, since, until, message };
}

/** An allowance that is used up now. */
export interface ActiveLimit extends ReachedLimit {
  readonly act: Act;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** As it counts from now on; null where it is over so soon that nobody needs to know. */
export function toActiveLimit({ until, ...usedUp }: ReachedLimit, act: Act, now: number): ActiveLimit | null {
  if (until - now < SHORTEST_MS) return null;
  return { ...usedUp, act, since: now, until: Math.min(until, now + LONGEST_MS) };
}

/** Stores it for all others. Of two for the same the longer one counts. */
export function storeRateLimit(db: Db, { platform, accountId, isTest }: RateLimitKey, limit: ActiveLimit): Statement {
  const { scope, act, since, until, message } = limit;
  return db
    .insert(rateLimitsTable)
    .values({ platform, accountId: scope === "app" ? "" : accountId, isTest, act, since, until, message })
    .onConflictDoUpdate({
      target: [rateLimitsTable.platform, rateLimitsTable.accountId, rateLimitsTable.isTest, rateLimitsTable.act],
      set: {
        since: sql`CASE WHEN rate_limits.until > excluded.since THEN rate_limits.since ELSE excluded.since END`,
        message: sql`CASE WHEN rate_limits.until > excluded.until THEN rate_limits.message ELSE excluded.message END`,
        until: sql`max(rate_limits.until, excluded.until)`,
      },
    });
}

/** Those that are over, at most `limit`. */
export function deleteExpiredLimits(db: Db, now: number): Statement {
  return db.delete(rateLimitsTable).where(lt(rateLimitsTable.until, now));
}

/** Ends the delivery until the allowance is there again. */
export function waitForLimit(journal: Journal, limit: ActiveLimit): never {
  return suspend(journal, limit, resumeAt(limit, Date.now(), Math.random()), []);
}

/** The same for the one that was refused, and stores the limit for all others: it is not one of the crowd. */
export function recordRateLimit(
  db: Db,
  journal: Journal,
  of: RateLimitKey,
  limit: ActiveLimit & Pick<WaitCause, "answer">,
): never {
  return suspend(journal, limit, limit.until + Math.random() * FIRST_SPREAD_MS, [storeRateLimit(db, of, limit)]);
}

function suspend(
  journal: Journal,
  limit: ActiveLimit & Pick<WaitCause, "answer">,
  at: number,
  also: readonly Statement[],
): never {
  const seconds = Math.ceil((at - Date.now()) / SECOND);
  const cause = {
    code: "rate_limited",
    message: sentenceOf(limit),
    limit: limit.scope === "app" ? "service" : "channel",
    answer: limit.answer,
  } as const;
  return journal.suspend(seconds, cause, also);
}

/**
 * When one goes on that meets the limit at `now`: who came first is among the first, and a crowd that came at
 * once is spread all the same. `random` is 0 to 1. Pure.
 */
export function resumeAt(
  { scope, since, until }: Pick<ActiveLimit, "scope" | "since" | "until">,
  now: number,
  random: number,
) {
  const spreadMs = Math.min(LONGEST_SPREAD_MS[scope], (until - since) * SPREAD);
  const passed = Math.min(1, Math.max(0, (now - since) / Math.max(1, until - since)));
  return Math.round(until + spreadMs * (0.7 * passed + 0.3 * random));
}

const NOUNS: Readonly<Record<Act, string>> = {
  publish: "Posts",
  remove: "Removals",
  comments: "Comments",
  replies: "Looks for new comments",
  messages: "Messages",
  ads: "Campaigns",
};

function sentenceOf({ scope, act, until, message }: ActiveLimit): string {
  const at = new Date(Math.ceil(until / MINUTE) * MINUTE).toISOString().slice(0, 16).replace("T", " ");
  const whose = scope === "app" ? "of every channel of this service there" : "of this channel";
  return `${message} ${NOUNS[act]} ${whose} wait until ${at} UTC.`;
}
