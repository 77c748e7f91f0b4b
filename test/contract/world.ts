import { env } from "cloudflare:workers";
import { z } from "zod";
import type { Capability, PlatformName } from "../../src/platforms/names.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { accountsOf } from "../support/accounts.ts";
import { queuesIdle } from "../support/queue.ts";
import { type LivePost, SANDBOX, sandbox } from "../support/sandbox.ts";
import { type ChannelRef, CreatedPost, createPost, findPost, type Project, projectWith } from "../support/world.ts";
import { FACTS, type Facts, SAMPLES, type Settings } from "./facts.ts";
import { type Plan, planOf } from "./plan.ts";
import { isSilent, type Shape } from "./shapes.ts";
import { untilAllIsShown } from "./shown.ts";

/**
 * What the tests of the contract share: channels on every platform of the registry, and posts of every shape
 * there.
 */
export type Name = keyof typeof FACTS;
export const NAMES = Object.keys(platforms).filter((name): name is Name => name in FACTS);

const PLANS = new Map<PlatformName, Plan>(
  Object.values(platforms).map((platform) => [platform.name, planOf(platform, SAMPLES)]),
);

export function planFor(name: PlatformName): Plan {
  const plan = PLANS.get(name);
  if (!plan) throw new Error(`${name} has no adapter.`);
  return plan;
}

/** Shapes by platform, each with its name, for `test.for`. */
export function shapesOn(chosen: (plan: Plan, name: Name) => readonly Shape[]) {
  return NAMES.flatMap((name) => chosen(planFor(name), name).map((shape) => [name, shape.name, shape] as const));
}

export function factsOf(name: Name): Facts {
  return FACTS[name];
}

export function shapeOf(name: PlatformName, wanted: string): Shape {
  const shape = planFor(name).shapes.find((one) => one.name === wanted);
  if (!shape) throw new Error(`${name} has no shape called ${wanted}.`);
  return shape;
}

/** The simplest thing that can be posted there. */
export function plainestOn(name: PlatformName): Shape {
  const { shapes, richest } = planFor(name);
  return shapes[0] ?? richest;
}

/** The first shape of one item that the platform can have comments on. */
export function commentableOn(name: PlatformName): Shape {
  const types = platforms[name]?.comments?.types ?? [];
  const shape = planFor(name).shapes.find(({ type, items }) => types.includes(type) && items.length === 1);
  return shape ?? plainestOn(name);
}

const Accounts = z.record(z.enum(NAMES), z.tuple([z.string(), z.string()], z.string()));

/**
 * The accounts that the sandbox offers, by platform: the first for most tests, the second for those that ruin
 * one.
 */
export const ACCOUNTS = Accounts.parse(
  Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await accountsOf(name)]))),
);

export function media(name: string): string {
  return sandbox.media(name).replace("http:", "https:");
}

interface HomeKind {
  /** Whether its person goes through the further logins that publishing and comments have. */
  readonly isWhole?: boolean;
}

/** A project with a channel of the platform, connected through the hosted pages. */
export async function homeOn(
  name: Name,
  account = ACCOUNTS[name][0],
  { isWhole = false }: HomeKind = {},
): Promise<Home> {
  await settings(factsOf(name).roomy);
  const purposes = (platforms[name]?.additionalLogins ?? []).map(({ purpose }) => purpose);
  const further = isWhole ? purposes.filter((purpose) => purpose !== "ads") : [];
  return projectWith(name, account, { further });
}

/** The same with an account of its own. */
export const freshHome = async (name: Name, kind?: HomeKind): Promise<Home> =>
  homeOn(name, await sandbox.addAccount(name, `Fresh ${crypto.randomUUID().slice(0, 6)}`), kind);

/** One home a platform for the tests of a file. */
export class Homes {
  readonly #homes = new Map<Name, Home>();
  async connect(kind: HomeKind = {}): Promise<void> {
    for (const name of NAMES) this.#homes.set(name, await homeOn(name, ACCOUNTS[name][0], kind));
  }
  on(name: Name): Home {
    const home = this.#homes.get(name);
    if (!home) throw new Error(`${name} is not connected.`);
    return home;
  }
}

const CapabilityHealth = z.object({ name: z.string(), health: z.string(), reason: z.string().nullable() });
const Channels = z.object({
  channels: z.object({
    data: z.array(z.looseObject({ channel_id: z.number(), capabilities: z.array(CapabilityHealth) })),
  }),
});

export async function healthOf(home: Home, capability: Capability = "publish") {
  const { body } = await home.project.call("GET", "/social/get-channels");
  const channel = Channels.parse(body).channels.data.find((one) => one.channel_id === home.channel.channel_id);
  const found = channel?.capabilities.find(({ name }) => name === capability);
  return { health: found?.health ?? "absent", reason: found?.reason ?? null };
}

/** Connects the channel again where only the person can help. */
export async function keepConnected(home: Home): Promise<void> {
  const name = home.channel.channel_type;
  if ((await healthOf(home)).health === "reconnect_needed") await home.project.connect(name, [ACCOUNTS[name][0]]);
}

/** The hash of one of our files by its name, or of one that the sandbox shows by its address. */
export async function contentOf(file: string): Promise<string> {
  const url = file.includes("/") ? new URL(file, SANDBOX).href : media(file);
  const response = await env.SANDBOX.fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return hashOf(await response.arrayBuffer());
}

export async function hashOf(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Home {
  readonly project: Project;
  readonly channel: ChannelRef<Name>;
  /** Absent of a channel that a test has made by hand: then what is live anywhere on the platform counts. */
  readonly accountId?: string;
}

export interface Sent {
  readonly home: Home;
  readonly id: number;
  readonly shape: Shape;
  /** In every text of the post, and in no other post. */
  readonly mark: string;
  /** What was live on the platform before, where the mark does not identify it. */
  readonly before: ReadonlySet<string>;
}

/** What is live on the account. */
export async function liveNow({ channel, accountId }: Home): Promise<LivePost[]> {
  const posts = await sandbox.posts(channel.channel_type);
  return accountId === undefined ? posts : posts.filter((post) => post.account_id === accountId);
}

/** The live posts that this post became. */
export const liveOf = async ({ home, mark }: Sent): Promise<LivePost[]> =>
  (await liveNow(home)).filter(({ text }) => text.includes(mark));

/** The body of create-post for a post of the shape; the mark is in each of its texts. */
export function bodyOf({ type, items }: Shape, mark: string): Record<string, unknown> {
  const text = (index: number) => `Item ${index + 1} of ${mark}`;
  if (type !== "thread") {
    return { post_type: type, caption_text: text(0), media_urls: (items[0] ?? []).map(media) };
  }
  const threads = items.map((files, index) => ({ message: text(index), media_urls: files.map(media) }));
  return { post_type: type, twitter_threads: threads };
}

/** Creates a post of the shape, to be published now; its message waits in the queue. */
export async function send(home: Home, shape: Shape, extra: Record<string, unknown> = {}): Promise<Sent> {
  const mark = typeof extra.caption_text === "string" ? extra.caption_text : crypto.randomUUID();
  // A text of its own identifies a post.
  const isShown = extra.caption_text === undefined && !isSilent(shape);
  const before = new Set(isShown ? [] : (await liveNow(home)).map(({ id }) => id));
  const { required } = factsOf(home.channel.channel_type);
  const fields = { ...required, ...bodyOf(shape, mark), ...extra };
  const id = await createPost(home.project, home.channel, fields);
  return { home, id, shape, mark, before };
}

export interface Outcome {
  readonly state: string;
  readonly permalink: string | undefined;
  readonly error: string | undefined;
  /** The code of its failure; null where it did not fail. */
  readonly code: string | null;
  /** What this post put on the platform, the oldest first. */
  readonly live: readonly LivePost[];
}

export async function outcomeOf({ home, id, shape, mark, before }: Sent): Promise<Outcome> {
  await untilAllIsShown();
  const { STATUS, permalink, error } = await findPost(home.project, id);
  // What an earlier post left in processing may go live only now.
  const isOwn = (post: LivePost) => (isSilent(shape) ? post.text === "" : post.text.includes(mark));
  const live = (await liveNow(home)).filter((post) => !before.has(post.id) && isOwn(post));
  const code = STATUS === "failed" ? ((await failureOf(home.project, id))?.error_code ?? null) : null;
  return { state: STATUS, permalink, error, code, live: live.toSorted(inOrder) };
}

const Failure = z.object({ error_code: z.string(), cause: z.string().nullable() });

/** The post's failure in the timeline; null without one. */
async function failureOf(project: Project, id: number) {
  const answer = await project.call("GET", `/social/get-post-events/${id}`);
  const { events } = z
    .object({ events: z.array(z.object({ type: z.string(), detail: z.unknown() })) })
    .parse(answer.body);
  const failed = events.findLast(({ type }) => type === "post.failed");
  return failed ? Failure.parse(failed.detail) : null;
}

/** The oldest first; ids grow with time where seconds are too coarse. */
function inOrder(a: LivePost, b: LivePost): number {
  return Date.parse(a.created_at) - Date.parse(b.created_at) || a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

export async function publish(home: Home, shape: Shape, extra: Record<string, unknown> = {}): Promise<Outcome> {
  const sent = await send(home, shape, extra);
  await queuesIdle();
  return outcomeOf(sent);
}

/** Whether the platform cannot show, for this shape, if a publishing call has arrived. */
export function mayEndInDoubt({ home, shape }: Pick<Sent, "home" | "shape">): boolean {
  return factsOf(home.channel.channel_type).isDoubtful(shape);
}

/** Failed with the words that it may be up, and it is not. */
export function isHonestDoubt({ state, error, code, live }: Outcome): boolean {
  const isReported = /may have been published/.test(error ?? "") && code === "may_be_published";
  return state === "failed" && live.length === 0 && isReported;
}

/** Codes that require a check before anything is sent again: exactly those whose sentences say so. */
const UNCERTAIN = ["may_be_published", "partly_published", "duplicate"];

/**
 * What must hold of every post, whatever happened: live exactly once and `published`, or not live (or said
 * that it may be, or how much of it is) and `failed` with a reason. Sentences about what is wrong; empty when
 * all is well.
 */
export function flaws({ home, shape }: Sent, { state, error, code, permalink, live }: Outcome): string[] {
  const wrong: string[] = [];
  const count = shape.items.length;
  const texts = live.map((post) => post.text);
  if (!isSilent(shape) && new Set(texts).size < texts.length) wrong.push(`live twice: ${texts.join(" | ")}`);
  if (live.length > count) wrong.push(`${live.length} posts are live`);
  live.forEach((post, index) => {
    const parent = live[index - 1]?.id ?? null;
    if (shape.type === "thread" && post.reply_to !== parent)
      wrong.push(`item ${index + 1} replies to ${post.reply_to}`);
  });
  if (state === "published") {
    if (live.length !== count) wrong.push(`published, but ${live.length} of ${count} items are live`);
    const mayLack = planFor(home.channel.channel_type).permalinkSeconds !== 0;
    if (permalink === undefined ? !mayLack : !permalink.startsWith("https://")) {
      wrong.push(`published without a permalink (${permalink})`);
    }
  } else if (state === "failed") {
    if (!error) wrong.push("failed without a reason");
    if (code === null) wrong.push("failed without a code");
    const isUncertain = /may have been published|items are live/.test(error ?? "");
    if (isUncertain !== UNCERTAIN.includes(code ?? "")) wrong.push(`${code}, with the sentence: ${error}`);
    if (live.length > 0 && !isUncertain) {
      wrong.push(`failed, but ${live.length} are live: ${error}`);
    }
  } else wrong.push(`rests in ${state}`);
  return wrong;
}

const Faults = z.array(
  z.looseObject({ platform: z.string(), operation: z.string(), kind: z.string(), times: z.number() }),
);

/** Faults that have not met (all of) their calls. */
export async function waitingFaults() {
  return Faults.parse(await sandbox.control("GET", "faults"));
}

export async function calm(): Promise<void> {
  for (const { platform, operation, kind } of await waitingFaults()) {
    await sandbox.fault(platform, operation, kind, 0);
  }
  // Our own count of what an account may prepare in a day; `roomy` lifts the sandbox's.
  await env.DB.prepare("DELETE FROM rate_buckets WHERE key LIKE '%:publish'").run();
}

export async function settings(changed: Settings): Promise<void> {
  await sandbox.control("POST", "settings", changed);
}

/** What these settings of the sandbox are now. */
export async function settingsNow(names: readonly string[]): Promise<Settings> {
  const all = z.record(z.string(), z.unknown()).parse(await sandbox.control("GET", "settings"));
  const named = Object.entries(all).filter(([name]) => names.includes(name));
  return z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).parse(Object.fromEntries(named));
}

const Calls = z.array(z.looseObject({ id: z.number(), operation: z.string().nullable(), at: z.string() }));

/** The calls that a platform has received, the oldest first; long ago ones are forgotten. */
export async function callsTo(name: PlatformName) {
  return Calls.parse(await sandbox.control("GET", `calls?platform=${name}`));
}

const Warned = z.object({ warnings: z.array(z.string()).default([]) });

export async function createAnswer(home: Home, body: Record<string, unknown>) {
  const { required } = factsOf(home.channel.channel_type);
  const answer = await home.project.call("POST", "/social/create-post", {
    body: { ...home.channel, ...required, publish_mode: "now", media_urls: [], ...body },
  });
  const { warnings } = Warned.parse(answer.body);
  return { status: answer.status, body: CreatedPost.safeParse(answer.body).data ?? answer.body, warnings };
}
