import type { Chroma, VideoEncoding } from "../platforms/rules.ts";

/**
 * The configuration of a codec as containers carry it: MP4 in a box of its own, Matroska as the private data
 * of a track. Pure; what the bytes do not say is null. H.264: ISO 14496-10 and -15; AAC: ISO 14496-3.
 */
export type Configuration = Pick<VideoEncoding, "profile" | "chroma" | "bitDepth">;

const UNKNOWN: Configuration = { profile: null, chroma: null, bitDepth: null };
const CHROMAS: readonly Chroma[] = ["4:0:0", "4:2:0", "4:2:2", "4:4:4"];

const AVC_PROFILES: Readonly<Record<number, string>> = {
  66: "Baseline",
  77: "Main",
  88: "Extended",
  100: "High",
  110: "High 10",
  122: "High 4:2:2",
  244: "High 4:4:4 Predictive",
  44: "CAVLC 4:4:4 Intra",
};
/** Profiles whose parameter sets state chroma and depth. */
const AVC_WITH_CHROMA = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];
/**
 * Version, profile, compatibility, level, length size, count of parameter sets, length of the first, its
 * type.
 */
const AVC_PARAMETERS_AT = 9;
/** Three numbers of at most 32 bits. */
const PARAMETER_BYTES = 40;

/** `avcC`: the profile, and the start of the first sequence parameter set. */
export function avcConfiguration(avcc: Uint8Array): Configuration {
  const number = avcc[1];
  if (number === undefined || avcc[0] !== 1) return UNKNOWN;
  const profile = AVC_PROFILES[number] ?? null;
  if (!AVC_WITH_CHROMA.includes(number)) return { profile, chroma: "4:2:0", bitDepth: 8 };
  // The set repeats profile, compatibility and level in three bytes.
  const bits = bitsOf(withoutEscapes(avcc.subarray(AVC_PARAMETERS_AT + 3, AVC_PARAMETERS_AT + PARAMETER_BYTES)));
  bits.golomb();
  const format = bits.golomb();
  if (format === 3) bits.take(1);
  const bitDepth = bits.golomb() + 8;
  return { profile, chroma: CHROMAS[format] ?? null, bitDepth: bits.isOver() || bitDepth > 16 ? null : bitDepth };
}

/** Encoders put a 3 after two zeros, so that no marker appears in the data. */
function withoutEscapes(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}

function bitsOf(bytes: Uint8Array) {
  let at = 0;
  const take = (count: number): number => {
    let value = 0;
    for (let nth = 0; nth < count; nth += 1, at += 1) {
      value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const isOver = () => at > bytes.byteLength * 8;
  /** A number after as many zeros as it has bits. */
  const golomb = (): number => {
    let zeros = 0;
    while (zeros < 32 && take(1) === 0) zeros += 1;
    return 2 ** zeros - 1 + take(zeros);
  };
  return { take, golomb, isOver };
}

const HEVC_PROFILES: Readonly<Record<number, string>> = {
  1: "Main",
  2: "Main 10",
  3: "Main Still Picture",
  4: "Range Extensions",
};

/** `hvcC` (ISO 14496-15). */
export function hevcConfiguration(hvcc: Uint8Array): Configuration {
  const [profile, chroma, depth] = [hvcc[1], hvcc[16], hvcc[17]];
  if (profile === undefined || chroma === undefined || depth === undefined) return UNKNOWN;
  return {
    profile: HEVC_PROFILES[profile & 31] ?? null,
    chroma: CHROMAS[chroma & 3] ?? null,
    bitDepth: (depth & 7) + 8,
  };
}

/** `vpcC`, of VP8 and VP9: its chroma has two kinds of 4:2:0, by the place of the samples. */
const VP_CHROMAS: readonly Chroma[] = ["4:2:0", "4:2:0", "4:2:2", "4:4:4"];

export function vpConfiguration(vpcc: Uint8Array): Configuration {
  const [profile, packed] = [vpcc[4], vpcc[6]];
  if (profile === undefined || packed === undefined) return UNKNOWN;
  return {
    profile: `Profile ${profile}`,
    chroma: VP_CHROMAS[(packed >> 1) & 7] ?? null,
    bitDepth: packed >> 4,
  };
}

const AV1_PROFILES = ["Main", "High", "Professional"];

/** `av1C`. */
export function av1Configuration(av1c: Uint8Array): Configuration {
  const [profile, flags] = [av1c[1], av1c[2]];
  if (profile === undefined || flags === undefined) return UNKNOWN;
  const has = (bit: number) => (flags & (1 << bit)) !== 0;
  const chroma = has(4) ? "4:0:0" : has(3) && has(2) ? "4:2:0" : has(3) ? "4:2:2" : "4:4:4";
  return { profile: AV1_PROFILES[profile >> 5] ?? null, chroma, bitDepth: has(6) ? (has(5) ? 12 : 10) : 8 };
}

const AAC_HZ = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
const AAC_CHANNELS = [null, 1, 2, 3, 4, 5, 6, 8];
const HE_AAC = 5;
const HE_AAC_2 = 29;

/** The decoder's configuration: the kind of AAC; channels and rate are null where it does not say them. */
export function aacConfiguration(bytes: Uint8Array): { codec: string; channels: number | null; hz: number | null } {
  const bits = bitsOf(bytes);
  const kind = () => {
    const short = bits.take(5);
    return short === 31 ? 32 + bits.take(6) : short;
  };
  const rate = () => {
    const index = bits.take(4);
    return index === 15 ? bits.take(24) : (AAC_HZ[index] ?? null);
  };
  const object = kind();
  const hz = rate();
  const channels = AAC_CHANNELS[bits.take(4)] ?? null;
  const isHigh = object === HE_AAC || object === HE_AAC_2;
  const played = isHigh ? rate() : hz;
  if (bits.isOver()) return { codec: "AAC", channels: null, hz: null };
  return { codec: isHigh ? "HE-AAC" : "AAC", channels, hz: played };
}

/** The transfer characteristics of a high dynamic range (ISO 23091-2). */
export function hdrOf(transfer: number | null): VideoEncoding["hdr"] {
  return transfer === 16 ? "PQ" : transfer === 18 ? "HLG" : null;
}
