import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, oddAnswer } from "./outcome.ts";
import type { Model } from "./server.ts";
import { type Download, downloadVideo } from "./video-download.ts";
import { callWire, createWire, fetchJson, isGone, readJson, type Wire, type WireOptions, within } from "./wire.ts";

/**
 * A video model, which works for minutes: a job is begun, looked at until it is done, and its film fetched.
 * Each verb is one call, never throws, and leaves waiting and repeats to whoever asks. Only `begin` is paid
 * for. Its answer may be lost after the server took it: `find` then tells whether there is a job, so that
 * nobody begins, and pays for, another.
 */
export interface Videos {
  begin(request: VideoRequest): Promise<{ readonly kind: "ok"; readonly id: string } | ModelFailure>;
  /** The job of a `begin` whose answer is not known, among those of the last minutes. */
  find(request: SoughtVideo): Promise<VideoFound>;
  look(id: string, signal?: AbortSignal): Promise<VideoState | ModelFailure>;
  /** The film of a job that is done, while the server keeps it: about an hour. May be fetched again. */
  fetch(id: string, signal?: AbortSignal): Promise<Download>;
}

export interface VideoRequest {
  readonly prompt: string;
  /** Servers know a few lengths and sizes, and refuse others. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  /** The same for each attempt at one film: servers that know such keys answer with the job that there is. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

export interface SoughtVideo {
  /** As it was given to `begin`, where it should be like no other. */
  readonly prompt: string;
  /** When `begin` was called, in epoch milliseconds. */
  readonly begunAt: number;
  readonly signal?: AbortSignal;
}

export type VideoFound =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "absent" }
  /** The server does not list jobs, or not what they were begun with. */
  | { readonly kind: "unknown" }
  | ModelFailure;

export type VideoState =
  | {
      readonly kind: "pending";
      /** In percent; null when the server does not tell. */
      readonly progress: number | null;
    }
  | { readonly kind: "done" }
  /**
   * Nothing comes of the job. `refused`: nor of another one; `down`: another one may succeed, and is paid for
   * anew.
   */
  | { readonly kind: "ended"; readonly reason: "refused" | "down"; readonly message: string };

export interface VideoOptions extends WireOptions {
  /** The way to a film that the server keeps elsewhere. */
  readonly guardedFetch: GuardedFetch;
  /** Of a whole film. */
  readonly fetchLimitMs?: number;
}

const TIME_LIMIT_MS = MINUTE;
const FETCH_LIMIT_MS = 300_000;
const MAX_ANSWER_BYTES = 512 * 1024;
const LISTED = 100;
/** By which the server's clock may differ from ours. */
const CLOCK_SLACK_MS = 120_000;

const STATES: Readonly<Record<string, "pending" | "done" | "ended">> = {
  queued: "pending",
  in_progress: "pending",
  completed: "done",
  failed: "ended",
  // Words of servers that speak the form less exactly.
  pending: "pending",
  processing: "pending",
  running: "pending",
  succeeded: "done",
  cancelled: "ended",
  expired: "ended",
  error: "ended",
};
const GONE: VideoState = {
  kind: "ended",
  reason: "down",
  message: "The video model's server does not know this video, or no longer.",
};
/** What the codes of a failed job have in common when it is the prompt that does not please. */
const REFUSALS = /moderation|policy|safety|refus|blocked|invalid|sensitive/i;

/** It becomes a part of a path. */
const JobId = z.string().regex(/^(?!\.{1,2}$)[\w.:=~+-]{1,500}$/);
const Begun = z.object({ id: JobId });
const Job = z.object({
  status: z.string(),
  progress: z.number().min(0).max(100).nullish().catch(null),
  error: z.object({ code: z.string().nullish() }).nullish().catch(null),
});
const Listed = z.object({
  data: z.array(
    z.object({
      id: JobId,
      /** Epoch seconds. */
      created_at: z.number(),
      prompt: z.string().nullish(),
    }),
  ),
  has_more: z.boolean().nullish(),
});

export function createVideos(model: Model, options: VideoOptions): Videos {
  const { guardedFetch, timeLimitMs = TIME_LIMIT_MS, fetchLimitMs = FETCH_LIMIT_MS } = options;
  const wire = createWire("video model", model, options);
  const path = (id: string) => `/videos/${encodeURIComponent(id)}`;
  return {
    async begin({ prompt, seconds, width, height, idempotencyKey, signal }) {
      const body = new FormData();
      const fields = { model: model.model, prompt, seconds: String(seconds), size: `${width}x${height}` };
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const headers = { "idempotency-key": idempotencyKey };
      const call = { method: "POST", path: "/videos", body, headers, signal: within(timeLimitMs, signal) } as const;
      const answer = await fetchJson(wire, call, Begun, MAX_ANSWER_BYTES);
      return answer.kind === "failed" ? answer : { kind: "ok", id: answer.value.id };
    },
    find: (sought) => findJob(wire, sought, within(timeLimitMs, sought.signal)),
    async look(id, signal) {
      const limited = within(timeLimitMs, signal);
      const answer = await callWire(wire, { method: "GET", path: path(id), signal: limited });
      if (answer.kind === "failed") return answer;
      if (await isGone(answer.response)) return GONE;
      const job = await readJson(wire, answer.response, limited, Job, MAX_ANSWER_BYTES);
      return job.kind === "failed" ? job : (stateOf(job.value) ?? oddAnswer(wire.name));
    },
    fetch: (id, signal) => downloadVideo(wire, guardedFetch, `${path(id)}/content`, within(fetchLimitMs, signal)),
  };
}

/** For where no model is set up. */
export function noVideos(message: string): Videos {
  const none = async () => failed("not_configured", message);
  return { begin: none, find: none, look: none, fetch: none };
}

function stateOf({ status, progress = null, error }: z.output<typeof Job>): VideoState | null {
  switch (STATES[status]) {
    case "pending":
      return { kind: "pending", progress };
    case "done":
      return { kind: "done" };
    case "ended":
      return REFUSALS.test(error?.code ?? "")
        ? { kind: "ended", reason: "refused", message: "The video model declined to make this video." }
        : { kind: "ended", reason: "down", message: "The video model began this video and did not finish it." };
    default:
      return null;
  }
}

async function findJob(wire: Wire, { prompt, begunAt }: SoughtVideo, signal: AbortSignal): Promise<VideoFound> {
  const call = { method: "GET", path: `/videos?limit=${LISTED}&order=desc`, signal } as const;
  const answer = await fetchJson(wire, call, Listed, MAX_ANSWER_BYTES);
  if (answer.kind === "failed") return isWithoutLists(answer) ? { kind: "unknown" } : answer;
  const { data, has_more: hasMore } = answer.value;
  const since = (begunAt - CLOCK_SLACK_MS) / 1000;
  const recent = data.filter(({ created_at }) => created_at >= since);
  const job = recent.find((one) => isBeginning(one.prompt ?? "", prompt));
  if (job) return { kind: "found", id: job.id };
  const isWhole = recent.length < data.length || (data.length < LISTED && hasMore !== true);
  return isWhole && recent.every((one) => typeof one.prompt === "string") ? { kind: "absent" } : { kind: "unknown" };
}

/**
 * Some servers show prompts cut off, or with other white space; an own job passed over would be paid for
 * twice.
 */
function isBeginning(shown: string, prompt: string): boolean {
  const [start, whole] = [shown, prompt].map((text) => text.replace(/\s+/g, " ").trim());
  const cut = start?.replace(/ ?(…|\.{3})$/, "") ?? "";
  return start === whole || (cut.length >= SHOWN_AT_LEAST && whole?.startsWith(cut) === true);
}
const SHOWN_AT_LEAST = 40;

/** It began the job with the same key and address: only the list is not there, or of another form. */
const isWithoutLists = ({ reason }: ModelFailure) => reason !== "down" && reason !== "throttled";
