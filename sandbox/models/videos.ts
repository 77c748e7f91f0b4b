// `/v1/videos`: create a job, poll it, and download the finished video.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { markIn } from "./chat-answer";
import { ModelError, outage, refusalOf, requireModel } from "./errors";
import { videoOf } from "./mp4";
import type { VideoJob } from "./video-jobs";

const VideoRequest = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(32_000),
  seconds: z.enum(["4", "8", "12"]).default("4"),
  size: z.enum(["720x1280", "1280x720", "1024x1792", "1792x1024", "1080x1920", "1920x1080"]).default("720x1280"),
});

const ListRequest = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().optional(),
});

export interface BegunVideo {
  response: Response;
  said: string;
  isNew: boolean;
}

/** `fails`: whether the processing fails. */
export async function beginVideo(
  sandbox: Sandbox,
  sent: unknown,
  key: string | null,
  fails: () => boolean,
): Promise<BegunVideo> {
  const parsed = VideoRequest.safeParse(sent);
  if (!parsed.success) throw refusalOf(parsed.error);
  const { model, prompt, seconds, size } = parsed.data;
  requireModel(model, "sandbox-video");
  const mark = markIn(prompt);
  if (mark === "error") throw outage();
  if (mark === "slow") await scheduler.wait(sandbox.settings.all.slow_ms);
  const idempotency_key = sandbox.settings.all.models_idempotency ? key : null;
  const known = idempotency_key === null ? null : sandbox.videoJobs.ofKey(idempotency_key);
  if (known && (known.prompt !== prompt || known.seconds !== seconds || known.size !== size)) {
    throw new ModelError(400, "This idempotency key was used for another request.", { code: "idempotency_key_reused" });
  }
  const fate = mark === "refuse" ? "refused" : mark === "fail" || fails() ? "failed" : null;
  const job = known ?? sandbox.videoJobs.begin({ prompt, model, seconds, size, idempotency_key, fate });
  return { response: Response.json(videoView(sandbox, job)), said: job.id, isNew: known === null };
}

export function lookAtVideo(sandbox: Sandbox, id: string): Response {
  return Response.json(videoView(sandbox, getVideo(sandbox, id)));
}

export function listVideos(sandbox: Sandbox, query: Record<string, string>): Response {
  const parsed = ListRequest.safeParse(query);
  if (!parsed.success) throw refusalOf(parsed.error);
  const { limit, order, after } = parsed.data;
  const newest = sandbox.videoJobs.list();
  const all = order === "desc" ? newest : newest.reverse();
  const rest = after === undefined ? all : all.slice(all.findIndex(({ id }) => id === after) + 1);
  const data = rest.slice(0, limit).map((job) => videoView(sandbox, job));
  const has_more = rest.length > limit;
  return Response.json({
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more,
  });
}

export function videoContent(sandbox: Sandbox, id: string): Response {
  const job = getVideo(sandbox, id);
  if (job.status !== "completed") {
    throw new ModelError(400, "Video is not ready yet. Check its status.", { code: "video_not_ready" });
  }
  if ((job.expires_at ?? 0) <= sandbox.now()) throw new ModelError(404, "The video has expired.", { code: "expired" });
  const headers = { "content-type": "video/mp4" };
  if (markIn(job.prompt) === "garbage") return new Response("This is not a video.", { headers });
  const [width = 0, height = 0] = job.size.split("x").map(Number);
  const video = { width, height, seconds: Number(job.seconds), hasSound: sandbox.settings.all.models_video_sound };
  return new Response(padded(videoOf(job.prompt, video), sandbox.settings.all.models_video_bytes), { headers });
}

/** The video with an empty box at its end, which players skip. */
function padded(video: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (video.byteLength + 8 > size) return video;
  const whole = new Uint8Array(size);
  whole.set(video);
  new DataView(whole.buffer).setUint32(video.byteLength, size - video.byteLength);
  whole.set(new TextEncoder().encode("free"), video.byteLength + 4);
  return whole;
}

function getVideo(sandbox: Sandbox, id: string): VideoJob {
  const job = sandbox.videoJobs.find(id);
  if (job) return job;
  throw new ModelError(404, `Video with id '${id}' not found.`, { code: "not_found" });
}

function videoView(sandbox: Sandbox, job: VideoJob) {
  const { id, model, status, progress, seconds, size, prompt } = job;
  const inSeconds = (at: number | null) => (at === null ? null : Math.floor(at / 1000));
  return {
    id,
    object: "video",
    model,
    status,
    progress,
    created_at: Math.floor(job.created_at / 1000),
    completed_at: inSeconds(job.completed_at),
    expires_at: inSeconds(job.expires_at),
    seconds,
    size,
    prompt: sandbox.settings.all.models_video_prompts ? prompt : null,
    remixed_from_video_id: null,
    error: status === "failed" ? ERRORS[job.fate ?? "failed"] : null,
  };
}

const ERRORS = {
  refused: { code: "moderation_blocked", message: "Your request was blocked by our moderation system." },
  failed: { code: "video_generation_failed", message: "Video generation failed." },
};
