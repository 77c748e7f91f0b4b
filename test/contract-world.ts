import { env } from "cloudflare:workers";
import { z } from "zod";
import { platforms } from "../src/platforms/registry.ts";
import { queuesIdle } from "./support/queue.ts";
import { type LivePost, SANDBOX, sandbox } from "./support/sandbox.ts";
import {
  type ChannelRef,
  CreatedPost,
  createPost,
  findPost,
  HANDLES,
  PAGES,
  type Project,
  projectWith,
} from "./support/world.ts";

/**
 * What the contract suite knows of the platforms: which posts each must be able to make, and how many calls of ours show
 * up as how many posts. The same tests run over all of it; a platform of the registry without an entry fails them.
 */
export type Name = "facebook" | "twitter";

export interface Shape {
  readonly name: string;
  readonly type: "post" | "reel" | "story" | "tweet" | "thread";
  /** Files by item; more than one item is a thread. */
  readonly items: readonly (readonly string[])[];
  /** A story shows no text. */
  readonly isSilent?: boolean;
  /**
   * Nothing tells whether its publishing call arrived before it is live, so a call that was lost is never made again: such
   * a post may end in doubt.
   */
  readonly endsInDoubt?: boolean;
}

const TEXT: Shape = { name: "a text", type: "post", items: [[]] };
const IMAGE: Shape = { name: "an image", type: "post", items: [["square.jpg"]] };
const ALBUM: Shape = { name: "images in order", type: "post", items: [["landscape.jpg", "square.png", "square.jpg"]] };
const VIDEO: Shape = { name: "a video", type: "post", items: [["clip.mp4"]] };
export const THREAD: Shape = { name: "a thread", type: "thread", items: [[], [], []] };

export const SHAPES: Readonly<Record<Name, readonly Shape[]>> = {
  facebook: [
    TEXT,
    IMAGE,
    ALBUM,
    { name: "a GIF", type: "post", items: [["anim.gif"]] },
    { ...VIDEO, endsInDoubt: true },
    { name: "a reel", type: "reel", items: [["reel.mp4"]], endsInDoubt: true },
    { name: "a photo story", type: "story", items: [["square.jpg"]], isSilent: true },
    { name: "a video story", type: "story", items: [["reel.mp4"]], isSilent: true, endsInDoubt: true },
  ],
  twitter: [
    TEXT,
    { ...TEXT, name: "a tweet", type: "tweet" },
    IMAGE,
    ALBUM,
    { name: "a WebP image", type: "tweet", items: [["photo.webp"]] },
    { name: "a GIF", type: "post", items: [["anim.gif"]] },
    VIDEO,
    THREAD,
    { name: "a thread with media", type: "thread", items: [["square.jpg"], [], ["clip.mp4"]] },
  ],
};

/** A second account of each platform, for tests that ruin one. */
export const ACCOUNTS: Readonly<Record<Name, readonly [first: string, second: string]>> = {
  facebook: [PAGES.fern, PAGES.harbour],
  twitter: [HANDLES.bikes, HANDLES.harbour],
};

export const NAMES = Object.keys(platforms).filter((name): name is Name => name in SHAPES);
export const EVERY: readonly (readonly [Name, Shape])[] = NAMES.flatMap((name) =>
  SHAPES[name].map((shape) => [name, shape] as const),
);
export const shapeOf = (name: Name, wanted: string): Shape => {
  const shape = SHAPES[name].find((one) => one.name === wanted);
  if (!shape) throw new Error(`${name} has no shape called ${wanted}.`);
  return shape;
};

export function media(name: string): string {
  return sandbox.media(name).replace("http:", "https:");
}

/** A project with a channel of the platform, connected through the hosted pages. */
export async function homeOn(name: Name, account = ACCOUNTS[name][0]): Promise<Home> {
  return projectWith(name, account);
}

/** One home a platform for the tests of a file. */
export class Homes {
  readonly #homes = new Map<Name, Home>();
  async connect(): Promise<void> {
    for (const name of NAMES) this.#homes.set(name, await homeOn(name));
  }
  on(name: Name): Home {
    const home = this.#homes.get(name);
    if (!home) throw new Error(`${name} is not connected.`);
    return home;
  }
}

const Channels = z.object({
  channels: z.object({
    data: z.array(z.looseObject({ channel_id: z.number(), health: z.string(), health_reason: z.string().nullable() })),
  }),
});

export async function healthOf(home: Home): Promise<{ health: string; reason: string | null }> {
  const { body } = await home.project.call("GET", "/social/get-channels");
  const channel = Channels.parse(body).channels.data.find((one) => one.channel_id === home.channel.channel_id);
  return { health: channel?.health ?? "absent", reason: channel?.health_reason ?? null };
}

/** Connects the channel again where only the person can help. */
export async function keepConnected(home: Home): Promise<void> {
  const name = home.channel.channel_type;
  if ((await healthOf(home)).health === "reconnect_needed") await home.project.connect(name, [ACCOUNTS[name][0]]);
}

/** A hash of a file of ours by its name, or of one that the sandbox shows by its address. */
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
  readonly channel: ChannelRef;
}

export interface Sent {
  readonly home: Home;
  readonly id: number;
  readonly shape: Shape;
  /** In every text of the post, and in no other post. */
  readonly mark: string;
  /** What was live on the platform before. */
  readonly before: ReadonlySet<string>;
}

const key = (post: LivePost): string => `${post.account_id} ${post.id}`;

export async function liveNow(home: Home): Promise<LivePost[]> {
  return sandbox.posts(home.channel.channel_type);
}

/** Creates a post of the shape, to be published now; its message waits in the queue. */
export async function send(home: Home, shape: Shape, extra: Record<string, unknown> = {}): Promise<Sent> {
  const mark = typeof extra.caption_text === "string" ? extra.caption_text : crypto.randomUUID();
  const before = new Set((await liveNow(home)).map(key));
  const text = (index: number) => `Item ${index + 1} of ${mark}`;
  const body =
    shape.type === "thread"
      ? {
          twitter_threads: shape.items.map((files, index) => ({
            message: text(index),
            media_urls: files.map(media),
          })),
        }
      : { caption_text: text(0), media_urls: (shape.items[0] ?? []).map(media) };
  const id = await createPost(home.project, home.channel, { post_type: shape.type, ...body, ...extra });
  return { home, id, shape, mark, before };
}

export interface Outcome {
  readonly state: string;
  readonly permalink: string | undefined;
  readonly error: string | undefined;
  /** What this post put on the platform, the oldest first. */
  readonly live: readonly LivePost[];
}

export async function outcomeOf({ home, id, shape, mark, before }: Sent): Promise<Outcome> {
  const { STATUS, permalink, error } = await findPost(home.project, id);
  // What an earlier post left in processing may go live only now.
  const isOwn = (post: LivePost) => shape.isSilent === true || post.text.includes(mark);
  const live = (await liveNow(home)).filter((post) => !before.has(key(post)) && isOwn(post));
  const age = (post: LivePost) => Date.parse(post.created_at);
  return { state: STATUS, permalink, error, live: live.toSorted((a, b) => age(a) - age(b) || inOrder(a, b)) };
}

/** Ids grow with time where seconds are too coarse. */
function inOrder(a: LivePost, b: LivePost): number {
  return a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

export async function publish(home: Home, shape: Shape, extra: Record<string, unknown> = {}): Promise<Outcome> {
  const sent = await send(home, shape, extra);
  await queuesIdle();
  return outcomeOf(sent);
}

/** Failed with the words that it may be up, and it is not. */
export function isHonestDoubt({ state, error, live }: Outcome): boolean {
  return state === "failed" && live.length === 0 && /may have been published/.test(error ?? "");
}

/**
 * What must hold of every post, whatever happened: live exactly once and `published`, or not live (or said that it may be, or
 * how much of it is) and `failed` with a reason. Sentences about what is wrong; empty when all is well.
 */
export function flaws({ shape }: Pick<Sent, "shape">, { state, error, permalink, live }: Outcome): string[] {
  const wrong: string[] = [];
  const count = shape.items.length;
  const texts = live.map((post) => post.text);
  if (!shape.isSilent && new Set(texts).size < texts.length) wrong.push(`live twice: ${texts.join(" | ")}`);
  if (live.length > count) wrong.push(`${live.length} posts are live`);
  live.forEach((post, index) => {
    const parent = live[index - 1]?.id ?? null;
    if (shape.type === "thread" && post.reply_to !== parent)
      wrong.push(`item ${index + 1} replies to ${post.reply_to}`);
  });
  if (state === "published") {
    if (live.length !== count) wrong.push(`published, but ${live.length} of ${count} items are live`);
    if (!permalink?.startsWith("https://")) wrong.push(`published without a permalink (${permalink})`);
  } else if (state === "failed") {
    if (!error) wrong.push("failed without a reason");
    if (live.length > 0 && !/may have been published|items are live/.test(error ?? "")) {
      wrong.push(`failed, but ${live.length} are live: ${error}`);
    }
  } else wrong.push(`rests in ${state}`);
  return wrong;
}

export type FaultKind =
  | "error"
  | "slow"
  | "rate_limit"
  | "accept_then_drop"
  | "accept_then_error"
  | "expire_token"
  | "revoke_token"
  | "reject_media"
  | "processing_failed";
export type Operation = "token" | "publish" | "upload" | "status" | "delete";

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
}

export async function settings(changed: Record<string, string | number | boolean>): Promise<void> {
  await sandbox.control("POST", "settings", changed);
}

export async function createAnswer(home: Home, body: Record<string, unknown>) {
  const answer = await home.project.call("POST", "/social/create-post", {
    body: { ...home.channel, post_type: "post", publish_mode: "now", media_urls: [], ...body },
  });
  return { status: answer.status, body: CreatedPost.safeParse(answer.body).data ?? answer.body };
}
