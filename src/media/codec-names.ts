import type { Chroma } from "../platforms/rules.ts";

/** The common names of codecs, by the codes of containers. */

interface VideoCodec {
  readonly name: string;
  /** Where the codec has only one. */
  readonly chroma?: Chroma;
  readonly bitDepth?: number;
}

const H264: VideoCodec = { name: "H.264" };
const HEVC: VideoCodec = { name: "HEVC" };
const MPEG4: VideoCodec = { name: "MPEG-4 Visual", chroma: "4:2:0", bitDepth: 8 };
const MPEG2: VideoCodec = { name: "MPEG-2" };
const VP8: VideoCodec = { name: "VP8", chroma: "4:2:0", bitDepth: 8 };
const PRORES_422: VideoCodec = { name: "ProRes", chroma: "4:2:2", bitDepth: 10 };
/** It may contain 4:2:2, and 10 or 12 bits. */
const PRORES_4444: VideoCodec = { name: "ProRes" };

/** Of sample entries (ISO 14496-12, QuickTime). */
const SAMPLE_ENTRIES: Readonly<Record<string, VideoCodec>> = {
  avc1: H264,
  avc2: H264,
  avc3: H264,
  avc4: H264,
  dva1: H264,
  dvav: H264,
  hvc1: HEVC,
  hev1: HEVC,
  dvh1: HEVC,
  dvhe: HEVC,
  vvc1: { name: "VVC" },
  vvi1: { name: "VVC" },
  vp08: VP8,
  vp09: { name: "VP9" },
  av01: { name: "AV1" },
  dav1: { name: "AV1" },
  mp4v: MPEG4,
  apch: PRORES_422,
  apcn: PRORES_422,
  apcs: PRORES_422,
  apco: PRORES_422,
  ap4h: PRORES_4444,
  ap4x: PRORES_4444,
  jpeg: { name: "Motion JPEG" },
  mjpa: { name: "Motion JPEG" },
  mjpb: { name: "Motion JPEG" },
  s263: { name: "H.263", chroma: "4:2:0", bitDepth: 8 },
  h263: { name: "H.263", chroma: "4:2:0", bitDepth: 8 },
};

/** Of Matroska (RFC 9559, "Codec IDs"). */
const MATROSKA_VIDEO: Readonly<Record<string, VideoCodec>> = {
  "V_MPEG4/ISO/AVC": H264,
  "V_MPEGH/ISO/HEVC": HEVC,
  "V_MPEGI/ISO/VVC": { name: "VVC" },
  V_VP8: VP8,
  V_VP9: { name: "VP9" },
  V_AV1: { name: "AV1" },
  "V_MPEG4/ISO/SP": MPEG4,
  "V_MPEG4/ISO/ASP": MPEG4,
  "V_MPEG4/ISO/AP": MPEG4,
  V_MPEG1: { name: "MPEG-1", chroma: "4:2:0", bitDepth: 8 },
  V_MPEG2: MPEG2,
  V_PRORES: { name: "ProRes" },
  V_MJPEG: { name: "Motion JPEG" },
  V_THEORA: { name: "Theora" },
};

/** Of the object types of MPEG-4 (ISO 14496-1), which stand for the codec of an `mp4v` entry. */
const OBJECT_VIDEO: Readonly<Record<number, VideoCodec>> = {
  32: MPEG4,
  33: H264,
  35: HEVC,
  96: MPEG2,
  97: MPEG2,
  101: MPEG2,
  106: { name: "MPEG-1", chroma: "4:2:0", bitDepth: 8 },
  108: { name: "Motion JPEG" },
};

export function videoOfEntry(type: string): VideoCodec {
  return SAMPLE_ENTRIES[type] ?? { name: printable(type) };
}

export function videoOfMatroska(id: string): VideoCodec {
  return MATROSKA_VIDEO[id] ?? { name: printable(id) };
}

/** Null for an object type that is no known codec. */
export function videoOfObject(type: number): VideoCodec | null {
  return OBJECT_VIDEO[type] ?? null;
}

const PCM = "PCM";
const AUDIO_ENTRIES: Readonly<Record<string, string>> = {
  mp4a: "AAC",
  Opus: "Opus",
  "ac-3": "AC-3",
  "ec-3": "E-AC-3",
  "ac-4": "AC-4",
  alac: "ALAC",
  fLaC: "FLAC",
  ".mp3": "MP3",
  samr: "AMR",
  sawb: "AMR",
  dtsc: "DTS",
  dtsh: "DTS",
  dtsl: "DTS",
  mhm1: "MPEG-H",
  lpcm: PCM,
  ipcm: PCM,
  fpcm: PCM,
  sowt: PCM,
  twos: PCM,
  in24: PCM,
  in32: PCM,
  fl32: PCM,
  fl64: PCM,
  "raw ": PCM,
  ulaw: "G.711",
  alaw: "G.711",
};

const OBJECT_AUDIO: Readonly<Record<number, string>> = {
  64: "AAC",
  102: "AAC",
  103: "AAC",
  104: "AAC",
  105: "MP3",
  107: "MP3",
  165: "AC-3",
  166: "E-AC-3",
  169: "DTS",
  173: "Opus",
  221: "Vorbis",
};

const MATROSKA_AUDIO: readonly (readonly [start: string, name: string])[] = [
  ["A_AAC", "AAC"],
  ["A_OPUS", "Opus"],
  ["A_VORBIS", "Vorbis"],
  ["A_MPEG/L3", "MP3"],
  ["A_AC3", "AC-3"],
  ["A_EAC3", "E-AC-3"],
  ["A_DTS", "DTS"],
  ["A_FLAC", "FLAC"],
  ["A_ALAC", "ALAC"],
  ["A_PCM", PCM],
];

export function audioOfEntry(type: string): string {
  return AUDIO_ENTRIES[type] ?? printable(type);
}

/** Their entries always state two channels; the stream has the number. */
export const CODECS_WITH_OWN_CHANNELS = ["AC-3", "E-AC-3"];

/** Null for an object type that is no known codec. */
export function audioOfObject(type: number): string | null {
  return OBJECT_AUDIO[type] ?? null;
}

export function audioOfMatroska(id: string): string {
  return MATROSKA_AUDIO.find(([start]) => id.startsWith(start))?.[1] ?? printable(id);
}

/** Codes of unknown codecs are shown; other characters than those of codes are not. */
function printable(code: string): string {
  return (
    code
      .replace(/[^\w./ -]/g, "?")
      .trim()
      .slice(0, 40) || "an unknown codec"
  );
}
