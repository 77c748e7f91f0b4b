import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { POST_METRICS } from "../../src/platforms/insights.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { advanceTo } from "../support/clock.ts";
import { expectedOf, OFFERED } from "../support/insight-books.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import {
  type Home,
  homeOn,
  NAMES,
  type Name,
  outcomeOf,
  plainestOn,
  planFor,
  type Sent,
  send,
  settings,
} from "./world.ts";

/**
 * Insights on every platform: what the service shows of a post is what the sandbox's books say, in every
 * number that the platform offers and on every day on which it is read; every other number is null.
 */
const HOUR_MS = 3_600_000;
/** After these hours each post is read again; one whose reads cost money only after some of them. */
const HOURS = [2, 8, 26, 50, 74, 170, 340];
const PAID_HOURS = [26, 74, 170, 340];

type Counts = Readonly<Record<string, number>>;
type Shown = number | null;

/** Everything but comments, which are counted as they are written. */
const SET = [
  "views",
  "paid_views",
  "reach",
  "likes",
  "shares",
  "reposts",
  "quotes",
  "saves",
  "clicks",
  "link_clicks",
  "profile_visits",
  "follows",
  "watch_ms",
];
/** Small enough to be zero now and then, and to fall from one read to the next. */
function drawn(round: number, at: number): Counts {
  return Object.fromEntries(SET.map((counter, index) => [counter, (round * 7919 + at * 104_729 + index * 31) % 97]));
}

const Insights = z.object({
  insights: z.object({
    state: z.string(),
    as_of: z.string().nullable(),
    metrics: z.record(z.string(), z.number().nullable()),
    missing: z.record(z.string(), z.string()),
    names: z.record(z.string(), z.string()),
    raw: z.record(z.string(), z.number()),
    days: z.array(z.object({ day: z.string(), metrics: z.record(z.string(), z.number()) })),
  }),
});

async function insightsOf({ home, id }: Sent) {
  const { status, body } = await home.project.call("GET", `/social/get-post-insights/${id}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return Insights.parse(body).insights;
}

interface Measured {
  readonly name: Name;
  readonly sent: Sent;
  /** The live items. */
  readonly ids: readonly string[];
}

const posts: Measured[] = [];
let publishedAt = 0;

/** Pages have numbers, persons have none. */
async function homeFor(name: Name): Promise<Home> {
  return name === "linkedin" ? homeOn(name, "urn:li:organization:9001") : homeOn(name);
}

beforeAll(async () => {
  // Every number is compared as soon as it is read: without late posts, lists and numbers.
  await settings({ realism: "calm" });
  for (const name of NAMES) {
    const home = await homeFor(name);
    const path = `/social/update-channel/${home.channel.channel_id}`;
    if (platforms[name]?.insights?.isPaid) await home.project.call("PUT", path, { body: { collect_insights: true } });
    const thread = planFor(name).shapes.find(({ type, items }) => type === "thread" && items.length > 1);
    const shapes = [plainestOn(name), ...(thread && name === "bluesky" ? [thread] : [])];
    for (const shape of shapes) {
      const sent = await send(home, shape);
      await queuesIdle();
      const { state, live, error } = await outcomeOf(sent);
      expect([name, state, error]).toEqual([name, "published", undefined]);
      posts.push({ name, sent, ids: live.map(({ id }) => id) });
    }
  }
  publishedAt = Date.now();
});

test("every adapter with insights declares the capability", () => {
  for (const name of NAMES) {
    const { insights, capabilities } = platforms[name] ?? {};
    expect([name, insights !== undefined, capabilities !== undefined && "insights" in capabilities]).toEqual([
      name,
      true,
      true,
    ]);
  }
});

describe("over days", () => {
  test("before the first read every number is null, with a reason", async () => {
    for (const { name, sent } of posts) {
      const { metrics, missing, state } = await insightsOf(sent);
      expect([name, state]).toEqual([name, "waiting"]);
      for (const metric of POST_METRICS) {
        expect([name, metric, metrics[metric]]).toEqual([name, metric, null]);
        expect([name, metric, missing[metric]]).toEqual([
          name,
          metric,
          metric in OFFERED[name] || missing[metric] === "not_ready" ? "not_ready" : "not_offered",
        ]);
      }
    }
  });

  test("the numbers of every post equal the sandbox's books, each time it is read", async () => {
    const written = new Map<string, number>();
    const shown = new Map<Measured, { readonly asOf: string | null; readonly numbers: Record<string, Shown> }>();
    for (const [round, hours] of HOURS.entries()) {
      await advanceTo(publishedAt + hours * HOUR_MS);
      const books = new Map<string, Counts>();
      for (const [at, { name, ids }] of posts.entries()) {
        for (const id of ids) {
          const counts = drawn(round, at + ids.indexOf(id));
          await sandbox.control("POST", "insights", { platform: name, post_id: id, counts });
          if (round % 2 === 0) {
            await sandbox.control("POST", "comments", { platform: name, post_id: id, author: "Kim", text: "Nice" });
            written.set(id, (written.get(id) ?? 0) + 1);
          }
          // The further items of a thread answer the ones before.
          const answers = ids.indexOf(id) < ids.length - 1 ? 1 : 0;
          books.set(id, { ...counts, comments: (written.get(id) ?? 0) + answers });
        }
      }
      await cron();
      await queuesIdle();
      for (const post of posts) await compare(post, books, { hours, shown });
    }
    for (const { sent, name } of posts) {
      const { days } = await insightsOf(sent);
      const reads = platforms[name]?.insights?.isPaid ? PAID_HOURS : HOURS;
      const dayOf = (hours: number) => new Date(publishedAt + hours * HOUR_MS).toISOString().slice(0, 10);
      expect([name, days.map(({ day }) => day)]).toEqual([name, [...new Set(reads.map(dayOf))]]);
    }
  });
});

interface Round {
  readonly hours: number;
  readonly shown: Map<Measured, { readonly asOf: string | null; readonly numbers: Record<string, Shown> }>;
}

async function compare(post: Measured, books: ReadonlyMap<string, Counts>, { hours, shown }: Round): Promise<void> {
  const { name, sent, ids } = post;
  const { as_of: asOf, metrics, missing, state } = await insightsOf(sent);
  const isRead = platforms[name]?.insights?.isPaid ? PAID_HOURS.includes(hours) : true;
  const where = [name, `after ${hours} h`] as const;
  expect([...where, asOf !== (shown.get(post)?.asOf ?? null)]).toEqual([...where, isRead]);
  if (isRead)
    shown.set(post, {
      asOf,
      numbers: expectedOf(
        OFFERED[name],
        ids.map((id) => books.get(id) ?? {}),
      ),
    });
  const expected = shown.get(post)?.numbers ?? {};
  for (const metric of POST_METRICS) {
    expect([...where, metric, metrics[metric]]).toEqual([...where, metric, expected[metric] ?? null]);
    // A reason exactly where there is no number.
    expect([...where, metric, missing[metric] !== undefined]).toEqual([...where, metric, metrics[metric] === null]);
  }
  expect([...where, state]).toEqual([...where, shown.has(post) ? "current" : "waiting"]);
}

test("a channel shows its followers and days, and top posts and best times name the posts", async () => {
  for (const { name, sent } of posts) {
    const { project, channel } = sent.home;
    const { status, body } = await project.call("GET", `/social/get-channel-insights/${channel.channel_id}`);
    expect([name, status]).toEqual([name, 200]);
    const { insights } = z
      .object({
        insights: z.object({ state: z.string(), followers: z.number().nullable(), days: z.array(z.unknown()) }),
      })
      .parse(body);
    expect([name, insights.state, insights.followers !== null]).toEqual([name, "current", true]);
    const top = await project.call("GET", "/social/get-top-posts?metric=likes");
    const { posts: first } = z.object({ posts: z.array(z.object({ post_id: z.number() })) }).parse(top.body);
    expect([name, first.map(({ post_id }) => post_id)]).toEqual([name, expect.arrayContaining([sent.id])]);
    const times = await project.call("GET", "/social/get-best-times");
    const best = z.object({ times: z.array(z.object({ posts: z.number() })) }).parse(times.body);
    expect([name, best.times.length]).toEqual([name, 1]);
    const exported = await project.call("GET", "/social/export-insights");
    const { csv } = z.object({ csv: z.string() }).parse(exported.body);
    expect([name, csv.split("\r\n").length > 3]).toEqual([name, true]);
  }
});

test("what a permission is missing for says so, and is read once it is there", async () => {
  await settings({});
  const { sent } = posts.find(({ name }) => name === "threads") ?? {};
  if (!sent) throw new Error("Nothing was published on threads.");
  const { project, channel } = sent.home;
  const Channels = z.object({
    channels: z.object({
      data: z.array(
        z.looseObject({
          channel_id: z.number(),
          capabilities: z.array(z.object({ name: z.string(), health: z.string(), reason: z.string().nullable() })),
        }),
      ),
    }),
  });
  const { body } = await project.call("GET", "/social/get-channels");
  const own = Channels.parse(body).channels.data.find(({ channel_id }) => channel_id === channel.channel_id);
  expect(own?.capabilities.find(({ name }) => name === "insights")).toEqual({
    name: "insights",
    health: "connected",
    reason: null,
  });
});
