import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { errorOf } from "../meta/errors.ts";
import { get, post } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import type { PrepareOutcome } from "../publishing.ts";
import { graphOf } from "./api.ts";
import type { Container, Form, Progress, Shape } from "./content.ts";
import { faultOf, subcodeOf } from "./errors.ts";

/**
 * A container is media that Instagram fetches and processes before it is published. It is not public and
 * expires after a day, so creating one may be repeated.
 *
 * each file of a carousel → (all finished) the carousel → finished → (commit) media_publish
 *
 * For weeks in 2026 containers were unreadable although they could be published (instagram.md §2.4). An
 * unreadable container counts neither as deleted nor as broken.
 */
const Created = z.object({ id: PlatformId });
const Status = z.object({
  status_code: z.string().nullish(),
  status: z.union([z.string(), z.number()]).nullish(),
});

export type State =
  | { readonly kind: "finished" | "in_progress" | "published" | "expired" | "unreadable" | "unfamiliar" }
  /** `number` is Instagram's error number, if it returns one. */
  | { readonly kind: "error"; readonly number: number | null }
  | Failure;

export async function readState(context: AccountContext, id: string): Promise<State> {
  const graph = graphOf(context);
  const raw = await graph.request(get(id, { fields: "status_code,status" }));
  if (isUnreadable(raw)) return { kind: "unreadable" };
  const answer = graph.interpretRead(raw, Status);
  return answer.kind === "failed" ? answer : stateOf(answer.value);
}

/** For weeks, Instagram refused new objects with either of these. */
function isUnreadable(answer: Parameters<typeof errorOf>[0]): boolean {
  const error = errorOf(answer);
  return error !== null && ((error.code === 100 && error.error_subcode === 33) || error.code === 10);
}

const STATES: Readonly<Record<string, Exclude<State, Failure>["kind"]>> = {
  FINISHED: "finished",
  IN_PROGRESS: "in_progress",
  PUBLISHED: "published",
  EXPIRED: "expired",
};

/** `status` is a sentence or just a number; a sentence about an error may come without the code. */
function stateOf({ status_code: code, status }: z.output<typeof Status>): State {
  const words = `${status ?? ""}`;
  if (code === "ERROR" || (!code && (words.startsWith("Error") || /^\d+$/.test(words)))) {
    const number = /\b22\d{5}\b/.exec(words)?.[0];
    return { kind: "error", number: number === undefined ? null : Number(number) };
  }
  const kind = code ? STATES[code] : undefined;
  return kind === undefined || kind === "error" ? { kind: "unfamiliar" } : { kind };
}

/** Instagram sometimes does not find a file, and finds it seconds later. */
const FETCH_TRIES = 3;
const FETCH_AGAIN_SECONDS = 5;
const MAX_REMAKES = 3;
const FIRST_LOOK_SECONDS = 3;
/** Large videos take many minutes. */
const PROCESSING_LIMIT_MS = 30 * MINUTE;
/** After this long an unreadable container counts as ready; publishing reports if it is not. */
const UNREADABLE_PATIENCE_MS = 3 * MINUTE;
const PROCESSING = "Instagram is processing the media.";

/** Creates the next container, or polls the first one that is not ready. */
export function prepareContainers(context: AccountContext, shape: Shape, progress: Progress): Promise<PrepareOutcome> {
  const { children } = shape;
  const { containers } = progress;
  const form = nextForm(shape, progress);
  if (form) return create(context, progress, form, containers.length < children.length ? children.length : 0);
  const pending = containers.findIndex(({ isFinished }) => !isFinished);
  const waiting = containers[pending];
  if (waiting) return poll(context, shape, progress, { index: pending, container: waiting });
  return Promise.resolve({ kind: "ready", progress });
}

/** The parameters of the next container; null while one is processed, and once all are ready. */
export function nextForm({ children, parent }: Shape, { containers }: Progress): Form | null {
  const child = children[containers.length];
  if (child) return child;
  const isParentNext = containers.length === children.length && containers.every(({ isFinished }) => isFinished);
  return isParentNext ? parent(containers.map(({ id }) => id)) : null;
}

async function create(
  context: AccountContext,
  progress: Progress,
  form: Form,
  siblings: number,
): Promise<PrepareOutcome> {
  const graph = graphOf(context);
  const raw = await graph.request(post(`${context.account.id}/media`, form));
  const answer = graph.interpretRead(raw, Created);
  if (answer.kind === "failed") {
    const unreachable = progress.unreachable + 1;
    if (subcodeOf(raw) !== UNREACHABLE || unreachable >= FETCH_TRIES) return answer;
    const again = { afterSeconds: FETCH_AGAIN_SECONDS, reason: answer.message };
    return { kind: "more", progress: { ...progress, unreachable }, ...again };
  }
  const container: Container = { id: answer.value.id, madeAt: context.now, isFinished: false, isPublished: false };
  const containers = [...progress.containers, container];
  const isLastChild = containers.length === siblings;
  // The next file follows at once; processing is polled after a moment.
  const isVideo = "video_url" in form || "children" in form;
  const wait =
    isVideo && (siblings === 0 || isLastChild) ? { afterSeconds: FIRST_LOOK_SECONDS, reason: PROCESSING } : {};
  return { kind: "more", progress: { ...progress, containers, unreachable: 0 }, ...wait };
}

const UNREACHABLE = 2207052;

async function poll(
  context: AccountContext,
  { children }: Shape,
  progress: Progress,
  { index, container }: { readonly index: number; readonly container: Container },
): Promise<PrepareOutcome> {
  const state = await readState(context, container.id);
  const ageMs = context.now - container.madeAt;
  switch (state.kind) {
    case "failed":
      return state;
    case "published":
    case "finished":
      return finished(progress, index, children.length, state.kind === "published");
    case "unreadable":
      if (ageMs >= UNREADABLE_PATIENCE_MS) return finished(progress, index, children.length);
      return later(progress, ageMs);
    case "in_progress":
    case "unfamiliar":
      if (ageMs < PROCESSING_LIMIT_MS) return later(progress, ageMs);
      return remake(progress, index, null);
    case "expired":
      return remake(progress, index, null);
    case "error":
      return remake(progress, index, state.number);
  }
}

function finished(progress: Progress, index: number, siblings: number, isPublished = false): PrepareOutcome {
  const ready = { isFinished: true, isPublished };
  const containers = progress.containers.map((one, at) => (at === index ? { ...one, ...ready } : one));
  return { kind: index === siblings ? "ready" : "more", progress: { ...progress, containers } };
}

/** Seconds for a new container, half a minute for a slow one. */
function later(progress: Progress, ageMs: number): PrepareOutcome {
  const afterSeconds = Math.min(30, Math.max(FIRST_LOOK_SECONDS, Math.round(ageMs / 6000)));
  return { kind: "more", progress, afterSeconds, reason: PROCESSING };
}

/** Creates a failed container again, unless Instagram reports that it will never accept the file. */
function remake(progress: Progress, index: number, number: number | null): PrepareOutcome {
  const fault = faultOf(number);
  if (fault) return rejected(fault.message, fault.code);
  if (progress.remakes >= MAX_REMAKES) {
    const suffix = number === null ? "" : ` (Instagram error ${number})`;
    return rejected(
      `Instagram could not process the media after several attempts${suffix}. Try another file.`,
      "media_invalid",
    );
  }
  const containers = progress.containers.slice(0, index);
  const again = { afterSeconds: 5, reason: "The media are sent to Instagram again." };
  return { kind: "more", progress: { ...progress, containers, remakes: progress.remakes + 1 }, ...again };
}
