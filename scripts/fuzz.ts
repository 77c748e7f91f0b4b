import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, makeCase } from "../test/fuzz/cases.ts";
import { type Api, readApi } from "../test/fuzz/document.ts";
import { createJudge, type Judge } from "../test/fuzz/verdict.ts";
import { makeWire, type Wire } from "../test/fuzz/wire.ts";
import { Refusal, readArguments, readSeed, readWhole, runCommand, type Scope } from "./support/command.ts";
import { atOnce, conclude, countEach, note, type Run, startRun } from "./support/driver.ts";
import { agent, sendCase, sendWire } from "./support/fuzz-http.ts";
import { type Prepared, prepareFuzz } from "./support/fuzz-world.ts";
import { callJson } from "./support/http.ts";
import { dim, red, say, yellow } from "./support/terminal.ts";

const COUNT = 2_000;
const MOST = 999_999;
const AT_ONCE = 8;
/** The maximum response time. */
const SLOW_MS = 1_000;
/** Retries of a slow request alone, because the machine may have been busy. */
const TRIES_ALONE = 3;
/** One request in this many is sent to a socket as raw bytes. */
const WIRE_EVERY = 40;
const MOST_SHOWN = 25;
/** Stops at this many problems: later ones are mostly duplicates. */
const ENOUGH = 200;

const USAGE = `npm run fuzz -- [--count N] [--seed S] [--case K]

Starts the service and the sandbox on their own ports, and sends N requests (default: ${COUNT}) that are derived from the OpenAPI document,
valid and broken ones. Checks each response: no 5xx, at most one second, an error body and a request id where they are required, and the
documented body of its status. The same seed creates the same requests; --case K sends only request K. Exits with 0 only if all checks hold.`;

interface Fuzz extends Run {
  readonly origin: URL;
  readonly api: Api;
  readonly judge: Judge;
  readonly prepared: Prepared;
}

interface Tally {
  problems: number;
  readonly slow: Set<number>;
  readonly statuses: string[];
  slowest: number;
}

async function fuzz(scope: Scope): Promise<number> {
  const options = readArguments({
    count: { type: "string" },
    seed: { type: "string" },
    case: { type: "string" },
  });
  if (options.case !== undefined && options.count !== undefined)
    throw new Refusal("--case is one request: remove --count.");
  if (options.case !== undefined && options.seed === undefined)
    throw new Refusal("--case needs the --seed that created it.");
  const count = readWhole("count", options.count ?? String(COUNT), MOST);
  const numbers =
    options.case === undefined ? Array.from({ length: count }, (_, at) => at) : [readWhole("case", options.case, MOST)];
  const what = options.case === undefined ? `${count} requests` : `case ${options.case}`;
  const run = await start(scope, { title: `fuzz: ${what}`, seed: readSeed(options.seed) });
  note(run, `ready at ${run.origin.origin}`);
  const tally: Tally = { problems: 0, slow: new Set(), statuses: [], slowest: 0 };
  await sendAll(run, numbers, tally);
  await repeatSlow(run, tally);
  say(`\n  ${countEach(tally.statuses)}`);
  const slow = `${tally.slow.size} took over a second in parallel, the longest ${Math.round(tally.slowest)} ms`;
  if (tally.problems > MOST_SHOWN) say(yellow(`\n  … and ${tally.problems - MOST_SHOWN} more`));
  return conclude(run, tally.problems, `${numbers.length} requests, ${slow}`);
}

async function start(scope: Scope, options: { readonly title: string; readonly seed: number }): Promise<Fuzz> {
  const run = await startRun(scope, options);
  scope.defer(() => agent.destroy());
  const origin = new URL(run.world.service.origin);
  const document = await callJson("GET", `${origin.origin}/api/v1/openapi.json`);
  const api = readApi(document.body);
  return { ...run, origin, api, judge: createJudge(api), prepared: await prepareFuzz(run.world) };
}

async function sendAll(run: Fuzz, numbers: readonly number[], tally: Tally): Promise<void> {
  await atOnce(AT_ONCE, numbers, async (number, at) => {
    if (tally.problems >= ENOUGH) return;
    const { status, problems, ms } = await sendOne(run, number);
    for (const problem of problems) noteProblem(run, tally, number, problem);
    tally.statuses.push(status);
    tally.slowest = Math.max(tally.slowest, ms);
    if (ms > SLOW_MS) tally.slow.add(number);
    if ((at + 1) % 2_000 === 0) note(run, `${at + 1} sent, ${tally.problems} problems`);
  });
}

const isWire = (number: number): boolean => number % WIRE_EVERY === WIRE_EVERY - 1;

interface Sent {
  /** Of the response, and its sender if that is not the service. */
  readonly status: string;
  readonly problems: readonly string[];
}

async function sendOne(run: Fuzz, number: number): Promise<Sent & { readonly ms: number }> {
  const since = performance.now();
  const sent = await (isWire(number) ? tryWire : tryCase)(run, number).catch((error: unknown) => {
    return { status: "none", problems: [error instanceof Error ? error.message : String(error)] };
  });
  return { ...sent, ms: performance.now() - since };
}

/** Prints immediately, because a run is long. */
function noteProblem(run: Fuzz, tally: Tally, number: number, what: string): void {
  tally.problems++;
  if (tally.problems <= MOST_SHOWN) explain(run, number, what);
}

async function tryCase(run: Fuzz, number: number): Promise<Sent> {
  const made = caseOf(run, number);
  const answer = await sendCase(run.origin, made, run.prepared.authorization(made.bearer, number));
  return { status: String(answer.status), problems: run.judge(made, answer) };
}

/**
 * The HTTP server in front of the service handles most raw requests, and it differs between development and
 * production. The checks are therefore only: the service returns no 5xx, and every connection is answered or
 * closed in time.
 */
async function tryWire(run: Fuzz, number: number): Promise<Sent> {
  const token = run.prepared.authorization("own", number)?.replace("Bearer ", "") ?? "";
  const { status, isOurs } = await sendWire(run.origin, makeWire(run.seed, number), token);
  if (!isOurs) return { status: status === null ? "closed" : `${status} in front`, problems: [] };
  const isBroken = status !== null && status >= 500;
  return { status: String(status), problems: isBroken ? [`${status} on the wire`] : [] };
}

const caseOf = ({ api, prepared, seed }: Fuzz, number: number): Case => makeCase(api, prepared.world, seed, number);

/** Repeats slow requests alone; a request counts only if it is slow every time. */
async function repeatSlow(run: Fuzz, tally: Tally): Promise<void> {
  for (const number of tally.slow) {
    const times: number[] = [];
    while (times.length < TRIES_ALONE && Math.min(...times) > SLOW_MS) times.push((await sendOne(run, number)).ms);
    const best = Math.min(...times);
    if (best > SLOW_MS) noteProblem(run, tally, number, `takes ${Math.round(best)} ms, alone`);
  }
}

function explain(run: Fuzz, number: number, what: string): void {
  say(`\n  ${red(`Case ${number}`)}: ${what}`);
  say(dim(`    npm run fuzz -- --seed ${run.seed} --case ${number}`));
  if (isWire(number)) {
    showWire(makeWire(run.seed, number));
    return;
  }
  const made = caseOf(run, number);
  say(`    ${made.operation?.id ?? made.method}: ${made.what}`);
  say(`    ${curlOf(run, made)}`);
}

function showWire({ what, text }: Wire): void {
  say(`    ${what}: printf ${quoted(JSON.stringify(text.slice(0, 400)).slice(1, -1))} | nc $HOST $PORT`);
}

/**
 * A curl command to reproduce the request: `$BELFRY` is the service's address, `$TOKEN` a token of its
 * project.
 */
function curlOf(run: Fuzz, { number, method, target, headers, bearer, body }: Case): string {
  const authorization = bearer === "own" ? "Bearer $TOKEN" : run.prepared.authorization(bearer, number);
  const parts = [
    "curl -si --path-as-is",
    method === "HEAD" ? "-I" : `-X ${method}`,
    ...headers.map(([name, value]) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ...(authorization === null ? [] : [`-H "Authorization: ${authorization.replace(/["\\`]/g, "\\$&")}"`]),
    ...(body === null ? [] : [bodyOf(run, number, body)]),
    `"$BELFRY"${quoted(target)}`,
  ];
  return parts.join(" ");
}

function bodyOf({ seed }: Fuzz, number: number, body: Uint8Array): string {
  const text = new TextDecoder().decode(body);
  if (text.length <= 1_000 && /^[\x20-\x7e]*$/.test(text)) return `--data-binary ${quoted(text)}`;
  const file = join(tmpdir(), `belfry-fuzz-${seed}-${number}.body`);
  writeFileSync(file, body);
  return `--data-binary @${file}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

await runCommand(USAGE, fuzz);
