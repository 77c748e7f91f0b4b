import { z } from "zod";
import type { SaidCode } from "../context.ts";
import { lenient, lenientList, shownText } from "../lists.ts";
import { quoting } from "../outcomes.ts";
import type { PlatformPost } from "../publishing.ts";

/** A video as YouTube shows it: its state, why it failed, and its address. Pure. */

const word = lenient(z.string());

export const Video = z.object({
  id: z.string().min(1),
  snippet: lenient(z.object({ title: shownText })),
  status: lenient(z.object({ uploadStatus: word, failureReason: word, rejectionReason: word })),
  processingDetails: lenient(
    z.object({ processingStatus: word, processingFailureReason: word, fileDetailsAvailability: word }),
  ),
  fileDetails: lenient(z.object({ fileName: word, fileSize: lenient(z.coerce.number()) })),
});
export type Video = z.output<typeof Video>;

export const Videos = z.object({ items: lenientList(Video) });

export type VideoState =
  | { readonly kind: "live" }
  | { readonly kind: "processing" }
  | { readonly kind: "broken"; readonly code: SaidCode | "platform_rejected"; readonly message: string };

/** `uploaded` is not public yet: YouTube still processes the file, and may refuse it. */
export function stateOf({ status, processingDetails }: Video): VideoState {
  switch (status?.uploadStatus) {
    case "processed":
      return { kind: "live" };
    case "failed":
      return broken(FAILED, status.failureReason, [
        "media_invalid",
        "YouTube could not process the video. Try another file.",
      ]);
    case "rejected":
      return broken(REJECTED, status.rejectionReason, ["platform_rejected", "YouTube removed the video."]);
    case "deleted":
      return broken({}, undefined, ["platform_rejected", "The video was deleted at YouTube."]);
    default: {
      const { processingStatus, processingFailureReason } = processingDetails ?? {};
      if (processingStatus !== "failed") return { kind: "processing" };
      const advice = "YouTube could not process the video. Try another file.";
      return broken({}, processingFailureReason, ["media_invalid", advice]);
    }
  }
}

type Sentence = readonly [code: SaidCode | "platform_rejected", advice: string];
type Sentences = Readonly<Record<string, Sentence>>;

const FAILED: Sentences = {
  conversion: ["media_invalid", "YouTube could not convert the video. Send it as MP4 (H.264, AAC)."],
  invalidFile: ["media_invalid", "YouTube does not recognize the file as a video. Send it as MP4 (H.264, AAC)."],
  emptyFile: ["media_invalid", "The video file is empty. Send another file."],
  tooSmall: ["media_invalid", "The video is too small for YouTube. Send a larger one."],
  codec: ["media_invalid", "YouTube does not support the codec of the video. Send it as MP4 (H.264, AAC)."],
  uploadAborted: ["platform_rejected", "The upload to YouTube was interrupted. Post it again."],
};

const REJECTED: Sentences = {
  copyright: ["content_refused", "YouTube rejected the video for copyright. Use your own material."],
  inappropriate: ["content_refused", "YouTube rejected the video as inappropriate. Read its Community Guidelines."],
  duplicate: ["content_refused", "YouTube rejected the video as a duplicate: the channel has it already."],
  termsOfUse: ["content_refused", "YouTube rejected the video for its Terms of Service."],
  uploaderAccountSuspended: [
    "account_restricted",
    "YouTube rejected the video because the channel is suspended. Sign in at youtube.com first.",
  ],
  length: [
    "media_invalid",
    "YouTube rejected the video as too long: over 15 minutes needs a channel verified at youtube.com/verify.",
  ],
  claim: ["content_refused", "YouTube rejected the video because of a claim on its content."],
  uploaderAccountClosed: ["account_restricted", "YouTube rejected the video because the channel is closed."],
  trademark: ["content_refused", "YouTube rejected the video for a trademark."],
  legal: ["content_refused", "YouTube rejected the video after a legal complaint."],
};

function broken(known: Sentences, reason: string | undefined, [code, advice]: Sentence): VideoState {
  const row = reason !== undefined && Object.hasOwn(known, reason) ? known[reason] : undefined;
  if (row) return { kind: "broken", code: row[0], message: row[1] };
  return { kind: "broken", code, message: quoting(advice, "YouTube", reason) };
}

/** A Short has its own page; the other address works for every video. */
export function toPost(id: string, isShort: boolean): PlatformPost & { readonly permalink: string } {
  const permalink = isShort ? `https://www.youtube.com/shorts/${id}` : `https://www.youtube.com/watch?v=${id}`;
  return { id, secondaryId: null, permalink };
}
