import type { Content, PrepareOutcome } from "../../../src/platforms/publishing.ts";
import type { CallRequest } from "../../../src/platforms/request.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** What TikTok answers while a video is uploaded. */

export const MIB = 1024 * 1024;

export const ok = (data: object): Scripted => ({ body: { data, error: { code: "ok", message: "", log_id: "L" } } });
export const refused = (code: string, status = 200): Scripted => ({
  status,
  body: { data: {}, error: { code, message: "Because.", log_id: "L1" } },
});

export const INFO = {
  privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: true,
  max_video_post_duration_sec: 300,
};
export const ADDRESS = "https://open-upload.tiktokapis.com/video/?upload_id=U1&upload_token=T1";
export const TASK = "v_pub_file~v2-1.7430000000000000009";
export const OPENED = ok({ publish_id: TASK, upload_url: ADDRESS });
export const stored = (last: number, total: number, status = 206): Scripted => ({
  status,
  headers: { "content-range": `bytes 0-${last}/${total}` },
});

/** Since August 2026 some apps: a video in one chunk first, and in several where that is refused. */
const NOT_SO: Scripted = {
  status: 400,
  body: { data: {}, error: { code: "invalid_params", message: "The chunk size is invalid", log_id: "L2" } },
};
export const BEGUN = [ok(INFO), NOT_SO, OPENED];

/** Prepares until it is ready, fails or waits; every answer must be used. */
export async function prepared(
  what: Content,
  answers: readonly (Scripted | "lost")[],
  options?: Record<string, string>,
) {
  const { send, calls } = scriptedSend(...answers);
  const context = accountContext(send);
  const own = options ? { ...context, app: { ...context.app, options } } : context;
  let outcome: PrepareOutcome = { kind: "more", progress: null };
  while (outcome.kind === "more" && calls.length < answers.length) {
    outcome = await tiktok.posts.prepare(own, what, outcome.progress);
  }
  if (outcome.kind === "more") outcome = await tiktok.posts.prepare(own, what, outcome.progress);
  return { outcome, calls, progress: "progress" in outcome ? outcome.progress : null };
}

export const jsonOf = ({ bytes }: CallRequest): unknown => JSON.parse(new TextDecoder().decode(bytes));
export const rangeOf = ({ headers }: CallRequest) => headers?.["content-range"];
