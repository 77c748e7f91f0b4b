// How the tracks of a video are encoded: what platforms judge beside size and duration.

export interface TrackFacts {
  /** Of the video: `avc1`, `hvc1`, `vp09`; a `V_…` name in a WebM. */
  codec: string | null;
  /** As pixel formats call it: 420, 422, 444. */
  chroma: number | null;
  bits: number | null;
  /** Of the first audio track: `aac`, `he-aac`, or the code of its container. */
  audio: string | null;
  channels: number | null;
  audioHz: number | null;
}

export const NO_TRACKS: TrackFacts = {
  codec: null,
  chroma: null,
  bits: null,
  audio: null,
  channels: null,
  audioHz: null,
};

const text = (bytes: Uint8Array, at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));

/**
 * Of the sample descriptions of the first video and the first audio track; empty for a track that is absent.
 */
export function describedTracks(video: Uint8Array, audio: Uint8Array): TrackFacts {
  return { ...NO_TRACKS, ...pictureOf(video), ...soundOf(audio) };
}

/** `stsd` begins with version and count; its first entry with a length and a code. */
const ENTRY = 8;

function pictureOf(stsd: Uint8Array): Partial<TrackFacts> {
  if (stsd.length < ENTRY + 86) return {};
  const codec = text(stsd, ENTRY + 4, 4);
  const config = (name: string) => {
    const at = text(stsd, 0, Math.min(stsd.length, 4096)).indexOf(name, ENTRY + 86);
    return at < 0 ? null : stsd.subarray(at + 4, at + 4 + lengthAt(stsd, at - 4) - 8);
  };
  const avc = config("avcC");
  if (avc) return { codec, ...ofAvc(avc) };
  const hevc = config("hvcC");
  if (hevc) return { codec, ...sampling((hevc[16] ?? 1) & 3), bits: 8 + ((hevc[17] ?? 0) & 7) };
  const vp = config("vpcC");
  if (vp) return { codec, ...sampling(Math.max(1, ((vp[6] ?? 0) >> 1) & 7)), bits: (vp[6] ?? 0x80) >> 4 };
  return { codec };
}

const lengthAt = (bytes: Uint8Array, at: number) =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);

function sampling(format: number): Pick<TrackFacts, "chroma"> {
  return { chroma: [400, 420, 422, 444][format] ?? null };
}

/**
 * The high profiles repeat chroma and depth behind the parameter sets; without them the profile has to do.
 */
function ofAvc(avc: Uint8Array): Pick<TrackFacts, "chroma" | "bits"> {
  const profile = avc[1] ?? 0;
  if (![100, 110, 122, 244].includes(profile)) return { chroma: 420, bits: 8 };
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (avc[at] ?? 0) & mask;
    at += 1;
    for (let nth = 0; nth < count; nth++) at += 2 + (((avc[at] ?? 0) << 8) | (avc[at + 1] ?? 0));
  }
  if (at + 3 <= avc.length) return { ...sampling((avc[at] ?? 1) & 3), bits: 8 + ((avc[at + 1] ?? 0) & 7) };
  if (profile === 122) return { chroma: 422, bits: 10 };
  if (profile === 244) return { chroma: 444, bits: 8 };
  return { chroma: 420, bits: profile === 110 ? 10 : 8 };
}

const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000];

function soundOf(stsd: Uint8Array): Partial<TrackFacts> {
  if (stsd.length < ENTRY + 36) return {};
  const code = text(stsd, ENTRY + 4, 4);
  const stated = {
    channels: ((stsd[ENTRY + 24] ?? 0) << 8) | (stsd[ENTRY + 25] ?? 0),
    audioHz: ((stsd[ENTRY + 32] ?? 0) << 8) | (stsd[ENTRY + 33] ?? 0),
  };
  if (code !== "mp4a") return { audio: code, ...stated };
  const at = text(stsd, 0, Math.min(stsd.length, 4096)).indexOf("esds", ENTRY);
  const specific = at < 0 ? null : audioSpecific(stsd.subarray(at + 8));
  if (!specific) return { audio: at < 0 ? "aac" : code, ...stated };
  const [first = 0, second = 0] = specific;
  const object = first >> 3;
  const rate = RATES[((first & 7) << 1) | (second >> 7)];
  const channels = [0, 1, 2, 3, 4, 5, 6, 8][(second >> 3) & 15];
  const isHigh = object === 5 || object === 29;
  return {
    audio: isHigh ? "he-aac" : "aac",
    channels: channels || stated.channels,
    audioHz: isHigh ? stated.audioHz : (rate ?? stated.audioHz),
  };
}

/** Finds descriptor 5 in descriptor 4; null for other codecs than AAC. */
function audioSpecific(esds: Uint8Array): Uint8Array | null {
  const open = (at: number, tag: number) => {
    if (esds[at] !== tag) return null;
    let next = at + 1;
    while (next < at + 4 && (esds[next] ?? 0) >= 0x80) next += 1;
    return next + 1;
  };
  const es = open(0, 3);
  const decoder = es === null ? null : open(es + 3, 4);
  if (decoder === null || esds[decoder] !== 0x40) return null;
  const specific = open(decoder + 13, 5);
  return specific === null ? null : esds.subarray(specific);
}

/** A WebM names its codecs in plain text, before the first frame. */
export function namedTracks(bytes: Uint8Array): TrackFacts {
  const head = text(bytes, 0, bytes.length);
  return {
    ...NO_TRACKS,
    codec: /V_[A-Z0-9/]{3,20}/.exec(head)?.[0] ?? null,
    audio: /A_[A-Z0-9/]{3,20}/.exec(head)?.[0] ?? null,
  };
}

const H264 = /^(avc[1-4]|dva[1v]|V_MPEG4\/ISO\/AVC)$/;
const HEVC = /^(hvc1|hev1|dvh[1e]|V_MPEGH\/ISO\/HEVC)$/;
const VP8_9 = /^(vp0[89]|V_VP[89])$/;
const AV1 = /^(av01|V_AV1)$/;
const FAMILIES = { h264: H264, hevc: HEVC, vpx: VP8_9, av1: AV1 } as const;

/** Whether the codec is one of these families. A codec that cannot be read passes. */
export function isOf({ codec }: Pick<TrackFacts, "codec">, ...families: readonly (keyof typeof FAMILIES)[]): boolean {
  return codec === null || families.some((family) => FAMILIES[family].test(codec));
}

export function isAac({ audio }: Pick<TrackFacts, "audio">): boolean {
  return audio === null || audio === "aac" || audio === "he-aac";
}
