import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, oddAnswer } from "./outcome.ts";
import type { Model } from "./server.ts";
import { type Download, downloadVideo } from "./video-download.ts";
import { callWire, createWire, fetchJson, isGone, readJson, type Wire, type WireOptions, within } from "./wire.ts";

/**
 * A video model, which takes minutes: a job is started, polled until it is done, and its video downloaded.
 * Each method is one call, never throws, and leaves waits and retries to the caller. Only `begin` is charged.
 * If its answer is lost, `find` looks for the job, so that no second one is started and paid for.
 */
export interface Videos {
  /** The model's name; null if none is configured. */
  readonly model: string | null;
  begin(request: VideoRequest): Promise<{ readonly kind: "ok"; readonly id: string } | ModelFailure>;
  /** Finds the job of a `begin` whose result is unknown, among those of the last minutes. */
  find(request: SoughtVideo): Promise<VideoFound>;
  getState(id: string, signal?: AbortSignal): Promise<VideoState | ModelFailure>;
  /** Downloads the video of a completed job, which the server keeps for about an hour. Repeatable. */
  fetch(id: string, signal?: AbortSignal): Promise<Download>;
}

interface VideoRequest {
  readonly prompt: string;
  /** Servers support a few lengths and sizes, and refuse others. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  /** The same for each attempt at one video: servers that support such keys return the existing job. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

interface SoughtVideo {
  /** The prompt of `begin`, which should be unique. */
  readonly prompt: string;
  /** When `begin` was called, in epoch milliseconds. */
  readonly begunAt: number;
  readonly signal?: AbortSignal;
}

type VideoFound =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "absent" }
  /** The server does not list jobs, or not their parameters. */
  | { readonly kind: "unknown" }
  | ModelFailure;

type VideoState =
  | {
      readonly kind: "pending";
      /** In percent; null if the server does not send it. */
      readonly progress: number | null;
    }
  | { readonly kind: "done" }
  /**
   * The job failed. `refused`: a retry would fail too; `down`: a new job may succeed, and is charged again.
   */
  | { readonly kind: "ended"; readonly reason: "refused" | "down"; readonly message: string };

export interface VideoOptions extends WireOptions {
  /** Fetches videos that the server stores elsewhere. */
  readonly guardedFetch: GuardedFetch;
  /** The time limit for a whole video. */
  readonly fetchLimitMs?: number;
}

const TIME_LIMIT_MS = MINUTE;
const FETCH_LIMIT_MS = 300_000;
const MAX_ANSWER_BYTES = 512 * 1024;
const LISTED = 100;
/** The assumed maximum clock difference between the server and us. */
const CLOCK_SLACK_MS = 120_000;

const STATES: Readonly<Record<string, "pending" | "done" | "ended">> = {
  queued: "pending",
  in_progress: "pending",
  completed: "done",
  failed: "ended",
  // Statuses of servers that are less compatible.
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
  message: "The video model's server no longer knows this video.",
};
/** Common parts of the error codes for a refused prompt. */
const REFUSALS = /moderation|policy|safety|refus|blocked|invalid|sensitive/i;

/** The id becomes part of a path. */
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
    model: model.model,
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
    async getState(id, signal) {
      const limited = within(timeLimitMs, signal);
      const answer = await callWire(wire, { method: "GET", path: path(id), signal: limited });
      if (answer.kind === "failed") return answer;
      if (await isGone(answer.response)) return GONE;
      const job = await readJson(wire, answer.response, limited, { schema: Job, maxBytes: MAX_ANSWER_BYTES });
      return job.kind === "failed" ? job : (stateOf(job.value) ?? oddAnswer(wire.name));
    },
    fetch: (id, signal) => downloadVideo(wire, guardedFetch, `${path(id)}/content`, within(fetchLimitMs, signal)),
  };
}

/** The implementation if no model is configured. */
export function noVideos(message: string): Videos {
  const none = async () => failed("not_configured", message);
  return { model: null, begin: none, find: none, getState: none, fetch: none };
}

function stateOf({ status, progress = null, error }: z.output<typeof Job>): VideoState | null {
  switch (STATES[status]) {
    case "pending":
      return { kind: "pending", progress };
    case "done":
      return { kind: "done" };
    case "ended":
      return REFUSALS.test(error?.code ?? "")
        ? { kind: "ended", reason: "refused", message: "The video model declined to generate this video." }
        : { kind: "ended", reason: "down", message: "The video model started this video but did not finish it." };
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
 * Some servers truncate prompts, or change their white space. If our job were not recognized, a second one
 * would be paid for.
 */
function isBeginning(shown: string, prompt: string): boolean {
  const [start, whole] = [shown, prompt].map((text) => text.replace(/\s+/g, " ").trim());
  const cut = start?.replace(/ ?(…|\.{3})$/, "") ?? "";
  return start === whole || (cut.length >= SHOWN_AT_LEAST && whole?.startsWith(cut) === true);
}
const SHOWN_AT_LEAST = 40;

/**
 * The server accepted the job with the same key and address, so only its list is missing or has another
 * format.
 */
const isWithoutLists = ({ reason }: ModelFailure) => reason !== "down" && reason !== "throttled";
