import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { GENERATION_TYPES, type GenerationType } from "../../src/generations/table.ts";
import type { Fault } from "../../test/support/control.ts";
import type { Random } from "../../test/support/random.ts";
import { type Generation, surely } from "./api.ts";
import type { Scope } from "./command.ts";
import {
  conclude,
  countEach,
  faultsAt,
  fireCronOften,
  injectFaults,
  killOften,
  type Run,
  type SoakOptions,
  sayMetFaults,
  sayWrongs,
  shuffled,
  startRun,
  untilRest,
} from "./driver.ts";
import { listenLocally } from "./http.ts";
import { inTurn } from "./soak-plan.ts";
import { dim, say, table } from "./terminal.ts";
import type { World } from "./world.ts";

/**
 * The third part of `npm run soak`: posts are generated while the service is killed and its models return
 * faults. A receiver at a loopback address, which sometimes fails, gets their webhooks. Then each generation
 * has ended, with a reason if it failed. No model worked twice for one. Each webhook has one id and matches
 * the stored result.
 */

const KILLS = { most: 10, withinMs: 120_000 };
const CREATE_WITHIN_MS = 110_000;
const FAULTS_WITHIN_MS = 120_000;
/** The time limit from the first generation. */
const END_MS = 480_000;
const VARIABLES = { JOB_LEASE_SECONDS: "35", PACE_FACTOR: "1000", TASK_CLAIM_SECONDS: "60" };
/** Longer than an isolate may be down, so that videos are polled as well. */
const SETTINGS = { models_video_ms: 3_000, slow_ms: 4_000, rate_limit_reset_ms: 3_000 };
/**
 * For half of the time the server ignores idempotency keys: a video whose response was lost is found by its
 * prompt.
 */
const KEYLESS_AFTER_MS = 60_000;
/** The percentage of each response of the receiver. */
const MOODS = [
  { of100: 15, status: 500 },
  { of100: 10, status: null },
] as const;

interface Made {
  readonly id: string;
  readonly type: GenerationType;
  /** Part of the input, and therefore of all model requests. */
  readonly word: string;
}

interface Got {
  readonly id: string;
  readonly text: string;
  readonly isSigned: boolean;
}

/** Returns the exit code. */
export async function soakGenerations(scope: Scope, { seed, count, realism }: SoakOptions): Promise<number> {
  const run = await startRun(scope, { title: `soak: ${count} generations`, seed, variables: VARIABLES, realism });
  const { api, control } = run.world;
  await control.settings(SETTINGS);
  const receiver = await listen(scope, await api.rotateWebHookSecret(), run.random);
  const faults = shuffled(FAULTS, run.random);
  fireCronOften(run);
  const endsAt = Date.now() + END_MS;
  const [made, kills] = await Promise.all([
    create(run.world, count, receiver.origin),
    killOften(run, KILLS),
    injectFaults(run, faults, FAULTS_WITHIN_MS),
    sleep(KEYLESS_AFTER_MS).then(() => control.settings({ models_idempotency: false })),
  ]);
  const ended = new Map<string, Generation>();
  const rest = { until: "each has ended and its webhook has arrived", everyMs: 4000, timeoutMs: endsAt - Date.now() };
  await untilRest(run, rest, async () => {
    const listed = await api.listGenerations().catch(() => []);
    for (const one of listed) if (one.status !== "queued") ended.set(one.id, one);
    const received = new Set(receiver.got.map(({ id }) => id));
    return made.flatMap(({ id, word }) => (ended.has(id) && received.has(`gen_${id}`) ? [] : [word]));
  });
  return report(run, { made, ended, got: receiver.got, faults, kills });
}

const OPERATIONS = ["chat", "image", "speech", "video", "video_status", "video_content"];
const FAULTS = [
  ...faultsAt("models", OPERATIONS, { error: 1, html_error: 1, empty_error: 1, gateway_refusal: 1, slow: 1 }),
  ...faultsAt("models", OPERATIONS, { rate_limit: 1, accept_then_drop: 1, accept_then_error: 1 }),
  ...faultsAt("models", ["video"], { processing_failed: 1 }),
];

/** A customer's receiver that sometimes fails, or does not respond until its caller times out. */
async function listen(scope: Scope, secret: string, random: Random) {
  const got: Got[] = [];
  const verifier = new Webhook(secret);
  const port = await listenLocally(scope, async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    got.push({ id: headers["webhook-id"] ?? "", text: body, isSigned: isSigned(verifier, body, headers) });
    const roll = random.between(0, 99);
    const mood = MOODS.find((_, at) => roll < MOODS.slice(0, at + 1).reduce((sum, { of100 }) => sum + of100, 0));
    if (mood?.status === null) return;
    response.writeHead(mood?.status ?? 204).end();
  });
  return { got, origin: `http://127.0.0.1:${port}` };
}

function isSigned(verifier: Webhook, text: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

/** Only letters, and long, so that the models choose it as the topic. */
function wordOf(index: number): string {
  const letters = [...String(index).padStart(4, "0")].map((digit) => "abcdefghij"[Number(digit)]);
  return `zanzibarian${letters.join("")}`;
}

async function create({ api }: World, count: number, origin: string): Promise<Made[]> {
  const since = Date.now();
  const made: Made[] = [];
  for (let index = 0; index < count; index++) {
    const [type, word] = [inTurn(GENERATION_TYPES, index), wordOf(index)];
    const body = { post_type: type, input: `Our bakery has ${word} buns again`, web_hook: `${origin}/${word}` };
    made.push({ id: await surely(() => api.createGeneration(body, word)), type, word });
    await sleep(Math.max(0, since + (CREATE_WITHIN_MS / count) * (index + 1) - Date.now()));
  }
  return made;
}

const Calls = z.array(z.looseObject({ operation: z.string(), request: z.unknown(), paid: z.boolean() }));

interface Outcome {
  readonly made: readonly Made[];
  readonly ended: ReadonlyMap<string, Generation>;
  readonly got: readonly Got[];
  readonly faults: readonly Fault[];
  readonly kills: number;
}

async function report(run: Run, { made, ended, got, faults, kills }: Outcome): Promise<number> {
  const calls = Calls.parse(await run.world.control.control("GET", "model-calls")).filter(({ paid }) => paid);
  const wanted = calls.map(({ operation, request }) => ({ operation, text: JSON.stringify(request) }));
  const wrongs = made.flatMap((one) => wrongsOf(one, ended.get(one.id), wanted, got));
  const rows = GENERATION_TYPES.map((type) => {
    const own = made.filter((one) => one.type === type).map(({ id }) => ended.get(id));
    const codes = own.flatMap((one) => (one?.status === "failed" ? [one.error_code ?? "without a code"] : []));
    return [type, own.length, own.filter((one) => one?.status === "done").length, codes.length, countEach(codes)];
  });
  say(`\n${table(["KIND", "GENERATIONS", "DONE", "FAILED", "WHY"], rows)}\n`);
  await sayMetFaults(run, faults);
  say(dim(`  ${calls.length} calls were paid for.`));
  sayWrongs(wrongs);
  return conclude(run, wrongs.length, `${kills} kills, ${faults.length} faults, ${got.length} messages`);
}

const Shown = z.looseObject({ id: z.string(), status: z.string(), media_urls: z.array(z.string()) });

function wrongsOf(
  { id, type, word }: Made,
  ended: Generation | undefined,
  wanted: readonly { readonly operation: string; readonly text: string }[],
  got: readonly Got[],
): readonly string[] {
  const who = `${type} ${word}`;
  if (!ended) return [`${who} has not ended`];
  const own = wanted.filter(({ text }) => text.includes(word));
  const paid = [...Map.groupBy(own, ({ operation }) => operation)].filter(([, all]) => all.length > 1);
  const shown = got.filter((one) => one.text.includes(`"${id}"`));
  const bodies = new Set(shown.map(({ text }) => text));
  const [body] = bodies;
  const last = body === undefined ? null : Shown.parse(JSON.parse(body));
  return [
    ...paid.map(([operation, all]) => `${who}: ${operation} was paid ${all.length} times`),
    ...(ended.status === "failed" && !(ended.error && ended.error_code) ? [`${who} failed without a reason`] : []),
    ...(ended.status === "done" && ended.caption_text === "" ? [`${who} is done but empty`] : []),
    ...(shown.length === 0 ? [`${who}: no webhook arrived`] : []),
    ...(bodies.size > 1 || new Set(shown.map((one) => one.id)).size > 1 ? [`${who}: its webhooks differ`] : []),
    ...(shown.some((one) => !one.isSigned) ? [`${who}: a message was not signed`] : []),
    ...(last && last.status !== ended.status ? [`${who} is ${ended.status}, but its webhook says ${last.status}`] : []),
  ];
}
