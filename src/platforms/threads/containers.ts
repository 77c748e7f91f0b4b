import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext } from "../context.ts";
import { lenient } from "../lists.ts";
import type { MediaKind } from "../media-kinds.ts";
import { type GraphCall, get, post } from "../meta/graph.ts";
import { quoting, rejected } from "../outcomes.ts";
import type { Media } from "../rules.ts";
import type { UploadStep } from "../uploads.ts";
import { Created, graphOf } from "./api.ts";
import { isLost, isUnfetchable } from "./errors.ts";

/**
 * A container is a post before it is published. It is not public; Threads fetches its file and keeps it for a
 * day.
 *
 * none → created → FINISHED → (published)
 *
 * A container that Threads loses, or whose file it did not fetch, is created again, at most three times.
 */
const MAX_ATTEMPTS = 3;
/** Threads forgets a container after 24 hours. */
const LIFE_MS = 23 * 60 * MINUTE;
const PROCESSING_LIMIT_MS = { text: 10 * MINUTE, image: 10 * MINUTE, gif: 10 * MINUTE, video: 45 * MINUTE };
const LOOK_SECONDS = { text: 3, image: 4, gif: 4, video: 10 } as const;
/** Publishing may not find a FINISHED container yet. */
const SETTLE_SECONDS = 2;
const FETCH_AGAIN_SECONDS = 15;
const PARENT_SECONDS = 5;
/** If publishing does not find a finished container for this long, another one replaces it. */
const LOST_MS = 70_000;

export const Container = z.object({
  /** Null before it is created. */
  id: z.string().nullable(),
  /** Epoch milliseconds. */
  madeAt: z.number(),
  /** When it became ready to be published; null before. */
  readyAt: z.number().nullable(),
  /** When publishing first did not find it; null if it was found, or not tried. */
  lostAt: z.number().nullable(),
  /** Threads reports it as published, although none of our calls is known to have published it. */
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

/** The parameters of a container. */
export interface Plan {
  readonly form: Readonly<Record<string, string>>;
  /** Its own file; null for a text, and for a carousel, whose files have their own containers. */
  readonly file: Media | null;
  /** The post that it answers, if any. A post that just went live may not be found yet. */
  readonly answers: "nothing" | "new" | "old";
}

/** Whether it can be used without another check. */
export function isReady({ id, readyAt, madeAt }: Container, now: number): boolean {
  return id !== null && readyAt !== null && now - madeAt < LIFE_MS;
}

/** Whether it may be published now; one that was not found for a while is checked again first. */
export function isPublishable(container: Container, now: number): boolean {
  return isReady(container, now) && (container.lostAt === null || now - container.lostAt < LOST_MS);
}

/** A container that publishing did not find, and the wait before the next attempt, which grows. */
export function afterLoss(container: Container, now: number): { container: Container; afterSeconds: number } {
  const lostAt = container.lostAt ?? now;
  const waited = (now - lostAt) / 1000;
  const afterSeconds = [5, 10, 20].find((seconds) => waited < seconds - 1) ?? 40;
  return { container: { ...container, lostAt }, afterSeconds };
}

/** Makes the one call that advances the container towards publishing. */
export function advance(context: AccountContext, container: Container, plan: Plan): Promise<Step> {
  const isOver = container.id === null || context.now - container.madeAt >= LIFE_MS;
  return isOver ? make(context, container, plan) : check(context, container, container.id ?? "", plan);
}

/** No post here has documents. */
const kindOf = ({ file }: Plan): Exclude<MediaKind, "document"> | "text" =>
  file === null ? "text" : file.kind === "document" ? "image" : file.kind;

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

/** Reads its status. */
export const ContainerState = z.object({ status: z.string().optional(), error_message: lenient(z.string()) });

export const readState = (id: string): GraphCall => get(id, { fields: "status,error_message" });

async function check(context: AccountContext, container: Container, id: string, plan: Plan): Promise<Step> {
  const graph = graphOf(context);
  const answer = await graph.request(readState(id));
  const { now } = context;
  // A new container may not be found everywhere yet. One that publishing does not find either is lost.
  if (isLost(answer)) return isGivenUp(container) ? restart(container) : wait(container, plan, now);
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
      return restart(container);
    default:
      return wait(container, plan, now);
  }
}

/** Publishing did not find it for a while, so another one replaces it. */
function isGivenUp({ lostAt, attempts }: Container): boolean {
  return lostAt !== null && attempts < MAX_ATTEMPTS;
}

function finished(container: Container, plan: Plan, now: number): Step {
  if (isGivenUp(container)) return restart(container);
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

const restart = ({ attempts }: Container): Step => ({ kind: "more", upload: { ...NO_CONTAINER, attempts } });

/** The fix for each container error that another file solves. */
const ADVICE: Readonly<Record<string, string>> = {
  FAILED_PROCESSING_AUDIO: "could not process its sound",
  FAILED_PROCESSING_VIDEO: "could not process it",
  // Threads' own spelling.
  INVALID_ASPEC_RATIO: "requires an aspect ratio of at most 10:1",
  INVALID_ASPECT_RATIO: "requires an aspect ratio of at most 10:1",
  INVALID_AUDIO_CHANNEL_LAYOUT: "requires mono or stereo sound",
  INVALID_AUDIO_CHANNELS: "requires mono or stereo sound",
  INVALID_BIT_RATE: "requires a bit rate of at most 100 Mbps",
  INVALID_DURATION: "requires a duration of at most 5 minutes",
  INVALID_FRAME_RATE: "requires 23 to 60 frames per second",
};

/** Failed fetches and unknown errors are retried; all others are final. */
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
