import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { GENERATION_TYPES, type GenerationType } from "../../src/generations/table.ts";
import type { Fault } from "../../test/support/control.ts";
import { type Random, seededRandom } from "../../test/support/random.ts";
import { ApiError, type Generation } from "./api.ts";
import type { Scope } from "./command.ts";
import { inTurn } from "./soak-plan.ts";
import { bold, dim, elapsed, green, red, say, table } from "./terminal.ts";
import { fireOften, killOften, type Spell, shuffled, spoilCalls } from "./trouble.ts";
import { bootWorld, type Realism, type World } from "./world.ts";

/**
 * The third part of `npm run soak`: posts are generated while the service is killed and its models return
 * faults. A receiver at a loopback address, which sometimes fails, gets their webhooks. Then each generation
 * has ended, with a reason if it failed. No model worked twice for one. Each webhook has one id and matches
 * the stored result.
 */

const KILLS = 10;
const KILLS_UNTIL_MS = 120_000;
const CREATE_WITHIN_MS = 110_000;
const SPOIL_WITHIN_MS = 120_000;
/** The time limit from the first generation. */
const END_MS = 480_000;
const LOOK_EVERY_MS = 5_000;
const MOST_SHOWN = 20;
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
export async function soakGenerations(scope: Scope, seed: number, count: number, realism: Realism): Promise<number> {
  const random = seededRandom(seed);
  say(`${bold("Belfry soak")}: ${count} generations, ${KILLS} kills, seed ${seed}`);
  const world = await bootWorld(scope, { variables: VARIABLES, realism });
  await world.control.settings(SETTINGS);
  const secret = await world.api.rotateWebHookSecret();
  const receiver = await listen(scope, secret, random);
  const faults = shuffled(modelFaults(), random);
  const run: Spell = { since: Date.now(), isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const cron = fireOften(world, run);
  const [made, kills] = await Promise.all([
    create(world, run, count, receiver.origin),
    killOften(world, run, random, { most: KILLS, untilMs: KILLS_UNTIL_MS }),
    spoilCalls(world, run, faults, SPOIL_WITHIN_MS),
    sleep(KEYLESS_AFTER_MS).then(() => world.control.settings({ models_idempotency: false })),
  ]);
  say(dim(`${elapsed(run.since)}  ${kills} kills; waiting until each has ended and was told …`));
  const ended = await settle(world, run, made, receiver.got);
  run.isOver = true;
  await cron;
  return report(world, { made, ended, got: receiver.got, faults, kills, seed, since: run.since });
}

function modelFaults(): readonly Fault[] {
  const operations = ["chat", "image", "speech", "video", "video_status", "video_content"];
  const kinds = [
    "error",
    "html_error",
    "empty_error",
    "gateway_refusal",
    "slow",
    "rate_limit",
    "accept_then_drop",
    "accept_then_error",
  ];
  const common = operations.flatMap((operation) =>
    kinds.map((kind) => ({ platform: "models", operation, kind, times: 1 })),
  );
  return [...common, { platform: "models", operation: "video", kind: "processing_failed", times: 1 }];
}

/** A customer's receiver that sometimes fails, or does not respond until its caller times out. */
async function listen(scope: Scope, secret: string, random: Random) {
  const got: Got[] = [];
  const verifier = new Webhook(secret);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    got.push({ id: headers["webhook-id"] ?? "", text, isSigned: isSigned(verifier, text, headers) });
    const roll = random.between(0, 99);
    const mood = MOODS.find((_, at) => roll < MOODS.slice(0, at + 1).reduce((sum, { of100 }) => sum + of100, 0));
    if (mood?.status === null) return;
    response.writeHead(mood?.status ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
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

async function create(world: World, run: Spell, count: number, origin: string): Promise<Made[]> {
  const made: Made[] = [];
  for (let index = 0; index < count; index++) {
    const [type, word] = [inTurn(GENERATION_TYPES, index), wordOf(index)];
    const body = { post_type: type, input: `Our bakery has ${word} buns again`, web_hook: `${origin}/${word}` };
    made.push({ id: await createSurely(world, body), type, word });
    await sleep(Math.max(0, run.since + (CREATE_WITHIN_MS / count) * (index + 1) - Date.now()));
  }
  return made;
}

async function createSurely({ api }: World, body: Parameters<typeof api.createGeneration>[0]): Promise<string> {
  const key = crypto.randomUUID();
  for (;;) {
    try {
      return await api.createGeneration(body, key);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && ![409, 429].includes(error.status)) throw error;
      await sleep(400);
    }
  }
}

async function settle(world: World, run: Spell, made: readonly Made[], got: readonly Got[]) {
  const ended = new Map<string, Generation>();
  while (Date.now() < run.since + END_MS) {
    await sleep(LOOK_EVERY_MS);
    const listed = await world.api.listGenerations().catch(() => []);
    for (const one of listed) if (one.status !== "queued") ended.set(one.id, one);
    const shown = new Set(got.map(({ id }) => id));
    const open = made.filter(({ id }) => !ended.has(id) || !shown.has(`gen_${id}`));
    say(dim(`${elapsed(run.since)}  ${open.length} open`));
    if (open.length === 0) break;
  }
  return ended;
}

const Calls = z.array(z.looseObject({ operation: z.string(), request: z.unknown(), paid: z.boolean() }));

interface Outcome {
  readonly made: readonly Made[];
  readonly ended: ReadonlyMap<string, Generation>;
  readonly got: readonly Got[];
  readonly faults: readonly Fault[];
  readonly kills: number;
  readonly seed: number;
  readonly since: number;
}

async function report({ control }: World, outcome: Outcome): Promise<number> {
  const { made, ended, got, faults, kills, seed, since } = outcome;
  const calls = Calls.parse(await control.control("GET", "model-calls")).filter(({ paid }) => paid);
  const asked = calls.map(({ operation, request }) => ({ operation, text: JSON.stringify(request) }));
  const unmet = (await control.faults()).reduce((sum, { times }) => sum + times, 0);
  const wrongs = made.flatMap((one) => wrongsOf(one, ended.get(one.id), asked, got));
  const rows = GENERATION_TYPES.map((type) => {
    const own = made.filter((one) => one.type === type).map(({ id }) => ended.get(id));
    const codes = own.flatMap((one) => (one?.status === "failed" ? [one.error_code ?? "without a code"] : []));
    const counted = [...Map.groupBy(codes, (code) => code)].map(([code, all]) => `${code} ${all.length}`);
    return [type, own.length, own.filter((one) => one?.status === "done").length, codes.length, counted.join(", ")];
  });
  say(`\n${table(["KIND", "GENERATIONS", "DONE", "FAILED", "WHY"], rows, [1, 2, 3])}\n`);
  say(
    dim(`  ${faults.length - unmet} of ${faults.length} spoilt calls were met; ${calls.length} calls were paid for.`),
  );
  for (const wrong of wrongs.slice(0, MOST_SHOWN)) say(`  ${red(wrong)}`);
  const facts = `${kills} kills, ${faults.length} faults, ${got.length} messages, seed ${seed}, ${elapsed(since).trim()}`;
  const verdict =
    wrongs.length === 0 ? green("The promise holds") : red(`The promise is broken ${wrongs.length} times`);
  say(`\n${verdict}: ${facts}.`);
  return wrongs.length === 0 ? 0 : 1;
}

const Shown = z.looseObject({ id: z.string(), status: z.string(), media_urls: z.array(z.string()) });

function wrongsOf(
  { id, type, word }: Made,
  ended: Generation | undefined,
  asked: readonly { readonly operation: string; readonly text: string }[],
  got: readonly Got[],
): readonly string[] {
  const who = `${type} ${word}`;
  if (!ended) return [`${who} has not ended`];
  const own = asked.filter(({ text }) => text.includes(word));
  const paid = [...Map.groupBy(own, ({ operation }) => operation)].filter(([, all]) => all.length > 1);
  const shown = got.filter((one) => one.text.includes(`"${id}"`));
  const bodies = new Set(shown.map(({ text }) => text));
  const [body] = bodies;
  const last = body === undefined ? null : Shown.parse(JSON.parse(body));
  return [
    ...paid.map(([operation, all]) => `${who}: ${operation} was paid ${all.length} times`),
    ...(ended.status === "failed" && !(ended.error && ended.error_code) ? [`${who} failed without a reason`] : []),
    ...(ended.status === "done" && ended.caption_text === "" ? [`${who} is done and empty`] : []),
    ...(shown.length === 0 ? [`${who} was not told`] : []),
    ...(bodies.size > 1 || new Set(shown.map((one) => one.id)).size > 1 ? [`${who} was told in two ways`] : []),
    ...(shown.some((one) => !one.isSigned) ? [`${who}: a message was not signed`] : []),
    ...(last && last.status !== ended.status ? [`${who} is ${ended.status} and was told as ${last.status}`] : []),
  ];
}
