import "../scripts/support/bootstrap.mjs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../scripts/support/api.mjs";
import { readArguments } from "../scripts/support/arguments.mjs";
import { Refusal, runCommand } from "../scripts/support/command.mjs";
import { callJson } from "../scripts/support/http.mjs";
import { operatorOf } from "../scripts/support/operator.mjs";
import { findFreePorts } from "../scripts/support/ports.mjs";
import { bold, dim, green, red, say, table } from "../scripts/support/terminal.mjs";
import { buildWorker, prepare, startService, startWorker } from "../scripts/support/workers.mjs";
import { median, readCosts, startLoad } from "./measure.mjs";

const SIZES = { "1k": 1000, "200k": 200_000 };
const ROUNDS = 5;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 2;
const RUN_SECONDS = 2.5;
/** A token has 100 requests a second; each is asked for about a third of that, as a busy customer would. */
const TOKENS = 300;
const PER_TOKEN = 33;
const FEWEST_TOKENS = 16;
const BARE = "bare Hono worker, one D1 read";

const ORDER = [BARE, "find-post", "get-posts", "upcoming-posts"];

const FIND_POST_AT_LEAST = 0.6;
const GET_POSTS_AT_MOST = 1.2;

const USAGE = `npm run bench -- [--no-fail]

Requests per second, latencies and storage costs of the hot operations with 1,000 and 200,000 posts and their events and jobs,
beside a bare Hono worker that does one D1 read; both write a log line a request, as in production. Medians of ${ROUNDS} short runs, taken in turn so that the machine's moods meet all alike. Exit 1 when find-post
makes less than ${FIND_POST_AT_LEAST} of the bare worker, or get-posts with 200k posts takes more than ${GET_POSTS_AT_MOST} × its time with 1k.`;

async function bench(scope) {
  const options = readArguments({ "no-fail": { type: "boolean" }, help: { type: "boolean", short: "h" } });
  if (options.help) return say(USAGE);
  const since = Date.now();
  say(bold("Belfry bench"));
  const directory = mkdtempSync(join(tmpdir(), "belfry-bench-"));
  scope.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const { bare, services } = await boot(scope, directory);
  const cases = [bareCase(bare), ...Object.entries(services).flatMap(([size, service]) => casesOf(size, service))];
  say(
    dim(`Filled and ready after ${seconds(since)}; ${cases.length} cases, ${ROUNDS} rounds of ${RUN_SECONDS} s each.`),
  );

  const load = startLoad(scope);
  for (const each of cases) await warmUp(load, each);
  for (const each of cases) each.costs = await each.sampleCosts();
  // What is compared is measured side by side; create-post comes last, for it makes the tables grow.
  await runRounds(
    load,
    cases.filter(({ grows }) => !grows).sort((a, b) => ORDER.indexOf(a.operation) - ORDER.indexOf(b.operation)),
  );
  await runRounds(
    load,
    cases.filter(({ grows }) => grows),
  );
  say();
  say(resultTable(cases));
  const holds = checkPromises(cases);
  say(dim(`\n${seconds(since)} in all.`));
  return holds || options["no-fail"] ? 0 : 1;
}

/** The bare worker and one service for each size, each with its own database. */
async function boot(scope, directory) {
  const [barePort, ...ports] = await findFreePorts(1 + Object.keys(SIZES).length);
  const [bareScript, script] = [
    await buildWorker(join("bench", "wrangler.toml"), join(directory, "build", "bare"), "bare-worker.js"),
    await buildWorker("wrangler.toml", join(directory, "build", "service")),
  ];
  const bare = startWorker({
    name: "bare",
    args: [bareScript, "--no-bundle", "--config", join("bench", "wrangler.toml")],
    directory,
    port: barePort,
    readyPath: "/healthz",
  });
  scope.defer(() => bare.stop());
  const services = {};
  for (const [size, count] of Object.entries(SIZES)) {
    services[size] = await bootService(scope, { directory: join(directory, size), port: ports.shift(), script, count });
  }
  await bare.ready();
  await callJson("POST", `${bare.origin}/fill/${SIZES["1k"]}`);
  return { bare, services };
}

async function bootService(scope, { directory, port, script, count }) {
  const secrets = await prepare(directory);
  // Logged as in production: every request writes its line.
  const service = startService({ directory, port, secrets, script, variables: { LOG_LEVEL: "all" } });
  scope.defer(() => service.stop());
  await service.ready();
  const operator = operatorOf(service.origin, secrets.OPERATOR_KEY);
  const tokens = [];
  for (let i = 0; i < TOKENS; i++) tokens.push((await operator.issueToken({ project: "Bench" })).token);
  const { fillPosts } = await import("./fill.mjs");
  const { channelId, postId } = fillPosts(join(directory, "service"), 1, count);
  const page = await createApi(service.origin, tokens[0]).listPosts("channels=facebook&limit=1");
  if (page.total < count / 6 - 1) throw new Refusal(`The table was not filled: get-posts counts ${page.total}.`);
  return { origin: service.origin, port, tokens, channelId, postId, count };
}

function bareCase({ origin, port }) {
  const paths = spread(SIZES["1k"]).map((at) => `/post/${at + 1}`);
  return {
    operation: BARE,
    size: "1k",
    port,
    method: "GET",
    runs: [],
    requests: () => paths.map((path) => ({ path })),
    sampleCosts: async () => void (await callJson("GET", `${origin}${paths[0]}`)),
  };
}

function casesOf(size, service) {
  const { origin, port, tokens, channelId, postId, count } = service;
  const social = "/api/v1/social";
  const ids = spread(count).map((at) => postId + at);
  const body = JSON.stringify({
    channel_type: "facebook",
    channel_id: channelId,
    post_type: "post",
    caption_text: "A post of the bench, for a day far ahead.",
    media_urls: [],
    publish_mode: "scheduled",
    schedule_time: `${new Date().getUTCFullYear() + 3}-06-15 12:00`,
    time_zone: "Europe/Berlin",
  });
  const operations = {
    "find-post": { paths: ids.map((id) => `${social}/post/${id}`) },
    "get-posts": {
      paths: [`${social}/get-posts?channels=facebook,instagram,twitter,linkedin,youtube,tiktok&limit=10`],
    },
    "upcoming-posts": { paths: [`${social}/upcoming-posts?limit=10`] },
    "create-post": { paths: [`${social}/create-post`], method: "POST", body, grows: true },
  };
  return Object.entries(operations).map(([operation, { paths, method = "GET", body: sent, grows = false }]) => {
    const headersOf = (token) => ({
      Authorization: `Bearer ${token}`,
      ...(sent === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(sent) }),
    });
    return {
      operation,
      size,
      port,
      method,
      body: sent,
      grows,
      runs: [],
      requests: (tokenCount) =>
        Array.from({ length: Math.max(tokenCount, paths.length) }, (_, at) => ({
          path: paths[at % paths.length],
          headers: headersOf(tokens[at % tokenCount]),
        })),
      sampleCosts: () => sampleCosts(origin, method, paths[0], headersOf(tokens[0]), sent),
    };
  });
}

/** Costs in steady state: the median of each count over some requests of one token. */
async function sampleCosts(origin, method, path, headers, body) {
  const samples = [];
  for (let i = 0; i < 11; i++) {
    const response = await fetch(`${origin}${path}`, { method, headers, body });
    await response.text();
    samples.push(readCosts(response.headers.get("Server-Timing")));
  }
  return Object.fromEntries(Object.keys(samples[0]).map((name) => [name, median(samples.map((each) => each[name]))]));
}

/** A round measures every case once, every other round backwards: what drifts then meets all alike. */
async function runRounds(load, cases) {
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
      each.runs.push(await measure(load, each, RUN_SECONDS));
    }
  }
}

/** Tells how many tokens this case's pace needs. */
async function warmUp(load, each) {
  each.tokenCount = TOKENS;
  const { perSecond } = await measure(load, each, WARM_UP_SECONDS);
  each.tokenCount = Math.min(TOKENS, Math.max(FEWEST_TOKENS, Math.ceil(perSecond / PER_TOKEN)));
}

async function measure(load, { operation, port, method, body, requests, tokenCount }, runSeconds) {
  const job = { port, method, body, requests: requests(tokenCount), connections: CONNECTIONS, seconds: runSeconds };
  const result = await load.run(job);
  const others = Object.keys(result.statuses).filter((status) => status !== "200");
  if (others.length > 0)
    throw new Refusal(`${operation} answered ${JSON.stringify(result.statuses)}: nothing to measure.`);
  return result;
}

function resultTable(cases) {
  const number = (value, digits = 0) => (value === undefined || Number.isNaN(value) ? "" : value.toFixed(digits));
  const rows = cases.map(({ operation, size, runs, costs }) => {
    const of = (name) => median(runs.map((run) => run[name]));
    return [
      operation,
      size,
      number(of("perSecond")),
      number(of("p50"), 2),
      number(of("p99"), 2),
      ...["calls", "statements", "rowsRead", "rowsWritten", "kv", "objects", "sends"].map((name) =>
        number(costs?.[name]),
      ),
    ];
  });
  const header = ["OPERATION", "POSTS", "REQ/S", "P50 MS", "P99 MS", "D1 CALLS", "STATEMENTS", "ROWS READ", "WRITTEN"];
  return table([...header, "KV READS", "DO CALLS", "SENDS"], rows, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

/** Runs of one round are compared with each other, then the median over the rounds is taken. */
function checkPromises(cases) {
  const runsOf = (operation, size) => cases.find((each) => each.operation === operation && each.size === size).runs;
  const ratio = (over, under) => median(over.map(({ perSecond }, round) => perSecond / under[round].perSecond));
  const bare = runsOf(BARE, "1k");
  const promises = [
    ...Object.keys(SIZES).map((size) => {
      const found = ratio(runsOf("find-post", size), bare);
      return {
        name: `find-post (${size}) / bare`,
        found,
        rule: `≥ ${FIND_POST_AT_LEAST}`,
        holds: found >= FIND_POST_AT_LEAST,
      };
    }),
    (() => {
      const found = ratio(runsOf("get-posts", "1k"), runsOf("get-posts", "200k"));
      const rule = `≤ ${GET_POSTS_AT_MOST}`;
      return { name: "get-posts, time at 200k / 1k", found, rule, holds: found <= GET_POSTS_AT_MOST };
    })(),
  ];
  say();
  for (const { name, found, rule, holds } of promises) {
    say(`  ${holds ? green("✓") : red("✗")} ${name.padEnd(30)} ${found.toFixed(2)}  ${dim(`(${rule})`)}`);
  }
  return promises.every(({ holds }) => holds);
}

/** A hundred places spread over `count`. */
const spread = (count) => Array.from({ length: 100 }, (_, at) => Math.floor(((at * 37) % 100) * (count / 100)));
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(0)} s`;

await runCommand(bench);
