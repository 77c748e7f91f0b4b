import { setTimeout as sleep } from "node:timers/promises";
import { createSurely, type NewPost, type Post } from "./api.ts";
import { atOnce, type Finding, isEnded, type Run, untilRest } from "./driver.ts";
import { waitFor } from "./http.ts";
import type { MediaServer } from "./media-server.ts";
import { judgeAll, OUTCOMES, type Plan, type Result, sentenceOf } from "./post-outcome.ts";
import { seconds } from "./terminal.ts";
import type { Project } from "./world.ts";

/** A burst of many posts and their outcomes. */
export interface Burst extends Run {
  readonly media: MediaServer;
  /** The project whose posts keep the queue busy while others are created. */
  readonly gate: Project;
  /** The deadline of all waits. */
  readonly endsAt: number;
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
const MOST_PRINTED = 5;

/** What every post of a project's channel on the platform has. */
export function postOn({ name, channels }: Project, platform: "facebook" | "twitter") {
  const channel = channels.find(({ channel_type: type }) => type === platform);
  if (!channel) throw new Error(`${name} was not connected to ${platform}.`);
  return { channel_type: platform, channel_id: channel.channel_id, publish_mode: "now" } as const;
}

/** A post with one item. */
export function planned(
  project: Project,
  platform: "facebook" | "twitter",
  text: string,
  files: readonly string[],
): Planned {
  const post_type = platform === "twitter" ? "tweet" : "post";
  const body = { ...postOn(project, platform), post_type, caption_text: text, media_urls: files };
  return { project, items: [{ text }], files: files.length, body };
}

/**
 * Publishes the posts so that they arrive in one batch. A delivery with a delayed image keeps the queue busy
 * until all of them are queued.
 */
export async function publishAtOnce(
  burst: Burst,
  what: string,
  plans: readonly Planned[],
  limitMs: number,
): Promise<Finding> {
  const held = burst.media.hold();
  const gate = planned(burst.gate, "facebook", `Gate ${burst.seed} ${held.url}`, [held.url]);
  const first = await create(burst, gate);
  await Promise.race([held.wanted, sleep(GATE_MS)]);
  const created = await createAll(burst, plans, plans.length);
  const since = Date.now();
  held.release();
  return settle(burst, what, [first, ...created], { since, limitMs });
}

async function create(burst: Burst, plan: Planned): Promise<Created> {
  const isOver = () => Date.now() > burst.endsAt;
  const key = `burst-${burst.seed}-${plan.items[0]?.text}`;
  return { ...plan, id: await createSurely(plan.project.apis[0], plan.body, key, isOver) };
}

/** Creates the posts with this many concurrent requests. */
export const createAll = (burst: Burst, plans: readonly Planned[], connections: number): Promise<Created[]> =>
  atOnce(connections, plans, (plan) => create(burst, plan));

export interface Timed {
  readonly created: Created;
  /** The time until it was published; null if it was not in time. */
  readonly tookMs: number | null;
}

export async function timeOne(burst: Burst, plan: Planned, limitMs: number): Promise<Timed> {
  const since = Date.now();
  const created = await create(burst, plan);
  const isPublished = async () => (await plan.project.apis[0].findPost(created.id)).STATUS === "published";
  const published = await waitFor(isPublished, { timeoutMs: timeLeft(burst, limitMs), everyMs: 50 });
  return { created, tookMs: published ? Date.now() - since : null };
}

/** Waits until all posts have ended or time is up, and compares our states with what is live. */
export async function settle(
  burst: Burst,
  what: string,
  created: readonly Created[],
  { since, limitMs }: { readonly since: number; readonly limitMs: number },
): Promise<Finding> {
  let posts = await readPosts(created);
  const rest = { until: "every post has ended", everyMs: 500, timeoutMs: timeLeft(burst, limitMs) };
  await untilRest(burst, rest, async () => {
    posts = await readPosts(created);
    return created.flatMap(({ id }) => (isEnded(posts.get(id)) ? [] : [id]));
  });
  const took = seconds(Date.now() - since);
  const broken = judgeAll(created, posts, await burst.world.control.posts()).flatMap((result) => {
    const problem = problemOf(result);
    return problem === null ? [] : [`\n      ${sentenceOf(result, problem)}`];
  });
  const items = created.reduce((sum, plan) => sum + plan.items.length, 0);
  const parts = items === created.length ? "" : `, ${items} items`;
  const text = `${created.length - broken.length} of ${created.length} ${what} are live exactly once${parts}: ${took}`;
  return { holds: broken.length === 0, text: `${text}${broken.slice(0, MOST_PRINTED).join("")}` };
}

function problemOf({ plan, verdict, live }: Result<Created>): string | null {
  if (verdict !== OUTCOMES.once) return verdict.means;
  const bare = live.filter(({ media }) => media.length !== plan.files).length;
  return bare === 0 ? null : `${bare} of ${live.length} live items lack files`;
}

async function readPosts(created: readonly Created[]): Promise<ReadonlyMap<number, Post>> {
  const apis = new Set(created.map(({ project }) => project.apis[0]));
  const lists = await Promise.all([...apis].map((api) => api.listAllPosts("channels=facebook,twitter")));
  return new Map(lists.flatMap((list) => [...list]));
}

const timeLeft = ({ endsAt }: Burst, limitMs: number) => Math.max(0, Math.min(limitMs, endsAt - Date.now()));
