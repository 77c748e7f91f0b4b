import { join } from "node:path";
import { createApi } from "../scripts/support/api.ts";
import { Refusal, type Scope } from "../scripts/support/command.ts";
import type { Finding } from "../scripts/support/driver.ts";
import { callJson } from "../scripts/support/http.ts";
import { heapOf } from "../scripts/support/isolate-heap.ts";
import { megabytes, residentOf } from "../scripts/support/memory.ts";
import { findFreePort } from "../scripts/support/ports.ts";
import { buildWorker } from "../scripts/support/prepare.ts";
import { dim, say, table } from "../scripts/support/terminal.ts";
import { type Running, startWorker } from "../scripts/support/workers.ts";
import { fillPosts, POSTS_A_CAMPAIGN } from "./fill.ts";
import type { Measured } from "./load.ts";
import { COUNT_NAMES, type Loader, median, sampleCosts, startLoader } from "./measure.ts";
import {
  BARE,
  type Case,
  type CostLimit,
  checkCosts,
  checkPromises,
  type Measurement,
  measurementOf,
  SIZES,
  type Size,
} from "./promises.ts";
import { bootService } from "./service.ts";

const BARE_CONFIG = join("bench", "bare", "wrangler.toml");
const ROUNDS = 3;
/**
 * More for the tail latency: the local runtime sometimes pauses for 100 to 250 ms, which decides the p99 of
 * one run.
 */
const TAIL_ROUNDS = 9;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 1.5;
const RUN_SECONDS = 2;
/** The most that a project may have. A token has 100 requests per second; each is used at about half. */
const TOKENS = 200;
const PER_TOKEN = 50;
const FEWEST_TOKENS = 16;

/** Measures the most frequent operations with small and large tables, next to a bare worker. */
export async function measureSpeed(scope: Scope, directory: string, script: string): Promise<readonly Finding[]> {
  const cases = await boot(scope, directory, script);
  const loader = startLoader(scope);
  const measurements: Measurement[] = [];
  for (const each of cases)
    measurements.push({
      ...each,
      tokenCount: each.isLoadless ? FEWEST_TOKENS : await warmUp(loader, each),
      costs: null,
      runs: [],
    });
  for (const [at, each] of measurements.entries()) measurements[at] = { ...each, costs: await each.sampleCosts() };
  // Measures compared cases side by side; operations that grow the tables run last.
  const order = cases.map(({ operation }) => operation);
  const reading = measurements.filter(({ grows }) => !grows);
  await runRounds(
    loader,
    reading.sort((a, b) => order.indexOf(a.operation) - order.indexOf(b.operation)),
  );
  // Measures the bare worker again, to compare the tail latency under the same conditions.
  const beside = { ...measurementOf(measurements, BARE, "1k"), runs: [] };
  const growing = measurements.filter(({ grows, isNow, isLoadless }) => grows && !isNow && !isLoadless);
  await runRounds(loader, [beside, ...growing], TAIL_ROUNDS);
  await runRounds(
    loader,
    measurements.filter(({ isNow }) => isNow),
  );
  say();
  say(resultTable(measurements));
  sayMemory(measurements);
  await sayHeap(scope, join(directory, "heap"), script, loader);
  return [...checkPromises(measurements, beside), ...checkCosts(measurements)];
}

/** Starts the bare worker and one service per size, each with its own database. Returns the cases. */
async function boot(scope: Scope, directory: string, script: string): Promise<readonly Case[]> {
  const bareScript = await buildWorker(BARE_CONFIG, join(directory, "build", "bare"));
  const args = ["--config", BARE_CONFIG];
  const port = await findFreePort();
  const bare = startWorker({ name: "bare", args, directory, port, script: bareScript, readyPath: "/healthz" });
  scope.defer(() => bare.stop());
  const services = [
    await bootFilled(scope, join(directory, "1k"), script, { size: "1k", logLevel: "all" }),
    await bootFilled(scope, join(directory, "200k"), script, { size: "200k", logLevel: "all" }),
  ];
  await bare.ready();
  await callJson("POST", `${bare.origin}/fill/${SIZES["1k"]}`);
  return [bareCase(bare), ...services.flatMap(casesOf)];
}

interface Service {
  readonly size: Size;
  readonly origin: string;
  readonly port: number;
  readonly inspectorPort: number;
  readonly pid: number | undefined;
  readonly tokens: readonly string[];
  readonly channelId: number;
  /** Id of the first post. */
  readonly postId: number;
  readonly automationId: number;
  readonly campaignId: number;
  readonly generationId: string;
}

interface Filled {
  readonly size: Size;
  /** `all` as in production: one line per request. */
  readonly logLevel: "all" | "errors";
}

async function bootFilled(
  scope: Scope,
  directory: string,
  script: string,
  { size, logLevel }: Filled,
): Promise<Service> {
  const { service, issue } = await bootService(scope, directory, script, { LOG_LEVEL: logLevel });
  const { origin, port, inspectorPort, pid } = service;
  const tokens = await issue("Bench", TOKENS);
  const ids = await fillPosts(join(directory, "service"), 1, SIZES[size]);
  const { total } = await createApi(origin, tokens[0]).listPosts("channels=facebook&limit=1");
  if (total < SIZES[size] / 6 - 1) throw new Refusal(`The table was not filled: get-posts counts ${total}.`);
  return { size, origin, port, inspectorPort, pid, tokens, ...ids };
}

function bareCase({ origin, port, pid }: Running): Case {
  const paths = spread(SIZES["1k"]).map((at) => `/post/${at + 1}`);
  return {
    operation: BARE,
    size: "1k",
    port,
    pid,
    method: "GET",
    grows: false,
    isNow: false,
    isLoadless: false,
    atMost: null,
    requests: () => paths.map((path) => ({ path })),
    async sampleCosts() {
      await callJson("GET", `${origin}/post/1`);
      return null;
    },
  };
}

interface Operation {
  readonly path: string | readonly string[];
  /** Sent with POST. */
  readonly body?: unknown;
  readonly grows?: boolean;
  readonly isNow?: boolean;
  readonly isLoadless?: boolean;
  readonly atMost?: CostLimit;
}

function casesOf(service: Service): Case[] {
  const { size, origin, port, pid, tokens, channelId, postId, automationId, campaignId, generationId } = service;
  const social = "/api/v1/social";
  const boosts = "/api/v1/boost-campaigns";
  const lastPage = Math.ceil(SIZES[size] / POSTS_A_CAMPAIGN / 10);
  const types = "facebook,instagram,twitter,linkedin,youtube,tiktok";
  const post = {
    channel_type: "facebook",
    channel_id: channelId,
    post_type: "post",
    caption_text: "A post of the bench, for a day far ahead.",
    media_urls: [],
    publish_mode: "scheduled",
    schedule_time: `${new Date().getUTCFullYear() + 3}-06-15 12:00`,
    time_zone: "Europe/Berlin",
  };
  const automation = {
    name: "An automation of the bench",
    channels: [channelId],
    comment_reply: "Thank you!",
    response_type: "comment",
    ai_enable: "no",
  };
  const bot = `${social}/get-comment-automation/${automationId}`;
  const trial = { text: "How much is it?", author: "Ada Reader" };
  const operations: Readonly<Record<string, Operation>> = {
    "find-post": { path: spread(SIZES[size]).map((at) => `${social}/post/${postId + at}`) },
    "get-posts": { path: `${social}/get-posts?channels=${types}&limit=10` },
    "upcoming-posts": { path: `${social}/upcoming-posts?limit=10` },
    "get-comment-automations": { path: `${social}/get-comment-automations?limit=10`, atMost: [1, 40] },
    "get-comment-automation/{id}": { path: bot, atMost: [1, 4] },
    "get-comment-automation/{id}/replies": { path: `${bot}/replies?limit=10`, atMost: [2, 30] },
    "test-comment-automation/{id}": {
      path: `${social}/test-comment-automation/${automationId}`,
      body: trial,
      atMost: [2, 12],
    },
    "get-post-generations": { path: `${social}/get-post-generations?limit=10`, atMost: [1, 40] },
    "post-generation/{id}": { path: `${social}/post-generation/${generationId}`, atMost: [1, 12] },
    "get-campaigns": { path: `${boosts}/get-campaigns?limit=10`, atMost: [1, 120] },
    // Read from the end, once the total is known.
    "get-campaigns, the last page": { path: `${boosts}/get-campaigns?limit=10&page=${lastPage}`, atMost: [2, 120] },
    "get-campaign/{id}": { path: `${boosts}/get-campaign/${campaignId}`, atMost: [1, 12] },
    "create-post": { path: `${social}/create-post`, body: post, grows: true },
    "create-post now, with a key": {
      path: `${social}/create-post`,
      body: { ...post, publish_mode: "now", schedule_time: undefined, time_zone: undefined },
      grows: true,
      isNow: true,
    },
    "create-comment-automation": {
      path: `${social}/create-comment-automation`,
      body: automation,
      grows: true,
      isLoadless: true,
      // One call and seven rows begin the entry of the audit log, before anything is done.
      atMost: [3, 137],
    },
  };
  return Object.entries(operations).map(
    ([operation, { path, body, grows = false, isNow = false, isLoadless = false, atMost = null }], place) => {
      const paths = [path].flat();
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const method = body === undefined ? "GET" : "POST";
      const requestOf = (at: number, tokenCount: number) => ({
        path: paths[at % paths.length] ?? "/",
        headers: {
          Authorization: `Bearer ${tokens[at % tokenCount]}`,
          ...(sent === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(sent)) }),
        },
      });
      return {
        operation,
        size,
        port,
        pid,
        method,
        ...(sent === undefined ? {} : { body: sent }),
        grows,
        isNow,
        isLoadless,
        atMost,
        requests: (tokenCount) =>
          Array.from({ length: Math.max(tokenCount, paths.length) }, (_, at) => requestOf(at, tokenCount)),
        // A separate token for the samples, so that they stay within its rate limit.
        sampleCosts: () => sampleCosts(origin, method, requestOf(place, tokens.length), sent),
      };
    },
  );
}

/**
 * Each round measures every case, and every other round in reverse order. Drift then affects all cases
 * equally.
 */
async function runRounds(loader: Loader, cases: readonly Measurement[], rounds = ROUNDS): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
      each.runs.push(await measure(loader, each, each.tokenCount, RUN_SECONDS));
    }
  }
}

/** Returns the number of tokens that this case's request rate needs. */
async function warmUp(loader: Loader, each: Case): Promise<number> {
  const { perSecond } = await measure(loader, each, TOKENS, WARM_UP_SECONDS);
  return Math.min(TOKENS, Math.max(FEWEST_TOKENS, Math.ceil(perSecond / PER_TOKEN)));
}

async function measure(loader: Loader, each: Case, tokenCount: number, runSeconds: number): Promise<Measured> {
  const { operation, port, method, body, requests, isNow } = each;
  const sent = { port, method, body, requests: requests(tokenCount), hasKeys: isNow };
  const load = { ...sent, connections: CONNECTIONS, seconds: runSeconds };
  const measured = await loader.run(load);
  if (Object.keys(measured.statuses).every((status) => status === "200")) return measured;
  throw new Refusal(`${operation} answered ${JSON.stringify(measured.statuses)}: nothing to measure.`);
}

function resultTable(cases: readonly Measurement[]): string {
  const number = (value: number | undefined, digits = 0) =>
    value === undefined || Number.isNaN(value) ? "" : value.toFixed(digits);
  const rows = cases.map(({ operation, size, runs, costs }) => [
    operation,
    size,
    number(median(runs.map(({ perSecond }) => perSecond))),
    number(median(runs.map(({ p50 }) => p50)), 2),
    number(median(runs.map(({ p99 }) => p99)), 2),
    ...COUNT_NAMES.map((name) => number(costs?.[name])),
  ]);
  const counts = ["D1 CALLS", "STATEMENTS", "ROWS READ", "WRITTEN", "KV READS", "DO CALLS", "SENDS"];
  return table(["OPERATION", "POSTS", "REQ/S", "P50 MS", "P99 MS", ...counts], rows);
}

/** Prints the memory of each process after the load: the isolate, and the simulated D1, KV and queues. */
function sayMemory(cases: readonly Measurement[]): void {
  for (const [size, own] of Map.groupBy(
    cases.filter(({ operation }) => operation !== BARE),
    (each) => each.size,
  )) {
    const requests = own.flatMap(({ runs }) => runs).reduce((sum, { perSecond }) => sum + perSecond * RUN_SECONDS, 0);
    const bytes = residentOf(own[0]?.pid);
    const shown = bytes === 0 ? "this system does not show it" : megabytes(bytes);
    const after = `after ${Math.round(requests).toLocaleString("en")} requests (${size})`;
    say(dim(`  memory of the process, with the simulated D1, KV and queues, ${after}: ${shown}`));
  }
}

/**
 * Prints the heap of an isolate after a load. It has a service without log lines: the inspector repeats each
 * line since the start before it answers.
 */
async function sayHeap(scope: Scope, directory: string, script: string, loader: Loader): Promise<void> {
  const service = await bootFilled(scope, directory, script, { size: "1k", logLevel: "errors" });
  const loads = casesOf(service).filter(({ isLoadless, isNow }) => !isLoadless && !isNow);
  let requests = 0;
  for (const each of loads) requests += (await measure(loader, each, TOKENS, 1)).perSecond;
  const heap = megabytes(await heapOf(service));
  say(dim(`  heap of the isolate after ${Math.round(requests).toLocaleString("en")} requests (1k): ${heap}`));
}

/** A hundred positions spread over `count`. */
const spread = (count: number): number[] =>
  Array.from({ length: 100 }, (_, at) => Math.floor(((at * 37) % 100) * (count / 100)));
