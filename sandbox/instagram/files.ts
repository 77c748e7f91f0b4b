// File requirements of images, reels and stories, checked by the file's content.

import { fetchMedia } from "../media-fetch";
import type { MediaFacts } from "../media-probe";
import { isAac, isOf } from "../media-tracks";
import { GraphError } from "../meta/errors";
import type { Sandbox } from "../sandbox";
import type { ContainerKind } from "./store";

const IMAGE_BYTES = 8 * 1024 * 1024;
const MB = 1024 * 1024;

const unreachable = (why: string) =>
  new GraphError(9004, "Only photo or video can be accepted as media type.", {
    subcode: 2207052,
    userTitle: "Media download has failed.",
    userMessage: `The media could not be fetched from this URI: ${why}`,
  });

/**
 * Fetches the file of a URL. The URL must be ASCII, and the file must be of the declared kind (image or
 * video).
 */
export async function fetchFile(sandbox: Sandbox, url: string, origin: string, isVideo: boolean): Promise<MediaFacts> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  if (!/^[\x00-\x7f]*$/.test(url)) throw unreachable("it has characters beyond US-ASCII");
  const fetched = await fetchMedia(sandbox, url, origin);
  if (!fetched.ok) throw unreachable(fetched.reason);
  const { type } = fetched.facts;
  if (!type.startsWith(isVideo ? "video/" : "image/")) throw unreachable(`it is ${type}`);
  return fetched.facts;
}

export function checkImage(sandbox: Sandbox, kind: ContainerKind, { type, size, width, height }: MediaFacts): void {
  const refused = (code: number, subcode: number, message: string) => new GraphError(code, message, { subcode });
  if (type !== "image/jpeg" && sandbox.settings.all.instagram_image_formats === "jpeg") {
    throw refused(36001, 2207005, "The image format is not supported.");
  }
  if (size > IMAGE_BYTES) throw refused(36000, 2207004, "The image is too large to download.");
  const ratio = (width ?? 1) / (height ?? 1);
  // A story may have any aspect ratio.
  if (kind !== "STORIES" && (ratio < 0.75 - 1e-6 || ratio > 1.91 + 1e-6)) {
    throw refused(36003, 2207009, "The submitted image has an invalid aspect ratio.");
  }
}

/** The error number of the failed container of a video; null for a valid video. */
export function faultOfVideo(kind: ContainerKind, facts: MediaFacts): number | null {
  const { type, size, durationMs, width, height } = facts;
  const isStory = kind === "STORIES";
  const isMovie = type === "video/mp4" || type === "video/quicktime";
  const most = (isStory ? 100 : 300) * MB;
  const longest = isStory ? 60_000 : 900_000;
  const ratio = (width ?? 1) / (height ?? 1);
  const fits =
    isMovie &&
    size <= most &&
    durationMs !== null &&
    durationMs >= 2_990 &&
    durationMs <= longest + 10 &&
    (width ?? 0) <= 1920 &&
    ratio >= (isStory ? 0.1 : 0.01) &&
    ratio <= 10 &&
    isDocumented(facts);
  return fits ? null : 2207026;
}

/** H.264 or HEVC, 4:2:0, 23 to 60 frames a second; AAC up to 48 kHz, mono or stereo. */
function isDocumented(facts: MediaFacts): boolean {
  const { chroma, frameRate, channels, audioHz } = facts;
  return (
    isOf(facts, "h264", "hevc") &&
    isAac(facts) &&
    (chroma === null || chroma <= 420) &&
    (frameRate === null || (frameRate >= 22.88 && frameRate <= 60.3)) &&
    (channels ?? 2) <= 2 &&
    (audioHz ?? 48_000) <= 48_000
  );
}
