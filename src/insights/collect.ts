import { z } from "zod";
import { accessAs } from "../acting/acting.ts";
import { jitter, type Reader, UNUSABLE_MS, waitAfter } from "../acting/read-failure.ts";
import { INSIGHTS } from "../channels/insights-task.ts";
import { activeLimit } from "../channels/rate-limits.ts";
import { selectActor, toActor } from "../channels/store.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import { runBatch, type Statement, writeTogether } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { AccountContext, Failure } from "../platforms/context.ts";
import { dayOf, type Insights, type OwnNumbers } from "../platforms/insights.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { withinCeiling } from "../usage/ceiling.ts";
import { measure, ofDay } from "./numbers.ts";
import { byWeeks, nextRead, withDay } from "./plan.ts";
import { type PostInsights, type ReadPost, selectDue, selectNextDue, storeDays, storeRead } from "./store.ts";

/**
 * Reads what a channel's posts and its account achieved: the recurring task `insights:<channel>`. A run reads
 * all posts that are due, as many per call as the platform takes, and the account once a day. It ends with
 * the channel. Where reads cost money, it runs only for channels that have asked for it.
 */
export const insightReads: RecurringHandler<Deps> = {
  kind: INSIGHTS,
  queue: "replies",
  run: (deps, subject, task) => collect(deps, idOf<ChannelId>(Number(subject)), task),
};

/** Posts that one run reads; the next run follows at once. */
const MOST_POSTS = 200;
/** Results of a run that are stored with its next time; more are stored during the run. */
const MOST_WRITES = 40;
/** Posts that are due this much later are read in the same calls. */
const TOGETHER_MS = 30 * MINUTE;
/** The longest sleep. A publication ends it (`beginInsights`); no day passes without a read. */
const MOST_SLEEP_MS = 23 * HOUR;
/** Platforms complete the numbers of a day for days. */
const READ_BACK_MS = 3 * DAY;
const PAID_ACCOUNT_DAYS = 7;
/** A platform lists a new post, or gives it its public id, at most this much later. */
const LISTED_MS = 3 * DAY;

const State = z.object({
  /** The day of the last read of the account. */
  accountDay: z.string().nullable(),
  /** Names that the platform has refused for this channel, and when. */
  dead: z.array(z.string()),
  deadAt: z.number(),
  /** Runs in a row in which a read failed. */
  failures: z.number().default(0),
});
type State = z.infer<typeof State>;

function readState({ state }: Pick<RecurringTask, "state">, now: number): State {
  const stored = State.safeParse(JSON.parse(state ?? "null")).data;
  const known = stored ?? { accountDay: null, dead: [], deadAt: now, failures: 0 };
  return now - known.deadAt < DAY ? known : { ...known, dead: [], deadAt: now };
}

async function collect(deps: Deps, channelId: ChannelId, task: RecurringTask): Promise<Recurrence> {
  const { db } = deps;
  const now = Date.now();
  const state = readState(task, now);
  const actor = toActor(await writeTogether(db, selectActor(db, channelId)));
  const platform = actor && findPlatform(actor.channel.platform)?.insights;
  if (!actor || !platform || actor.channel.disconnectedAt !== null) return { kind: "stop" };
  const isPaid = platform.isPaid === true;
  if (isPaid && actor.channel.paidInsightsAt === null) return { kind: "stop" };
  const limit = activeLimit(actor.limits, "insights", now);
  if (limit) return { kind: "again", afterMs: limit.until - now + jitter(deps) };
  const { due, next } = await writeTogether(db, {
    due: selectDue(db, channelId, now + TOGETHER_MS, MOST_POSTS),
    next: selectNextDue(db, channelId, now + TOGETHER_MS),
  });
  const today = dayOf(now);
  const isAccountDue =
    state.accountDay === null || daysSince(state.accountDay, now) >= (isPaid ? PAID_ACCOUNT_DAYS : 1);
  const nextAt = next[0]?.at ?? null;
  if (due.length === 0 && !isAccountDue) {
    return { kind: "again", afterMs: sleepMs([nextAt], now), state: JSON.stringify(state) };
  }
  const access = await accessAs(deps, actor, "insights");
  if (access.kind === "later") return { kind: "again", afterMs: access.seconds * SECOND };
  if (access.kind !== "ready") return { kind: "again", afterMs: UNUSABLE_MS };
  const run = new Run(
    deps,
    { actor, grant: access.grant, capability: "insights" },
    { context: access.context, platform },
    state,
  );
  const waitMs = await withinCeiling(
    async () => (await run.readPosts(due)) ?? (isAccountDue ? run.readAccount(state.accountDay) : null),
    () => UNUSABLE_MS,
  );
  const isNew = run.dead.length > state.dead.length;
  const stored = {
    ...state,
    accountDay: run.isAccountRead ? today : state.accountDay,
    dead: run.dead,
    deadAt: isNew && state.dead.length === 0 ? now : state.deadAt,
    failures: run.hasFailed ? state.failures + 1 : 0,
  };
  return {
    kind: "again",
    afterMs: waitMs ?? (due.length === MOST_POSTS ? MINUTE : sleepMs([nextAt, run.nextAt], now)),
    state: JSON.stringify(stored),
    writes: run.takeWrites(),
  };
}

const daysSince = (day: string, now: number): number => Math.floor(now / DAY) - Math.floor(Date.parse(day) / DAY);

function sleepMs(dueAt: readonly (number | null)[], now: number): number {
  const waits = dueAt.filter((at) => at !== null).map((at) => at - now);
  return Math.max(MINUTE, Math.min(MOST_SLEEP_MS, ...waits));
}

/** The reads of one run. Each returns when to try again if it has ended early; null if not. */
class Run {
  readonly dead: string[];
  isAccountRead = false;
  /**
   * Whether a read failed without a time to repeat it: each such run in a row doubles the wait, up to hours.
   */
  hasFailed = false;
  /** When the first of the posts that were read is due again. */
  nextAt: number | null = null;
  readonly #deps: Deps;
  readonly #reader: Reader;
  readonly #context: AccountContext;
  readonly #platform: Insights;
  /** Runs in a row that failed before this one. */
  readonly #failures: number;
  /** What was read and is not stored yet. */
  readonly #writes: Statement[] = [];

  constructor(
    deps: Deps,
    reader: Reader,
    { context, platform }: { readonly context: AccountContext; readonly platform: Insights },
    { dead, failures }: State,
  ) {
    this.#deps = deps;
    this.dead = [...dead];
    this.#failures = failures;
    this.#reader = reader;
    this.#context = context;
    this.#platform = platform;
  }

  async readPosts(due: readonly PostInsights[]): Promise<number | null> {
    for (const some of inCalls(due, this.#platform.most)) {
      if (isNearlySpent(this.#deps.meter)) return MINUTE;
      const waitMs = await this.#readTogether(some);
      if (waitMs !== null) return waitMs;
    }
    return null;
  }

  async #readTogether(posts: readonly PostInsights[]): Promise<number | null> {
    const items = posts.flatMap(({ postType: type, publishedAt, items: live }) =>
      live.map((post) => ({ type, post, publishedAt })),
    );
    const read = await this.#platform.read(this.#context, items, new Set(this.dead));
    if (read.kind === "failed") {
      const waitMs = await this.#failed(read);
      if (waitMs !== null) return waitMs;
      // One of them may be refused alone.
      const [first] = posts;
      if (posts.length > 1) return this.#readEach(posts);
      await this.#store(first ? [this.#unread(first)] : []);
      return null;
    }
    if (read.failed) this.#log(read.failed);
    this.dead.push(...(read.dead ?? []));
    const own = [...read.posts];
    const names = (post: PostInsights) => this.#platform.names(post.postType, this.#context.account.attributes);
    await this.#store(posts.map((post) => this.#read(post, measure(names(post), own.splice(0, post.items.length)))));
    return null;
  }

  async #readEach(posts: readonly PostInsights[]): Promise<number | null> {
    for (const post of posts) {
      if (isNearlySpent(this.#deps.meter)) return MINUTE;
      const waitMs = await this.#readTogether([post]);
      if (waitMs !== null) return waitMs;
    }
    return null;
  }

  #nextOf({ postType: type, publishedAt }: PostInsights): number | null {
    return nextRead({ type, publishedAt, isPaid: this.#platform.isPaid === true }, this.#context.now + TOGETHER_MS);
  }

  #unread(post: PostInsights): ReadPost {
    const { postId, items, observedAt, numbers, days } = post;
    return { postId, items, observedAt, numbers, days, dueAt: this.#nextOf(post) };
  }

  /** The last numbers of a post that is gone stay. A new one that was never seen may not be listed yet. */
  #read(post: PostInsights, numbers: ReturnType<typeof measure>): ReadPost {
    const { postId, items, days, observedAt } = post;
    const { now } = this.#context;
    if (numbers.isGone && observedAt === null && now - post.publishedAt < LISTED_MS) return this.#unread(post);
    if (numbers.isGone) {
      const last = { ...(post.numbers ?? numbers), isGone: true };
      return { postId, items, observedAt, dueAt: null, numbers: last, days: byWeeks(days) };
    }
    const all = withDay(days, [dayOf(now), numbers.metrics]);
    const dueAt = this.#nextOf(post);
    return { postId, items, observedAt: now, dueAt, numbers, days: dueAt === null ? byWeeks(all) : all };
  }

  async #store(read: readonly ReadPost[]): Promise<void> {
    for (const { dueAt } of read) if (dueAt !== null) this.nextAt = Math.min(dueAt, this.nextAt ?? dueAt);
    await this.#keep(read.map((one) => storeRead(this.#deps.db, one)));
  }

  /** A death repeats the reads that are not stored yet, so what costs money is stored at once. */
  async #keep(writes: readonly Statement[]): Promise<void> {
    this.#writes.push(...writes);
    if (this.#platform.isPaid || this.#writes.length > MOST_WRITES) await runBatch(this.#deps.db, this.takeWrites());
  }

  takeWrites(): readonly Statement[] {
    return this.#writes.splice(0);
  }

  /** The whole days that may have changed since the last read, and today's followers. */
  async readAccount(lastDay: string | null): Promise<number | null> {
    const { now } = this.#context;
    const today = Math.floor(now / DAY) * DAY;
    const most = this.#platform.mostDays;
    const oldest = lastDay === null ? today - 30 * DAY : Date.parse(lastDay) - READ_BACK_MS;
    const range = { since: Math.max(oldest, today - (most - 1) * DAY), until: today + DAY };
    for await (const read of this.#platform.readAccount(this.#context, range, new Set(this.dead))) {
      if (read.kind === "failed") {
        const waitMs = await this.#failed(read);
        this.isAccountRead = waitMs === null;
        return waitMs;
      }
      if (read.failed) this.#log(read.failed);
      this.dead.push(...(read.dead ?? []));
      await this.#storeDays(read.days);
    }
    this.isAccountRead = true;
    return null;
  }

  /** The days of an answered call are stored before the next call: that one may fail. */
  async #storeDays(read: Readonly<Record<string, OwnNumbers>>): Promise<void> {
    const { id: channelId, projectId } = this.#reader.actor.channel;
    const days = Object.entries(read).map(([day, own]) => ({
      projectId,
      channelId,
      day,
      numbers: ofDay(this.#platform.accountNames, own),
    }));
    const known = days.filter(({ numbers }) => Object.keys(numbers).length > 0);
    if (known.length > 0) await runBatch(this.#deps.db, storeDays(this.#deps.db, known));
  }

  async #failed(failure: Failure): Promise<number | null> {
    this.#log(failure);
    const waitMs = await waitAfter(this.#deps, this.#reader, failure);
    if (waitMs === null || failure.retryAfterSeconds !== undefined) return waitMs;
    this.hasFailed = true;
    return Math.min(UNUSABLE_MS, waitMs * 2 ** Math.min(this.#failures, 10));
  }

  #log({ reason }: Failure): void {
    const { id: channelId, platform } = this.#reader.actor.channel;
    this.#deps.log.event("insights_failed", { channelId, platform, reason });
  }
}

/** Posts for one call each: as many as have at most `most` items together. */
function inCalls(posts: readonly PostInsights[], most: number): readonly (readonly PostInsights[])[] {
  const calls: PostInsights[][] = [];
  let items = most;
  for (const post of posts) {
    if (items + post.items.length > most) {
      calls.push([]);
      items = 0;
    }
    calls.at(-1)?.push(post);
    items += post.items.length;
  }
  return calls;
}
