import type { Failure } from "./context.ts";
import type { PostOptions } from "./options.ts";
import { rejected } from "./outcomes.ts";
import type { Media } from "./rules.ts";

/** The refusal of a cover frame after the end of a video: platforms replace it silently, or fail late. */
export function lateCover(
  { cover_ms: at }: PostOptions,
  media: readonly Media[],
): (Failure & { readonly kind: "failed" }) | null {
  if (at === undefined) return null;
  const isPassed = ({ kind, durationSeconds }: Media) =>
    kind === "video" && durationSeconds !== null && at > durationSeconds * 1000;
  const short = media.find(isPassed);
  if (!short) return null;
  const lasts = `${short.url} lasts ${Math.round((short.durationSeconds ?? 0) * 1000)} ms`;
  return rejected(`${lasts}; options.cover_ms is ${at}. Choose a frame of the video.`, "media_invalid");
}
