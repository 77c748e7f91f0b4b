import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { pricedPost } from "../../test/support/priced-posts.ts";
import { type Channel, createSurely, surely } from "./api.ts";
import type { Scope } from "./command.ts";
import {
  atOnce,
  conclude,
  countBroken,
  type Finding,
  faultsAt,
  fireCronOften,
  injectFaults,
  isEnded,
  killOften,
  note,
  type Run,
  type SoakOptions,
  sayFindings,
  sayMetFaults,
  shuffled,
  startRun,
  untilRest,
} from "./driver.ts";
import { waitFor } from "./http.ts";
import { knownPlatforms } from "./kinds.ts";
import { dim, say } from "./terminal.ts";
import { connectAll } from "./world.ts";

/**
 * The last part of `npm run soak`: what posts, answers and deletions cost by our count is compared with what
 * the sandbox's till charges. Amounts are whole tenths of a cent: sums of decimals are not exact.
 *
 *   1. without kills: posts of all kinds, lost answers, answers of bots and deletions. Both sums are equal.
 *   2. with kills, under a ceiling that not all posts fit in: neither sum passes it, and ours is never the
 *      smaller one. A call that a kill interrupts stays counted, whether or not it was charged.
 *   3. without kills, under a higher ceiling: the posts that waited are published, and nothing more is
 *      counted that is not charged.
 */

/** Shorter than in production, so that leases of a killed process expire within this run. */
const VARIABLES = {
  JOB_LEASE_SECONDS: "35",
  PUBLISH_DEADLINE_SECONDS: "900",
  LIST_LAG_SECONDS: "10",
  PACE_FACTOR: "1000",
  TASK_CLAIM_SECONDS: "60",
};
const SLOW_MS = 5_000;
const CREATORS = 4;
const KILLS = { most: 8, withinMs: 60_000 };
/** Of the posts, this part is created under the ceiling. */
const LIMITED_PART = 0.2;
const COMMENTS = 12;
const DELETED_PART = 0.15;
/** What a post under the ceiling may cost in dollars: half of what posts cost on average. */
const ROOM = 0.1;
const PHASE_MS = 300_000;
const REST_MS = 60_000;

interface Sums {
  /** What we have counted, and what the till has charged with every read of an object. */
  readonly own: number;
  readonly till: number;
}

const exact = (usd: number): number => Math.round(usd * 1000);
const usd = (sum: number): string => `$${(sum / 1000).toFixed(3)}`;
const Till = z.array(z.object({ without_dedup_usd: z.number() }));

/** Returns the exit code. */
export async function soakCosts(scope: Scope, { seed, count, realism }: SoakOptions): Promise<number> {
  const title = `soak: what ${count} posts cost`;
  const run = await startRun(scope, { title, seed, realism, variables: VARIABLES });
  const { api, control, operator } = run.world;
  const priced = knownPlatforms().filter(({ name }) => platforms[name]?.pricing);
  for (const { facts } of priced) await control.settings({ ...facts.roomy, ...facts.busy, ...facts.prompt });
  await control.settings({ slow_ms: SLOW_MS });
  await connectAll(
    run.world,
    priced.map(({ name }) => name),
    2,
  );
  const channels = await api.listChannels();
  fireCronOften(run);
  const limited = Math.ceil(count * LIMITED_PART);
  const free = await withoutKills(run, channels, count - limited);
  const atRest = await untilEqual(run);
  const inDollars = Math.ceil(atRest.own / 1000 + limited * ROOM);
  await operator.costCeiling({ project: "Demo", most: inDollars });
  const held = await underCeiling(run, channels, { count: limited, ceiling: inDollars * 1000 });
  const findings = [...free, ...held.findings, ...(await raised(run, held.ids))];
  sayFindings(findings);
  const kills = `${held.kills} kills`;
  return conclude(run, countBroken(findings), `${count} posts, ${kills}, ${usd((await sumsOf(run)).own)}`);
}

async function sumsOf({ world }: Run): Promise<Sums> {
  const own = await surely(() => world.api.platformCost());
  const till = Till.parse(await world.control.control("GET", "till"));
  return { own: exact(own), till: till.reduce((sum, one) => sum + exact(one.without_dedup_usd), 0) };
}

/** Both sums, once they are equal; otherwise after a minute. A read may be reserved at the moment. */
async function untilEqual(run: Run): Promise<Sums> {
  const isEqual = async () => {
    const sums = await sumsOf(run);
    return sums.own === sums.till ? sums : null;
  };
  return (await waitFor(isEqual, { timeoutMs: REST_MS, everyMs: 1000 })) ?? sumsOf(run);
}

const compared = ({ own, till }: Sums, of: string): Finding => ({
  holds: own === till,
  text: `${of}: we count ${usd(own)}, the till ${usd(till)}`,
});

async function create(run: Run, channels: readonly Channel[], count: number): Promise<readonly number[]> {
  const { api, control } = run.world;
  const bodies = Array.from({ length: count }, (_, at) => {
    const { channel_id = 0, channel_type = "" } = channels[at % channels.length] ?? {};
    return { ...pricedPost(run.random, control.media), channel_id, channel_type, publish_mode: "now" } as const;
  });
  return atOnce(CREATORS, bodies, (body, at) => createSurely(api, body, `${run.seed}-${run.since}-${count}-${at}`));
}

const listPosts = ({ world: { api } }: Run) => {
  const names = Object.values(platforms).flatMap(({ name, pricing }) => (pricing ? [name] : []));
  return surely(() => api.listAllPosts(`channels=${names.join(",")}`));
};

async function untilEnded(run: Run, ids: readonly number[], mayWait = false): Promise<void> {
  const rest = { until: "every post has ended", everyMs: 2000, timeoutMs: PHASE_MS };
  await untilRest(run, rest, async () => {
    const posts = await listPosts(run);
    const open = ids.filter((id) => !isEnded(posts.get(id)));
    if (!mayWait || open.length === 0) return open;
    const waits = await atOnce(CREATORS, open, (id) => surely(() => run.world.api.listEvents(id)));
    return open.filter((_, at) => !/may cost .* in a month/.test(waits[at]?.at(-1)?.message ?? ""));
  });
}

/** The first phase: everything that costs something, and lost answers. */
async function withoutKills(run: Run, channels: readonly Channel[], count: number): Promise<readonly Finding[]> {
  const { api, control } = run.world;
  const login = await untilEqual(run);
  const often = Math.ceil(count / 20);
  const faults = shuffled(
    channels.flatMap(({ channel_type }) =>
      Array.from({ length: 4 }, () =>
        faultsAt(channel_type, ["publish"], {
          accept_then_drop: Math.ceil(often / 4),
          accept_then_error: Math.ceil(often / 4),
          rate_limit: 1,
          slow: 1,
        }),
      ).flat(),
    ),
    run.random,
  );
  const [ids] = await Promise.all([create(run, channels, count), injectFaults(run, faults, 60_000)]);
  await untilEnded(run, ids);
  const posts = await untilEqual(run);
  const costs = await atOnce(CREATORS, ids, (id) => surely(() => api.postCost(id)));
  const ofPosts = costs.reduce((sum, cost) => sum + exact(cost), 0);
  const all = await listPosts(run);
  const published = ids.filter((id) => all.get(id)?.STATUS === "published");
  const others = ids.flatMap((id) => (published.includes(id) ? [] : `; ${id}: ${all.get(id)?.error}`));
  await sayMetFaults(run, faults);
  const { id: bot } = await api.createAutomation({
    name: "A bot",
    channels: channels.map(({ channel_id }) => channel_id),
    response_type: "comment",
    comment_reply: "Thank you!",
    ai_enable: "no",
  });
  await comment(run);
  const rest = { until: "every comment has its answer", everyMs: 3000, timeoutMs: PHASE_MS };
  await untilRest(run, rest, async () => {
    const replies = await surely(() => api.listReplies(bot));
    const open = replies.filter(({ outcome }) => outcome === "waiting").map(({ comment: { id } }) => id);
    return replies.length < COMMENTS ? [...open, "comments that were not read"] : open;
  });
  const answers = await untilEqual(run);
  await api.stopAutomation(bot);
  const deleted = ids.slice(0, Math.ceil(ids.length * DELETED_PART));
  await atOnce(CREATORS, deleted, (id) => surely(() => api.deletePost(id)));
  const items = (await control.posts()).length;
  await waitFor(async () => (await control.posts()).length <= items - deleted.length, { timeoutMs: REST_MS });
  await sleep(5_000);
  return [
    {
      holds: published.length === ids.length,
      text: `${published.length} of ${ids.length} posts are published${others.join("")}`,
    },
    compared(posts, "posts of all kinds"),
    compared({ own: ofPosts, till: posts.till - login.till }, "the costs of single posts"),
    compared(answers, "with the answers of a bot"),
    { holds: answers.own > posts.own, text: `answers have cost ${usd(answers.own - posts.own)}` },
    compared(await untilEqual(run), `with ${deleted.length} deleted posts`),
  ];
}

/** Other people's comments on the latest posts. */
async function comment({ world: { control } }: Run): Promise<void> {
  const roots = (await control.posts()).filter(({ reply_to }) => reply_to === null).slice(-COMMENTS);
  for (const [at, { platform, id }] of roots.entries()) {
    await control.comment(platform, id, `Hello ${crypto.randomUUID()}`, `Person ${at}`);
  }
}

interface Limited {
  readonly count: number;
  /** In tenths of a cent. */
  readonly ceiling: number;
}

/** The second phase. */
async function underCeiling(run: Run, channels: readonly Channel[], { count, ceiling }: Limited) {
  const seen: Sums[] = [];
  let isOver = false;
  const watch = async () => {
    for (; !isOver && !run.scope.isEnding; await sleep(700)) {
      const sums = await sumsOf(run).catch(() => null);
      if (sums) seen.push(sums);
    }
  };
  const watching = watch();
  const [kills, ids] = await Promise.all([killOften(run, KILLS), create(run, channels, count)]);
  await untilEnded(run, ids, true);
  isOver = true;
  await watching;
  const last = await sumsOf(run);
  const posts = await listPosts(run);
  const waiting = ids.filter((id) => !isEnded(posts.get(id)));
  const most = (of: (sums: Sums) => number) => Math.max(...seen.map(of), of(last));
  say(dim(`  ${seen.length} readings; ${usd(last.own - last.till)} were reserved for calls that a kill interrupted.`));
  const findings: Finding[] = [
    { holds: most(({ own }) => own) <= ceiling, text: `we never count more than the ceiling of ${usd(ceiling)}` },
    { holds: most(({ till }) => till) <= ceiling, text: "the till never charges more than the ceiling" },
    { holds: last.own >= last.till, text: `we count no less than the till: ${usd(last.own)}, ${usd(last.till)}` },
    { holds: waiting.length > 0, text: `${waiting.length} of ${count} posts wait for a higher ceiling` },
  ];
  return { findings, ids, kills };
}

/** The third phase. */
async function raised(run: Run, ids: readonly number[]): Promise<readonly Finding[]> {
  // Before posts reserve more.
  const before = await sumsOf(run);
  await run.world.operator.costCeiling({ project: "Demo", most: 1_000 });
  note(run, "the ceiling was raised");
  await untilEnded(run, ids);
  await sleep(5_000);
  const after = await sumsOf(run);
  const posts = await listPosts(run);
  const isPublished = ids.every((id) => posts.get(id)?.STATUS === "published");
  const [held, left] = [before.own - before.till, after.own - after.till];
  return [
    { holds: isPublished, text: "posts that waited are published under the higher ceiling" },
    { holds: after.own > before.own, text: `they have cost ${usd(after.own - before.own)}` },
    { holds: left >= 0 && left <= held, text: `${usd(left)} are counted for calls that kills interrupted, no more` },
  ];
}
