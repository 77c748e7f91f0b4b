import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext } from "../context.ts";
import { lenient } from "../lists.ts";
import { type GraphCall, get, post } from "../meta/graph.ts";
import { quoting, rejected } from "../outcomes.ts";
import type { Media, MediaKind } from "../rules.ts";
import type { UploadStep } from "../uploads.ts";
import { Created, graphOf } from "./api.ts";
import { isLost, isUnfetchable } from "./errors.ts";

/**
 * A container: what is to be published, in the making. Nobody sees it; Threads fetches its file itself, and
 * keeps it for a day.
 *
 * none → made → FINISHED → (published)
 *
 * One that Threads loses, or whose file it did not fetch, is made anew, at most three times.
 */
const MAX_ATTEMPTS = 3;
/** Threads forgets a container after 24 hours. */
const LIFE_MS = 23 * 60 * MINUTE;
const PROCESSING_LIMIT_MS = { text: 10 * MINUTE, image: 10 * MINUTE, gif: 10 * MINUTE, video: 45 * MINUTE };
const LOOK_SECONDS = { text: 3, image: 4, gif: 4, video: 10 } as const;
/** What is FINISHED may still not be known where it is published. */
const SETTLE_SECONDS = 2;
const FETCH_AGAIN_SECONDS = 15;
const PARENT_SECONDS = 5;
/** A finished container that publishing does not find for so long is given up for another one. */
const LOST_MS = 70_000;

export const Container = z.object({
  /** Null before it is made. */
  id: z.string().nullable(),
  /** Epoch milliseconds. */
  madeAt: z.number(),
  /** Since when it could be published; null before. */
  readyAt: z.number().nullable(),
  /** Since when publishing does not find it; null where it does, as far as is known. */
  lostAt: z.number().nullable(),
  /** Threads says so of one that no call of ours has published for sure. */
  isPublished: z.boolean(),
  attempts: z.number(),
});
export type Container = z.output<typeof Container>;
type Step = UploadStep<Container>;

export const NO_CONTAINER: Container = {
  id: null,
  madeAt: 0,
  readyAt: null,
  lostAt: null,
  isPublished: false,
  attempts: 0,
};

/** What it is made of. */
export interface Plan {
  readonly form: Readonly<Record<string, string>>;
  /** Its own file; null of a text, and of a carousel, whose files have containers of their own. */
  readonly file: Media | null;
  /** What it answers, if anything: what went live a moment ago may not be known everywhere yet. */
  readonly answers: "nothing" | "new" | "old";
}

/** Whether it can be used as it is, without asking. */
export function isReady({ id, readyAt, madeAt }: Container, now: number): boolean {
  return id !== null && readyAt !== null && now - madeAt < LIFE_MS;
}

/** Whether it may be published now: one that could not be found for a while is looked at again first. */
export function isPublishable(container: Container, now: number): boolean {
  return isReady(container, now) && (container.lostAt === null || now - container.lostAt < LOST_MS);
}

/** A container that publishing has not found, and how long to wait before the next try: longer each time. */
export function afterLoss(container: Container, now: number): { container: Container; afterSeconds: number } {
  const lostAt = container.lostAt ?? now;
  const waited = (now - lostAt) / 1000;
  const afterSeconds = [5, 10, 20].find((seconds) => waited < seconds - 1) ?? 40;
  return { container: { ...container, lostAt }, afterSeconds };
}

/** One call that brings it nearer to being publishable. */
export function advance(context: AccountContext, container: Container, plan: Plan): Promise<Step> {
  const isOver = container.id === null || context.now - container.madeAt >= LIFE_MS;
  return isOver ? make(context, container, plan) : look(context, container, container.id ?? "", plan);
}

const kindOf = ({ file }: Plan): MediaKind | "text" => file?.kind ?? "text";

async function make(context: AccountContext, { attempts }: Container, plan: Plan): Promise<Step> {
  const graph = graphOf(context);
  const answer = await graph.request(post("me/threads", plan.form));
  if (plan.answers === "old" && isLost(answer)) return rejected("The post to reply to was deleted at Threads.");
  if (plan.answers === "new" && isLost(answer)) {
    const message = "Threads does not accept a reply to the previous item yet.";
    return { kind: "failed", reason: "down", message, retryAfterSeconds: PARENT_SECONDS };
  }
  if (isUnfetchable(answer) && plan.file) return again(attempts + 1, unreachable(plan.file));
  const made = graph.interpretRead(answer, Created);
  if (made.kind === "failed") return made;
  const upload = { ...NO_CONTAINER, id: made.value.id, madeAt: context.now, attempts: attempts + 1 };
  return { kind: "more", upload, afterSeconds: LOOK_SECONDS[kindOf(plan)], reason: PROCESSING };
}

const PROCESSING = "Threads is processing the post.";

/** What it says of itself. */
export const ContainerState = z.object({ status: z.string().optional(), error_message: lenient(z.string()) });

export const readState = (id: string): GraphCall => get(id, { fields: "status,error_message" });

async function look(context: AccountContext, container: Container, id: string, plan: Plan): Promise<Step> {
  const graph = graphOf(context);
  const answer = await graph.request(readState(id));
  const { now } = context;
  // What was made a moment ago may not be known everywhere yet; what publishing does not find either never
  // will be.
  if (isLost(answer)) return isGivenUp(container) ? anew(container) : wait(container, plan, now);
  const state = graph.interpretRead(answer, ContainerState);
  if (state.kind === "failed") return state;
  const { status, error_message } = state.value;
  switch (status) {
    case "PUBLISHED":
      return { kind: "ready", upload: { ...container, readyAt: now, isPublished: true } };
    case "FINISHED":
      return finished(container, plan, now);
    case "ERROR":
      return failed(container, plan, error_message ?? "UNKNOWN");
    case "EXPIRED":
      return anew(container);
    default:
      return wait(container, plan, now);
  }
}

/** Publishing did not find it for a while: only another one helps. */
function isGivenUp({ lostAt, attempts }: Container): boolean {
  return lostAt !== null && attempts < MAX_ATTEMPTS;
}

function finished(container: Container, plan: Plan, now: number): Step {
  if (isGivenUp(container)) return anew(container);
  const upload = { ...container, readyAt: now, lostAt: null };
  if (plan.file === null || container.readyAt !== null) return { kind: "ready", upload };
  return { kind: "more", upload, afterSeconds: SETTLE_SECONDS, reason: PROCESSING };
}

function wait(container: Container, plan: Plan, now: number): Step {
  const kind = kindOf(plan);
  if (now - container.madeAt < PROCESSING_LIMIT_MS[kind]) {
    return { kind: "more", upload: container, afterSeconds: LOOK_SECONDS[kind], reason: PROCESSING };
  }
  if (plan.file === null) return rejected("Threads did not finish processing the post. Post it again.");
  return rejected(
    `Threads did not finish processing ${named(plan.file)}. Post it again, or try another file.`,
    "media_invalid",
  );
}

const anew = ({ attempts }: Container): Step => ({ kind: "more", upload: { ...NO_CONTAINER, attempts } });

/** What the person who posts can do about each error of a container, where another file is wanted. */
const ADVICE: Readonly<Record<string, string>> = {
  FAILED_PROCESSING_AUDIO: "could not process its sound",
  FAILED_PROCESSING_VIDEO: "could not process it",
  // Spelled so by Threads.
  INVALID_ASPEC_RATIO: "requires an aspect ratio of at most 10:1",
  INVALID_ASPECT_RATIO: "requires an aspect ratio of at most 10:1",
  INVALID_AUDIO_CHANNEL_LAYOUT: "requires mono or stereo sound",
  INVALID_AUDIO_CHANNELS: "requires mono or stereo sound",
  INVALID_BIT_RATE: "requires a bit rate of at most 100 Mbps",
  INVALID_DURATION: "requires a duration of at most 5 minutes",
  INVALID_FRAME_RATE: "requires 23 to 60 frames per second",
};

/** Fetching may work the next time, and so may what Threads has no name for; nothing else does. */
function failed({ attempts }: Container, plan: Plan, error: string): Step {
  const { file } = plan;
  if (file && error.startsWith("FAILED_DOWNLOADING")) return again(attempts, unreachable(file));
  const advice = ADVICE[error];
  const what = file ? named(file) : "the post";
  const sentence = advice ? `Threads refused ${what}: it ${advice}.` : `Threads could not accept ${what}.`;
  const failure = rejected(quoting(sentence, "Threads", error), file ? "media_invalid" : undefined);
  return advice === undefined ? again(attempts, failure) : failure;
}

function again(attempts: number, failure: ReturnType<typeof rejected>): Step {
  if (attempts >= MAX_ATTEMPTS) return failure;
  return {
    kind: "more",
    upload: { ...NO_CONTAINER, attempts },
    afterSeconds: FETCH_AGAIN_SECONDS,
    reason: failure.message,
  };
}

const unreachable = (file: Media) =>
  rejected(`Threads could not fetch ${named(file)}. Check that its URL is public.`, "media_unreachable");

const named = ({ kind, url }: Media) => `the ${kind} ${url}`;
