import type { AudioEncoding, Chroma, VideoEncoding } from "../platforms/rules.ts";
import { latin1 } from "./bytes.ts";
import {
  aacConfiguration,
  av1Configuration,
  avcConfiguration,
  type Configuration,
  hdrOf,
  hevcConfiguration,
} from "./codec-configuration.ts";
import { audioOfMatroska, videoOfMatroska } from "./codec-names.ts";
import { type ContentElement, contentOf, elementsIn, float, unsigned } from "./ebml.ts";
import type { Parts } from "./parts.ts";

/** How the tracks of a Matroska or WebM file are encoded (RFC 9559, "Tracks"). Pure. */
const CODEC_ID = 0x86;
const CODEC_PRIVATE = 0x63a2;
const DEFAULT_DURATION = 0x23e383;
const VIDEO = 0xe0;
const AUDIO = 0xe1;
const COLOUR = 0x55b0;
const BITS_PER_CHANNEL = 0x55b2;
const CHROMA_HORIZONTAL = 0x55b3;
const CHROMA_VERTICAL = 0x55b4;
const TRANSFER = 0x55ba;
const CHANNELS = 0x9f;
const SAMPLING = 0xb5;
const OUTPUT_SAMPLING = 0x78b5;
const MAX_CODEC_ID = 64;

/** `video` and `audio` are the elements of the entries of the tracks. */
export function matroskaEncoding(
  video: readonly ContentElement[],
  audio: readonly ContentElement[] | undefined,
  parts: Parts,
): VideoEncoding {
  const id = idOf(video);
  const { name: codec, chroma = null, bitDepth = null } = videoOfMatroska(id);
  const colour = elementsIn(contentOf(elementsIn(contentOf(video, VIDEO), parts), COLOUR), parts);
  const number = (element: number) => unsigned(contentOf(colour, element));
  const known = configurationOf(id, contentOf(video, CODEC_PRIVATE));
  const nanoseconds = unsigned(contentOf(video, DEFAULT_DURATION));
  const fps = nanoseconds > 0 ? 1e9 / nanoseconds : null;
  return {
    codec,
    profile: known?.profile ?? null,
    chroma: known?.chroma ?? chromaOf(number(CHROMA_HORIZONTAL), number(CHROMA_VERTICAL), colour) ?? chroma,
    bitDepth: known?.bitDepth ?? (number(BITS_PER_CHANNEL) || bitDepth),
    hdr: hdrOf(number(TRANSFER)),
    fps,
    minFps: fps,
    maxFps: fps,
    audio: audio ? heard(audio, parts) : null,
  };
}

/** The private data are those of the box that MP4 has for the codec. */
function configurationOf(id: string, data: Uint8Array): Configuration | null {
  if (id === "V_MPEG4/ISO/AVC") return avcConfiguration(data);
  if (id === "V_MPEGH/ISO/HEVC") return hevcConfiguration(data);
  return id === "V_AV1" ? av1Configuration(data) : null;
}

/** How many pixels are left out between two samples of chroma. */
function chromaOf(horizontal: number, vertical: number, colour: readonly ContentElement[]): Chroma | null {
  if (!colour.some(({ id }) => id === CHROMA_HORIZONTAL)) return null;
  if (horizontal === 0) return "4:4:4";
  return vertical === 0 ? "4:2:2" : "4:2:0";
}

function heard(entry: readonly ContentElement[], parts: Parts): AudioEncoding {
  const id = idOf(entry);
  const audio = elementsIn(contentOf(entry, AUDIO), parts);
  const hz = float(contentOf(audio, OUTPUT_SAMPLING)) || float(contentOf(audio, SAMPLING));
  const data = contentOf(entry, CODEC_PRIVATE);
  const codec = audioOfMatroska(id);
  const isHigh = codec === "AAC" && data.byteLength >= 2 && aacConfiguration(data).codec !== codec;
  return {
    codec: isHigh ? "HE-AAC" : codec,
    channels: unsigned(contentOf(audio, CHANNELS)) || 1,
    hz: hz > 0 && Number.isFinite(hz) ? Math.round(hz) : null,
  };
}

function idOf(entry: readonly ContentElement[]): string {
  const [id = ""] = latin1(contentOf(entry, CODEC_ID), 0, MAX_CODEC_ID).split("\0", 1);
  return id;
}
