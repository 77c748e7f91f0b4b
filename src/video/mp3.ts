import { latin1, uint32 } from "../media/bytes.ts";
import type { SoundFrame } from "./sound-frame.ts";

/** The sampling rates of MPEG-1; halved for MPEG-2, and again for MPEG-2.5. */
const RATES = [44_100, 48_000, 32_000];
/** In kbit/s, by their index from 1. */
const BIT_RATES = {
  first: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** The MPEG layer III frame (ISO 11172-3 and 13818-3, 2.4.1.3) at this offset. */
export function mp3Frame(bytes: Uint8Array, offset: number): SoundFrame | null {
  const header = uint32(bytes, offset);
  // Eleven set bits, and layer III.
  if (header >>> 21 !== 0x7ff || ((header >> 17) & 3) !== 1) return null;
  const version = (header >> 19) & 3;
  const isFirst = version === 3;
  const fullRate = RATES[(header >> 10) & 3];
  const bitRate = BIT_RATES[isFirst ? "first" : "second"][((header >> 12) & 15) - 1];
  if (version === 1 || fullRate === undefined || bitRate === undefined) return null;
  const rate = fullRate / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  const isMono = ((header >> 6) & 3) === 3;
  const size = Math.floor((samples * bitRate * 125) / rate) + ((header >> 9) & 1);
  const sound = { objectType: isFirst ? 0x6b : 0x69, rate, channels: isMono ? 1 : 2, samples, config: [] } as const;
  return { sound, size, headerSize: 0, isEmpty: isIndex(bytes, offset, isFirst, isMono) };
}

/** Whether the frame is silent metadata about the stream, such as its frame count (Xing, Info, VBRI). */
function isIndex(bytes: Uint8Array, offset: number, isFirst: boolean, isMono: boolean): boolean {
  // After the side information, which silent audio frames have too.
  const sideBytes = isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return (
    ["Xing", "Info"].includes(latin1(bytes, offset + 4 + sideBytes, 4)) || latin1(bytes, offset + 36, 4) === "VBRI"
  );
}
