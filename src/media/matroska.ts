import { viewOf } from "./bytes.ts";
import { contentOf, ELEMENT_HEADER_BYTES, elementAt, elementsIn, float, unsigned, walkElements } from "./ebml.ts";
import type { Unreadable } from "./file.ts";
import { area, type CutOff, type Damaged, type HeaderOutcome } from "./header.ts";
import { matroskaEncoding } from "./matroska-encoding.ts";
import { audioTrack, videoTrack } from "./matroska-tracks.ts";
import type { Parts } from "./parts.ts";
import type { Scan } from "./scan.ts";

/**
 * Matroska and WebM (RFC 9559): a segment contains its info, its tracks and then clusters of frames. Browsers
 * and live encoders write the info before they know the duration; then the last cluster gives it.
 */
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;

const MAX_TOP_ELEMENTS = 1000;
const CONTENT_BYTES = 256 * 1024;

export async function readMatroska(scan: Scan): Promise<HeaderOutcome> {
  const parts = await findParts(scan);
  if ("kind" in parts) return parts;
  if (parts.tracks === undefined) return { kind: "damaged" };
  const tracks = elementsIn(parts.tracks, scan.parts);
  const [video] = tracks
    .flatMap((track) => videoTrack(track, scan.parts))
    .toSorted((a, b) => area(b.size) - area(a.size));
  if (!video) return { kind: "no_video" };
  const audio = tracks.flatMap((track) => audioTrack(track, scan.parts))[0];
  const { size } = video;
  const encoding = matroskaEncoding(video.entry, audio, scan.parts);
  const { ticks, secondsPerTick } = readInfo(parts.info, scan.parts);
  const lasting = ticks ?? (await ticksOfClusters(scan, parts.clusterAt));
  if (lasting !== null && typeof lasting === "object") return lasting;
  return { kind: "header", size, durationSeconds: lasting ? lasting * secondsPerTick : null, encoding };
}

interface Found {
  info?: Uint8Array;
  tracks?: Uint8Array;
  /** Offset of the first cluster. */
  clusterAt?: number;
}

/** Info and tracks precede the first cluster, in any order, mixed with elements that can be skipped. */
async function findParts(scan: Scan): Promise<Found | Damaged | CutOff | Unreadable> {
  const parts: Found = {};
  let offset = 0;
  for (let elements = 0; offset < scan.length && elements < MAX_TOP_ELEMENTS; elements += 1) {
    const part = await scan.from(offset, ELEMENT_HEADER_BYTES);
    if (part.kind !== "part") return part;
    const element = elementAt(part.body, 0);
    if (element === null) return parts;
    if (element.id === CLUSTER) return { ...parts, clusterAt: offset };
    const start = offset + element.start;
    const end = element.end === null ? scan.length : offset + element.end;
    if (element.id === SEGMENT && end > scan.length) return { kind: "cut_off" };
    if (element.id === INFO || element.id === TRACKS) {
      const length = Math.min(end - start, CONTENT_BYTES);
      const content = await scan.from(start, length);
      if (content.kind !== "part") return content;
      if (content.body.byteLength < length) return { kind: "damaged" };
      parts[element.id === INFO ? "info" : "tracks"] = content.body.subarray(0, length);
      if (parts.tracks && readInfo(parts.info, scan.parts).ticks !== null) return parts;
    }
    offset = element.id === SEGMENT ? start : end;
  }
  return parts;
}

const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const DEFAULT_NANOSECONDS = 1_000_000;

/** `ticks`: the duration, null if unknown. */
function readInfo(info: Uint8Array | undefined, parts: Parts) {
  const elements = elementsIn(info ?? new Uint8Array(), parts);
  const scale = unsigned(contentOf(elements, TIMESTAMP_SCALE)) || DEFAULT_NANOSECONDS;
  const ticks = float(contentOf(elements, DURATION));
  return { ticks: ticks > 0 && Number.isFinite(ticks) ? ticks : null, secondsPerTick: scale / 1e9 };
}

const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

/** Encoders start a cluster every few seconds. */
const TAIL_BYTES = 2 * 1024 * 1024;
const MAX_CANDIDATES = 4;
const TIMESTAMP_BYTES = 64;

/**
 * The time from the first frame to the start of the last one; null if no cluster starts near the end of the
 * file.
 */
async function ticksOfClusters(scan: Scan, clusterAt = 0): Promise<number | null | Damaged | Unreadable> {
  const head = await scan.from(clusterAt, TIMESTAMP_BYTES);
  if (head.kind !== "part") return head;
  const first = timesOf(head.body.subarray(0, TIMESTAMP_BYTES), scan.parts);
  const tail = await scan.from(Math.max(clusterAt, scan.length - TAIL_BYTES), TAIL_BYTES);
  if (tail.kind !== "part") return tail;
  const view = viewOf(tail.body);
  let candidates = 0;
  const firstByte = CLUSTER >>> 24;
  let at = tail.body.lastIndexOf(firstByte, view.byteLength - 4);
  for (; at >= 0 && candidates < MAX_CANDIDATES; at = at === 0 ? -1 : tail.body.lastIndexOf(firstByte, at - 1)) {
    scan.parts.take();
    if (view.getUint32(at) !== CLUSTER) continue;
    const last = timesOf(tail.body.subarray(at), scan.parts);
    if (last !== null) return Math.max(0, last.lastFrame - (first?.start ?? 0));
    candidates += 1;
  }
  return null;
}

/**
 * The times of a cluster, as far as its bytes were read. Null if it is no cluster: a cluster has a timestamp.
 */
function timesOf(bytes: Uint8Array, parts: Parts): { readonly start: number; readonly lastFrame: number } | null {
  const cluster = elementAt(bytes, 0);
  if (cluster === null) return null;
  let start: number | null = null;
  let last = 0;
  const within = bytes.subarray(cluster.start, cluster.end ?? undefined);
  for (const { id, bytes: content } of walkElements(within, parts)) {
    if (id === TIMESTAMP) start ??= unsigned(content);
    const block =
      id === SIMPLE_BLOCK ? content : id === BLOCK_GROUP ? contentOf(elementsIn(content, parts), BLOCK) : null;
    if (block) last = Math.max(last, relativeTime(block));
  }
  return start === null ? null : { start, lastFrame: start + last };
}

/** A block starts with its track number, followed by its signed time within the cluster. */
function relativeTime(block: Uint8Array): number {
  const trackBytes = Math.clz32(block[0] ?? 0) - 23;
  return trackBytes + 2 <= block.byteLength ? viewOf(block).getInt16(trackBytes) : 0;
}
