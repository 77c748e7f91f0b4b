import { z } from "zod";
import type { Failure } from "../context.ts";
import type { Answered, Lost } from "../request.ts";
import { MAX_RESTARTS, type UploadStep } from "../uploads.ts";

/** How far the upload of a file to LinkedIn is; stored between its steps. */
const Part = z.object({ url: z.string(), start: z.number(), end: z.number(), etag: z.string().nullable() });
export const Upload = z.object({
  state: z.enum(["none", "sending", "processing", "done"]),
  /** The URN that the post names. */
  id: z.string(),
  /** One for an image. */
  parts: z.array(Part),
  token: z.string(),
  /** Where the cover of a video is sent; empty for none, and once it was sent. */
  coverUrl: z.string().default(""),
  /** Epoch milliseconds: when the addresses expire, and when the state began. */
  expiresAt: z.number(),
  at: z.number(),
  restarts: z.number(),
});
export type Upload = z.output<typeof Upload>;
export type Step = UploadStep<Upload>;
/** One entry per file, in the order of the media. */
export const Progress = z.object({ uploads: z.array(Upload) });

export const NONE: Upload = {
  state: "none",
  id: "",
  parts: [],
  token: "",
  coverUrl: "",
  expiresAt: 0,
  at: 0,
  restarts: 0,
};

/** Whether the upload itself was refused, not its token or rate. */
export function isRefused(answer: Answered | Lost): boolean {
  return (
    answer.kind === "answered" &&
    answer.status >= 400 &&
    answer.status < 500 &&
    ![401, 408, 429].includes(answer.status)
  );
}

/** A refused call does not prove a bad file: the state of the upload may be unknown. */
export function restart(failure: Failure, upload: Upload): Step {
  if (upload.restarts >= MAX_RESTARTS) {
    return failure.reason === "rejected" ? { ...failure, code: failure.code ?? "media_invalid" } : failure;
  }
  return { kind: "more", upload: { ...NONE, restarts: upload.restarts + 1 } };
}
