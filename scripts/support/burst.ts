import { setTimeout as sleep } from "node:timers/promises";
import type { LivePost } from "../../test/support/control.ts";
import { type Api, createSurely, type NewPost, type Post } from "./api.ts";
import { waitFor } from "./http.ts";
import type { MediaServer } from "./media-server.ts";
import { byText, judge, OUTCOMES, type Plan } from "./post-outcome.ts";
import type { World } from "./world.ts";

/** A burst of many posts and their outcomes. */
export interface Burst {
  readonly seed: number;
  readonly world: World;
  readonly media: MediaServer;
  /** The project whose posts keep the queue busy while others are created. */
  readonly gate: Project;
  /** The deadline of all waits. */
  readonly endsAt: number;
}

export interface Project {
  readonly api: Api;
  /** Channel ids. */
  readonly facebook: number;
  readonly twitter: number;
}

export interface Planned extends Plan {
  readonly project: Project;
  readonly body: NewPost;
  /** The number of files per item. */
  readonly files: number;
}

export interface Created extends Planned {
  readonly id: number;
}

/** After this time, the queue counts as busy regardless of its state. */
const GATE_MS = 15_000;

/** A post with one item. */
export function planned(
  project: Project,
  platform: "facebook" | "twitter",
  text: string,
  files: readonly string[],
): Planned {
  return {
    project,
    items: [{ text }],
    files: files.length,
    body: {
      channel_type: platform,
      channel_id: project[platform],
      post_type: platform === "twitter" ? "tweet" : "post",
      publish_mode: "now",
      caption_text: text,
      media_urls: files,
    },
  };
}

export interface Published {
  readonly count: number;
  readonly items: number;
  readonly tookMs: number;
  /** A message for each post that is not live exactly once. */
  readonly broken: readonly string[];
}

/**
 * Publishes the posts so that they arrive in one batch. A delivery with a delayed image keeps the queue busy
 * until all of them are queued.
 */
export async function publishAtOnce(burst: Burst, plans: readonly Planned[], limitMs: number): Promise<Published> {
  const held = burst.media.hold();
  const gate = planned(burst.gate, "facebook", `Gate ${burst.seed} ${held.url}`, [held.url]);
  const first = await create(burst, gate);
  await Promise.race([held.asked, sleep(GATE_MS)]);
  const created = await createAll(burst, plans, plans.length);
  const since = Date.now();
  held.release();
  const published = await settle(burst, [first, ...created], since, limitMs);
  return { ...published, count: published.count - 1, items: published.items - 1 };
}

async function create(burst: Burst, plan: Planned): Promise<Created> {
  const isOver = () => Date.now() > burst.endsAt;
  const id = await createSurely(plan.project.api, plan.body, `burst-${burst.seed}-${plan.items[0]?.text}`, isOver);
  return { ...plan, id };
}

/** Creates the posts with this many concurrent requests. */
export async function createAll(burst: Burst, plans: readonly Planned[], connections: number): Promise<Created[]> {
  const created: Created[] = [];
  let next = 0;
  const worker = async () => {
    for (let plan = plans[next++]; plan; plan = plans[next++]) {
      created.push(await create(burst, plan));
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return created;
}

export interface Timed {
  readonly created: Created;
  /** The time until it was published; null if it was not in time. */
  readonly tookMs: number | null;
}

export async function timeOne(burst: Burst, plan: Planned, limitMs: number): Promise<Timed> {
  const since = Date.now();
  const created = await create(burst, plan);
  const isPublished = async () => (await plan.project.api.findPost(created.id)).STATUS === "published";
  const published = await waitFor(isPublished, { timeoutMs: timeLeft(burst, limitMs), everyMs: 50 });
  return { created, tookMs: published ? Date.now() - since : null };
}

/** Waits until all posts have finished or time is up, and compares our states with what is live. */
export async function settle(
  burst: Burst,
  created: readonly Created[],
  since: number,
  limitMs: number,
): Promise<Published> {
  const isEnded = (post: Post | undefined) => post?.STATUS === "published" || post?.STATUS === "failed";
  let posts = await readPosts(created);
  await waitFor(
    async () => {
      posts = await readPosts(created);
      return created.every(({ id }) => isEnded(posts.get(id)));
    },
    { timeoutMs: timeLeft(burst, limitMs), everyMs: 500 },
  );
  const tookMs = Date.now() - since;
  const live = byText(await burst.world.control.posts());
  const broken = created.flatMap((plan) => {
    const post = posts.get(plan.id);
    const problem = problemOf(plan, post, live);
    return problem === null ? [] : [`post ${plan.id}: ${problem}${post?.error ? `: ${post.error}` : ""}`];
  });
  const items = created.reduce((sum, plan) => sum + plan.items.length, 0);
  return { count: created.length, items, tookMs, broken };
}

function problemOf(
  plan: Created,
  post: Post | undefined,
  live: ReadonlyMap<string, readonly LivePost[]>,
): string | null {
  const { verdict, live: items } = judge(plan, post, live);
  if (verdict !== OUTCOMES.once) return verdict.means;
  const bare = items.filter(({ media }) => media.length !== plan.files).length;
  return bare === 0 ? null : `${bare} of ${items.length} live items lack files`;
}

async function readPosts(created: readonly Created[]): Promise<ReadonlyMap<number, Post>> {
  const apis = new Set(created.map(({ project }) => project.api));
  const lists = await Promise.all([...apis].map((api) => api.listAllPosts("channels=facebook,twitter")));
  return new Map(lists.flatMap((list) => [...list]));
}

const timeLeft = ({ endsAt }: Burst, limitMs: number) => Math.max(0, Math.min(limitMs, endsAt - Date.now()));
