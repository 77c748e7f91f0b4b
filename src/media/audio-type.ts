import { latin1, uint16 } from "./bytes.ts";

/** The MIME type of an audio file by its first bytes; null if it is not a format used for speech. Pure. */
export function audioTypeOf(head: Uint8Array): string | null {
  const at = (offset: number, length: number) => latin1(head, offset, length);
  if (at(0, 4) === "RIFF" && at(8, 4) === "WAVE") return "audio/wav";
  if (at(0, 3) === "ID3") return "audio/mpeg";
  if (at(0, 4) === "fLaC") return "audio/flac";
  if (at(0, 4) === "OggS") return "audio/ogg";
  const sync = uint16(head, 0);
  // Twelve set bits and an unused layer: AAC in ADTS.
  if ((sync & 0xfff6) === 0xfff0) return "audio/aac";
  // Eleven set bits, layer III, and a bit rate and a sampling rate that exist.
  const rates = head[2] ?? 0xff;
  if ((sync & 0xffe6) === 0xffe2 && rates >> 4 !== 0xf && ((rates >> 2) & 3) !== 3) return "audio/mpeg";
  return null;
}
