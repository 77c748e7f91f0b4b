import type { Checked } from "../core/checks.ts";
import type { FileRules, MediaFile } from "../platforms/rules.ts";
import { isOther } from "./encoding-check.ts";
import { fileName } from "./file.ts";

/**
 * Which videos can be sent as an ordinary MP4 without being encoded again: QuickTime files, as phones and
 * cameras write them, and MP4 in fragments, as browsers and screen recorders do. Pure; video/repackage/ makes
 * the file.
 */
export const MP4 = "video/mp4";
const QUICKTIME = "video/quicktime";

/** Larger files are not repackaged: offsets of frames are kept in few bits. */
export const MAX_REPACKAGED_BYTES = 2 ** 30;

/** What QuickTime files have and an MP4 has a place for. The others need to be encoded. */
const VIDEO_CODECS = ["H.264", "HEVC", "AV1", "VP9", "VP8", "MPEG-4 Visual"];
const AUDIO_CODECS = ["AAC", "HE-AAC", "HE-AAC v2", "xHE-AAC", "AC-3", "E-AC-3", "ALAC", "FLAC", "Opus"];

/** The file as an ordinary MP4, of the same size; null if it is one, or cannot be made one. */
export function asMp4(file: MediaFile): MediaFile | null {
  const { mime, isFragmented = false, bytes } = file;
  const isQuickTime = mime === QUICKTIME;
  if (bytes > MAX_REPACKAGED_BYTES || !(isQuickTime || (mime === MP4 && isFragmented))) return null;
  if (isQuickTime && !isPackable(file)) return null;
  return { ...file, mime: MP4, isFragmented: false };
}

function isPackable({ encoding }: MediaFile): boolean {
  const { codec = null, audio = null } = encoding ?? {};
  return codec !== null && VIDEO_CODECS.includes(codec) && (audio === null || AUDIO_CODECS.includes(audio.codec));
}

/**
 * Why a QuickTime file is not sent as an MP4 to a platform that takes only that: the codec, and what to
 * export instead. Empty for any other reason.
 */
export function codecsUnfitForMp4({ encoding: rules = {} }: FileRules, file: MediaFile): readonly Checked[] {
  const { encoding, mime, url } = file;
  if (mime !== QUICKTIME || !encoding) return [];
  const { codec, audio } = encoding;
  const name = fileName(url);
  if (codec !== null && !VIDEO_CODECS.includes(codec)) {
    return [isOther("video_codec", name, codec, rules.codecs ?? VIDEO_CODECS)];
  }
  if (audio === null || AUDIO_CODECS.includes(audio.codec)) return [];
  return [isOther("audio_codec", name, audio.codec, rules.audioCodecs ?? AUDIO_CODECS)];
}

/** Whether a platform that takes these files needs an MP4 of this one. */
export function needsMp4({ mimes }: FileRules, { mime, isFragmented = false }: MediaFile): boolean {
  return mimes.includes(MP4) && (isFragmented || (mime === QUICKTIME && !mimes.includes(mime)));
}
