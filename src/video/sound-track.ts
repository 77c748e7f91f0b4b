import { latin1, uint32 } from "../media/bytes.ts";
import { boxOn, tracksOf } from "./boxes.ts";

/**
 * The audio of a video (MP4): none, AAC, which every platform accepts, or another format. Null if it cannot
 * be read. Never throws.
 */
export function soundOf(video: Uint8Array): "none" | "aac" | "other" | null {
  const tracks = tracksOf(video, "soun");
  if (tracks === null) return null;
  const [track] = tracks.filter((trak) => !isEmpty(video, trak));
  if (track === undefined) return "none";
  const description = boxOn(track, "mdia", "minf", "stbl", "stsd") ?? new Uint8Array();
  return latin1(description, 12, 4) === "mp4a" && AAC.includes(objectTypeOf(description)) ? "aac" : "other";
}

/** ISO 14496-1: AAC of MPEG-4, and the profiles of MPEG-2. */
const AAC: readonly number[] = [0x40, 0x66, 0x67, 0x68];

/** In a fragmented video, the header's sample table is always empty. */
function isEmpty(video: Uint8Array, trak: Uint8Array): boolean {
  if (boxOn(video, "moov", "mvex")) return false;
  const sizes = boxOn(trak, "mdia", "minf", "stbl", "stsz");
  return sizes !== null && uint32(sizes, 8) === 0;
}

/** Reads the `esds` box anywhere in the description (QuickTime nests it deeper); 0 if there is none. */
function objectTypeOf(description: Uint8Array): number {
  const start = latin1(description.subarray(0, 1024), 0, 1024).indexOf("esds");
  if (start < 0) return 0;
  // After its version: a descriptor with three bytes, which contains the decoder's descriptor. Each length
  // has one to four bytes of seven bits.
  let at = behindLength(description, start + 4 + 4 + 1) + 3;
  at = behindLength(description, at + 1);
  return description[at] ?? 0;
}

function behindLength(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at < offset + 3 && (bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}
