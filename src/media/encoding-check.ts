import { type Checked, said } from "../core/checks.ts";
import { listWords } from "../core/text.ts";
import type { EncodingRules, FileRules, MediaFile, VideoEncoding } from "../platforms/rules.ts";
import { fileName } from "./file.ts";
import { compared, rounded } from "./limit-words.ts";

/**
 * The encoding of a video against what its platform documents: a value outside is a problem. Where the
 * platform documents nothing, a value that not every platform plays is a warning. Pure.
 */

/** What every platform plays; phones, cameras and editors export it. */
const SAFE = {
  codecs: ["H.264"],
  chroma: ["4:2:0", "4:0:0"],
  bitDepth: 8,
  maxFps: 60,
  audioCodecs: ["AAC", "HE-AAC"],
  channels: 2,
} as const;
export const SAFE_WORDS = "H.264, 8 bit, 4:2:0, AAC";
/** Other profiles of H.264, such as a lossless one, have few decoders, whatever their chroma. */
const PROFILES = ["Baseline", "Main", "High", "High 10", "High 4:2:2"];
/** A WebM has no other audio. */
const WEBM_AUDIO = ["Opus", "Vorbis"];
/** Codecs whose chroma and depth are part of the name: a platform that takes the codec takes them. */
const STUDIO = ["ProRes"];

/** Rates are averages of times that containers round, so a video of 60 frames a second may have 60.02. */
const ROUNDING = 0.005;

export function encodingProblems({ encoding: rules }: FileRules, media: MediaFile): readonly Checked[] {
  const { encoding, url } = media;
  if (!rules || !encoding) return [];
  const name = fileName(url);
  return [
    ...codecProblems(name, rules, encoding),
    ...rateProblems(name, rules, encoding),
    ...audioProblems(name, rules, encoding),
  ];
}

function codecProblems(name: string, rules: EncodingRules, { codec, chroma, bitDepth }: VideoEncoding) {
  const { codecs, others = "refused", chroma: chromas, maxBitDepth } = rules;
  if (codecs && others === "refused" && codec !== null && !codecs.includes(codec)) {
    return [isOther("video_codec", name, codec, codecs)];
  }
  const problems: Checked[] = [];
  // Decoders show gray as 4:2:0.
  if (chromas && chroma !== null && chroma !== "4:0:0" && !chromas.includes(chroma)) {
    problems.push(isOther("chroma", name, chroma, chromas));
  }
  if (maxBitDepth !== undefined && bitDepth !== null && bitDepth > maxBitDepth) {
    const message = `${name} is a video with ${bitDepth} bits a sample; at most ${maxBitDepth} are allowed. ${EXPORT}`;
    problems.push(said(message, "bit_depth", name, bitDepth, maxBitDepth, SAFE_WORDS));
  }
  return problems;
}

function rateProblems(name: string, { minFps, maxFps }: EncodingRules, { fps }: VideoEncoding): readonly Checked[] {
  if (fps === null) return [];
  if (maxFps !== undefined && fps > maxFps * (1 + ROUNDING)) {
    const { found, limit } = compared(fps, maxFps);
    const message = `${name} has ${found} frames a second; at most ${limit} are allowed.`;
    return [said(message, "frame_rate_high", name, found, limit)];
  }
  if (minFps !== undefined && fps < minFps * (1 - ROUNDING)) {
    const { found, limit } = compared(fps, minFps);
    const message = `${name} has ${found} frames a second; at least ${limit} are needed.`;
    return [said(message, "frame_rate_low", name, found, limit)];
  }
  return [];
}

function audioProblems(name: string, rules: EncodingRules, { audio }: VideoEncoding): readonly Checked[] {
  if (audio === null) return [];
  const { audioCodecs, maxChannels, maxHz } = rules;
  const { codec, channels, hz } = audio;
  if (audioCodecs && !audioCodecs.includes(codec)) {
    return [isOther("audio_codec", name, codec, audioCodecs)];
  }
  const problems: Checked[] = [];
  if (maxChannels !== undefined && channels !== null && channels > maxChannels) {
    const message = `${name} has ${channels} audio channels; at most ${maxChannels} are allowed.`;
    problems.push(said(message, "audio_channels", name, channels, maxChannels));
  }
  if (maxHz !== undefined && hz !== null && hz > maxHz) {
    const { found, limit } = compared(hz / 1000, maxHz / 1000, " kHz");
    const message = `${name} has audio of ${found}; at most ${limit} are allowed.`;
    problems.push(said(message, "audio_rate", name, found, limit));
  }
  return problems;
}

/** What helps. */
const EXPORT = `Export it with ${SAFE_WORDS}.`;

type OtherKind = "video_codec" | "chroma" | "audio_codec";

const WORDS: Readonly<Record<OtherKind, (found: string) => string>> = {
  video_codec: (found) => `a video encoded as ${found}`,
  chroma: (found) => `a video with ${found} chroma`,
  audio_codec: (found) => `a video with ${found} audio`,
};

export function isOther(kind: OtherKind, name: string, found: string, allowed: readonly string[]): Checked {
  const message = `${name} is ${WORDS[kind](found)}; allowed here: ${listWords(allowed)}. ${EXPORT}`;
  return said(message, kind, name, found, allowed.join(", "), SAFE_WORDS);
}

/** At most one warning: everything about the video that the platform may refuse or convert. */
export function encodingWarnings({ encoding: rules = {} }: FileRules, media: MediaFile): readonly Checked[] {
  const { encoding, mime, url } = media;
  if (!encoding) return [];
  const found = [
    ...unusualPicture(rules, encoding),
    ...unusualRate(rules, encoding),
    ...unusualAudio(rules, encoding, mime === "video/webm"),
  ];
  if (found.length === 0) return [];
  const name = fileName(url);
  const has = listWords(found.map(({ words }) => words));
  const message = `${name} has ${has}. The platform does not document whether it takes this; a video with ${SAFE_WORDS} is safe.`;
  return [said(message, "undocumented", name, found.map(({ short }) => short).join(", "), SAFE_WORDS)];
}

/** In English, and in signs that every language shares. */
interface Unusual {
  readonly words: string;
  readonly short: string;
}

function unusualPicture(rules: EncodingRules, encoding: VideoEncoding): readonly Unusual[] {
  const { codec, profile, chroma, bitDepth, hdr } = encoding;
  const found: Unusual[] = [];
  const codecs = rules.codecs ?? SAFE.codecs;
  if (codec !== null && !codecs.includes(codec)) found.push({ words: `${codec} video`, short: codec });
  const isStudio = codec !== null && STUDIO.includes(codec) && codecs.includes(codec);
  const ofProfile = profile === null ? "" : ` (${profile})`;
  if (chroma !== null && !rules.chroma && !isStudio && !isOneOf(chroma, SAFE.chroma)) {
    found.push({ words: `${chroma} chroma${ofProfile}`, short: `${chroma}${ofProfile}` });
  }
  if (codec === "H.264" && isOneOf(chroma ?? "", SAFE.chroma) && profile !== null && !PROFILES.includes(profile)) {
    found.push({ words: `the profile ${profile}`, short: profile });
  }
  if (bitDepth !== null && bitDepth > SAFE.bitDepth && rules.maxBitDepth === undefined && !isStudio) {
    found.push({ words: `${bitDepth} bits a sample`, short: `${bitDepth} bit` });
  }
  if (hdr !== null && !rules.takesHdr) found.push({ words: `a high dynamic range (${hdr})`, short: `HDR (${hdr})` });
  return found;
}

function unusualRate({ minFps, maxFps }: EncodingRules, encoding: VideoEncoding): readonly Unusual[] {
  const { fps, minFps: slowest, maxFps: fastest } = encoding;
  if (fps === null) return [];
  const most = (maxFps ?? SAFE.maxFps) * (1 + ROUNDING);
  if (maxFps === undefined && fps > most) {
    const { found } = compared(fps, SAFE.maxFps);
    return [{ words: `${found} frames a second`, short: `${found} fps` }];
  }
  // The average fits, but a platform may measure the fastest or the slowest frames.
  const isFaster = fastest !== null && fastest > most && fps <= most;
  const least = (minFps ?? 0) * (1 - ROUNDING);
  const isSlower = slowest !== null && slowest < least && fps >= least;
  if (!isFaster && !isSlower) return [];
  const [from, to] = [rounded(slowest ?? fps, 1), rounded(fastest ?? fps, 1)];
  return [{ words: `a variable rate of ${from} to ${to} frames a second`, short: `${from} – ${to} fps` }];
}

function unusualAudio(rules: EncodingRules, { audio }: VideoEncoding, isWebm: boolean): readonly Unusual[] {
  if (audio === null) return [];
  const found: Unusual[] = [];
  const { codec, channels } = audio;
  const isSafe = isOneOf(codec, SAFE.audioCodecs) || (isWebm && WEBM_AUDIO.includes(codec));
  if (!rules.audioCodecs && !isSafe) found.push({ words: `${codec} audio`, short: codec });
  if (rules.maxChannels === undefined && channels !== null && channels > SAFE.channels) {
    found.push({ words: `${channels} audio channels`, short: `${channels} ch` });
  }
  return found;
}

const isOneOf = (value: string, list: readonly string[]): boolean => list.includes(value);
