import { lt, type SQL, sql } from "drizzle-orm";
import { projectKinds } from "../accounts/store.ts";
import type { ChannelId } from "../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import type { Journal } from "../jobs/journal.ts";
import type { WaitCause } from "../jobs/outcomes.ts";
import type { ReachedLimit } from "../platforms/context.ts";
import type { PlatformName } from "../platforms/names.ts";
import { type Act, rateLimitsTable } from "./table.ts";

/**
 * Platform rate limits that were reached. Whatever detects one, by a refusal or by a response header, stores
 * its end. All other calls under that limit wait without calling the platform, and resume at slightly
 * different times. An account's limit applies to the account in every project; our app's limit applies to
 * all accounts. Limits of the sandbox are separate from those of the real platforms. A row is valid exactly
 * until its end.
 */
export type StoredRateLimit = typeof rateLimitsTable.$inferSelect;

/** The owner of the limit, and the limited act. */
export interface RateLimitKey {
  readonly platform: PlatformName;
  readonly accountId: string;
  readonly isTest: boolean;
  readonly act: Act;
  /** How many databases have the account. */
  readonly databases: number;
}

/** The longest day of any time zone: the platform is called again after that, whatever it reported. */
const LONGEST_MS = 25 * HOUR;
/** Shorter limits concern only the call that detected them. */
const SHORTEST_MS = SECOND;
/**
 * Waiting calls resume over a tenth of the wait, up to these maximums: for the few calls of an account, or
 * for everyone's.
 */
const SPREAD = 0.1;
const FIRST_SPREAD_MS = 3 * SECOND;
const LONGEST_SPREAD_MS = { account: 2 * MINUTE, app: 10 * MINUTE };

/** The join of a statement about a channel: the channel, its project, and the limits of both. */
const ofChannel = (
  id: ChannelId | SQL,
) => sql`channels AS limited JOIN (${projectKinds}) AS project ON project.id = limited.project_id
  JOIN rate_limits ON rate_limits.platform = limited.platform AND rate_limits.account_id IN (limited.account_id, '')
    AND rate_limits.is_test = project.is_test
  WHERE limited.id = ${id}`;

/**
 * For a batch: the channel's current and recent limits. Reads the channel, its project, and two index
 * entries.
 */
export function selectRateLimits(db: Db, id: ChannelId | SQL) {
  return db
    .select()
    .from(rateLimitsTable)
    .where(
      sql`(rate_limits.platform, rate_limits.account_id, rate_limits.is_test) IN (SELECT limited.platform, wanted.value, project.is_test
        FROM channels AS limited JOIN (${projectKinds}) AS project ON project.id = limited.project_id
        JOIN json_each(json_array('', limited.account_id)) AS wanted WHERE limited.id = ${id})`,
    );
}

/** A condition: a rate limit forbids this act of the channel now. */
export function isRateLimited(id: SQL, act: Act, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM ${ofChannel(id)} AND rate_limits.act = ${act} AND rate_limits.until > ${now})`;
}

/** The active limit of this act, of several the one that ends last; null for none. */
export function activeLimit(limits: readonly StoredRateLimit[], act: Act, now: number): ActiveLimit | null {
  const standing = limits.filter((limit) => limit.act === act && limit.until > now);
  const last = standing.toSorted((a, b) => b.until - a.until)[0];
  if (!last) return null;
  const { accountId, since, until, message } = last;
  return { scope: accountId === "" ? "app" : "account", act, since, until, message };
}

/** A limit that is reached now. */
export interface ActiveLimit extends ReachedLimit {
  readonly act: Act;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The limit as it applies from now on; null if it ends too soon to be stored. */
export function toActiveLimit({ until, ...usedUp }: ReachedLimit, act: Act, now: number): ActiveLimit | null {
  if (until - now < SHORTEST_MS) return null;
  return { ...usedUp, act, since: now, until: Math.min(until, now + LONGEST_MS) };
}

/** Stores the limit for all other calls. Of two for the same act, the later end wins. */
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

/** Expired limits, at most `limit`. */
export function expiredLimits(now: number): Expired {
  return { table: rateLimitsTable, where: lt(rateLimitsTable.until, now) };
}

/** Ends the delivery until the limit ends. */
export function waitForLimit(journal: Journal, limit: ActiveLimit): never {
  return suspend(journal, limit, resumeAt(limit, Date.now(), Math.random()), []);
}

/**
 * The same for the call that was refused; also stores the limit for all others. This call resumes
 * first, within three seconds after the limit ends.
 */
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
 * When a call that meets the limit at `now` resumes. Earlier calls resume earlier, and simultaneous calls are
 * spread. `random` is 0 to 1. Pure.
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
  replies: "Checks for new comments",
  messages: "Messages",
  ads: "Campaigns",
  insights: "Reads of its numbers",
};

function sentenceOf({ scope, act, until, message }: ActiveLimit): string {
  const at = new Date(Math.ceil(until / MINUTE) * MINUTE).toISOString().slice(0, 16).replace("T", " ");
  const whose = scope === "app" ? "of every channel of this service there" : "of this channel";
  return `${message} ${NOUNS[act]} ${whose} wait until ${at} UTC.`;
}
