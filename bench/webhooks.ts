import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { createSurely, type NewPost } from "../scripts/support/api.ts";
import type { Scope } from "../scripts/support/command.ts";
import { atOnce, type Finding } from "../scripts/support/driver.ts";
import { callJson, listenLocally, waitFor } from "../scripts/support/http.ts";
import { readEvent } from "../scripts/support/logs.ts";
import { say, table } from "../scripts/support/terminal.ts";
import { bootWorld, connectAll, type World } from "../scripts/support/world.ts";
import { limited } from "./promises.ts";

/** Events of one project, sent to its own server: one in a request, and up to a hundred. */
const SIZES = [1, 100] as const;
const EVENTS = 600;
/** In batches, as the endpoint of a project with so many events asks for. */
const AT_LEAST_A_SECOND = 200;
const MOST_CALLS: Readonly<Record<(typeof SIZES)[number], number>> = { 1: 4, 100: 2 };
const CONNECTIONS = 8;
const TIMEOUT_MS = 240_000;

const Invocation = z.object({
  event: z.literal("invocation"),
  queue: z.string(),
  d1Calls: z.int(),
  d1RowsWritten: z.int(),
});
const Batch = z.object({ type: z.literal("batch"), events: z.array(z.unknown()) });

interface Received {
  events: number;
  requests: number;
  firstAt: number;
  lastAt: number;
}
const newReceived = (): Received => ({ events: 0, requests: 0, firstAt: 0, lastAt: 0 });

/** Replays the same events to a webhook of each size, and counts them where they arrive. */
export async function measureWebhooks(scope: Scope): Promise<readonly Finding[]> {
  const cost = { calls: 0, written: 0 };
  const onLine = (line: string) => {
    const invocation = Invocation.safeParse(readEvent(line)).data;
    if (!invocation?.queue.endsWith("-hooks")) return;
    cost.calls += invocation.d1Calls;
    cost.written += invocation.d1RowsWritten;
  };
  const world = await bootWorld(scope, { variables: { LOG_LEVEL: "all" }, logLevel: "log", onLine });
  let received = newReceived();
  const port = await listenLocally(scope, async (request, response) => {
    const count = await countEvents(request);
    received.firstAt ||= Date.now();
    received.lastAt = Date.now();
    received.events += count;
    received.requests++;
    response.writeHead(204).end();
  });
  const url = `http://localhost:${port}/`;
  const since = new Date();
  // Events are kept for webhooks from the first one on; this one takes none of these.
  await callSocial(world, "POST", "create-webhook", { url, events: ["post.failed"] });
  await fillEvents(world);
  const rows: (string | number)[][] = [];
  const findings: Finding[] = [];
  for (const size of SIZES) {
    received = newReceived();
    Object.assign(cost, { calls: 0, written: 0 });
    const sent = await replay(world, { url, size, since });
    await waitFor(async () => received.events >= sent, { timeoutMs: TIMEOUT_MS, everyMs: 50 });
    // The results of the last requests follow their answers.
    await waitFor(async () => Date.now() - received.lastAt > 3_000, { timeoutMs: TIMEOUT_MS });
    const { events, requests, firstAt, lastAt } = received;
    const aSecond = Math.round((events * 1000) / Math.max(1, lastAt - firstAt));
    const calls = cost.calls / events;
    rows.push([size, events, requests, aSecond, calls.toFixed(2), (cost.written / events).toFixed(1)]);
    const found = `${aSecond} events a second, ${calls.toFixed(2)} D1 calls each`;
    const isFast = size === 1 || aSecond >= AT_LEAST_A_SECOND;
    const rule = `all ${sent}, ≤ ${MOST_CALLS[size]} calls${size === 1 ? "" : `, ≥ ${AT_LEAST_A_SECOND} a second`}`;
    const holds = events === sent && calls <= MOST_CALLS[size] && isFast;
    findings.push(limited(`webhooks, up to ${size} in a request`, found, rule, holds));
  }
  const header = ["EVENTS IN A REQUEST", "EVENTS", "REQUESTS", "EVENTS A SECOND", "D1 CALLS EACH", "ROWS WRITTEN EACH"];
  say(`\n${table(header, rows)}`);
  return findings;
}

async function countEvents(request: IncomingMessage): Promise<number> {
  let text = "";
  for await (const part of request) text += String(part);
  const batch = Batch.safeParse(JSON.parse(text)).data;
  return batch?.events.length ?? 1;
}

/** Each scheduled post is an event. */
async function fillEvents(world: World): Promise<void> {
  await connectAll(world, ["facebook"], 1);
  const [channel] = await world.api.listChannels();
  const body: NewPost = {
    channel_type: "facebook",
    channel_id: channel?.channel_id ?? 0,
    post_type: "post",
    publish_mode: "scheduled",
    schedule_time: `${new Date().getUTCFullYear() + 2}-06-15 12:00`,
    time_zone: "UTC",
    media_urls: [],
  };
  const texts = Array.from({ length: EVENTS }, (_, at) => `An event of the bench, ${at + 1}`);
  await atOnce(CONNECTIONS, texts, (caption_text) => createSurely(world.api, { ...body, caption_text }, caption_text));
}

const Created = z.object({ webhook: z.object({ id: z.int() }) });
const Replayed = z.object({ replayed: z.int(), next_cursor: z.string().nullable() });

interface Replay {
  readonly url: string;
  readonly size: number;
  readonly since: Date;
}

async function callSocial({ service, token }: World, method: string, path: string, body: unknown): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await callJson(method, `${service.origin}/api/v1/social/${path}`, { headers, body });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates a webhook and sends it all events since then; returns how many. */
async function replay(world: World, { url, size, since }: Replay): Promise<number> {
  const created = await callSocial(world, "POST", "create-webhook", { url, events_per_request: size });
  const { webhook } = Created.parse(created);
  const from = since.toISOString();
  let [count, cursor] = [0, null as string | null];
  do {
    const window = { from, ...(cursor === null ? {} : { cursor }) };
    const replayed = Replayed.parse(await callSocial(world, "POST", `replay-webhook/${webhook.id}`, window));
    count += replayed.replayed;
    cursor = replayed.next_cursor;
  } while (cursor !== null);
  return count;
}
