import { boxesIn } from "../media/boxes.ts";
import { uint32 } from "../media/bytes.ts";

/**
 * The content of the first box on this path, such as `mdia`, `minf`, `stbl`; null if the path does not exist.
 */
export function boxOn(bytes: Uint8Array, ...way: readonly string[]): Uint8Array | null {
  let at: Uint8Array | undefined = bytes;
  for (const step of way) {
    at = boxesIn(at).find(({ type }) => type === step)?.bytes;
    if (at === undefined) return null;
  }
  return at;
}

const MAX_TRACKS = 32;

/** The video (`vide`) or audio (`soun`) tracks of a video file; null if it has no header. */
export function tracksOf(video: Uint8Array, handler: "vide" | "soun"): readonly Uint8Array[] | null {
  const moov = boxOn(video, "moov");
  if (moov === null) return null;
  const traks = boxesIn(moov).filter(({ type }) => type === "trak");
  return traks
    .slice(0, MAX_TRACKS)
    .map(({ bytes }) => bytes)
    .filter((trak) => uint32(boxOn(trak, "mdia", "hdlr") ?? NOTHING, 8) === HANDLERS[handler]);
}

const NOTHING = new Uint8Array();
const HANDLERS = { vide: 0x76696465, soun: 0x736f756e };
