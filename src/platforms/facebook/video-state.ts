import { z } from "zod";
import type { SaidCode } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, lenientList } from "../lists.ts";
import { quoting } from "../outcomes.ts";
import { adviceFor } from "./errors.ts";

/**
 * Reads the status of a video. The documentation and the SDK spell its phases differently ("complete",
 * "completed"; one error or a list), so all spellings are accepted.
 *
 * These were seen of finished videos that later went live: `processing` with a processing phase that had not
 * begun, `upload_complete`, and `ready` with a publishing phase that had not begun (facebook.md §3.9). Only
 * a live state proves that `finish` has arrived.
 */
const PhaseError = z.object({ code: lenient(z.coerce.number()), message: lenient(z.string()) });
const Phase = z.object({
  status: lenient(z.string()),
  publish_status: lenient(z.string()),
  error: lenient(PhaseError),
  errors: lenientList(PhaseError),
});
export const Video = z.object({
  status: z
    .object({
      video_status: lenient(z.string()),
      uploading_phase: lenient(Phase),
      processing_phase: lenient(Phase),
      publishing_phase: lenient(Phase),
    })
    .optional(),
  published: lenient(z.boolean()),
  permalink_url: lenient(z.string()),
  post_id: lenient(PlatformId),
});
export type Video = z.output<typeof Video>;

export interface VideoState {
  readonly kind: "state";
  readonly uploading: string;
  readonly processing: string;
  /** Facebook reports it as live. */
  readonly isLive: boolean;
  /** Ready, without a publishing phase: live if `finish` was acknowledged. */
  readonly isSilent: boolean;
  /** Ready, but neither live nor being published. */
  readonly isHeld: boolean;
  /** Facebook is publishing it. */
  readonly isUnderWay: boolean;
  /** Facebook reports it as a draft. */
  readonly isDraft: boolean;
}

export interface BrokenVideo {
  readonly kind: "broken";
  readonly code: SaidCode;
  /** Why the video is not published, as a message for the caller. */
  readonly message: string;
}

const PROCESSING_FAILED = {
  advice: "Facebook could not process the video. Try another file.",
  code: "media_invalid",
} as const;

export function videoState({ status, published }: Video): VideoState | BrokenVideo {
  const { video_status: overall = "", uploading_phase, processing_phase, publishing_phase } = status ?? {};
  const phases = [uploading_phase, processing_phase, publishing_phase];
  const broken = phases.find((phase) => phase?.status === "error" || phase?.error || phase?.errors?.length);
  if (broken || ["error", "upload_failed", "expired"].includes(overall)) {
    const error = broken?.error ?? broken?.errors?.[0];
    const { advice, code } = (error?.code && adviceFor(error.code)) || PROCESSING_FAILED;
    return { kind: "broken", code, message: quoting(advice, "Facebook", error?.message) };
  }
  const state = (phase: z.output<typeof Phase> | undefined) => phase?.status?.replace(/^completed$/, "complete");
  const isDone = overall === "ready" || overall === "upload_complete";
  const publishing = state(publishing_phase);
  const publishStatus = publishing_phase?.publish_status;
  const isPublished = publishing === "complete" && (publishStatus ?? "published") === "published";
  const isLive = isPublished || (overall === "ready" && published === true);
  const isSilent = overall === "ready" && publishing === undefined && published === undefined;
  const isUnderWay = publishing === "in_progress" || publishStatus === "publishing";
  return {
    kind: "state",
    uploading: state(uploading_phase) ?? (overall === "uploading" ? "in_progress" : "complete"),
    processing: isDone
      ? "complete"
      : (state(processing_phase) ?? (overall === "processing" ? "in_progress" : "complete")),
    isLive,
    isSilent,
    isHeld: overall === "ready" && !isLive && !isSilent && !isUnderWay,
    isUnderWay,
    isDraft: !isLive && [overall, publishing, publishStatus].includes("draft"),
  };
}
