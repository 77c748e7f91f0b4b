import { uint16, uint32 } from "../media/bytes.ts";
import type { SoundFrame } from "./sound-frame.ts";

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const LOW_COMPLEXITY = 2;

/**
 * The AAC frame in ADTS (ISO 13818-7, 6.2) at this offset. Accepts the profile that all players support, with
 * one block per frame.
 */
export function aacFrame(bytes: Uint8Array, offset: number): SoundFrame | null {
  const sync = uint16(bytes, offset);
  if ((sync & 0xfff6) !== 0xfff0) return null;
  const fields = uint32(bytes, offset + 2);
  const profile = (fields >>> 30) + 1;
  const rateIndex = (fields >>> 26) & 15;
  const channelIndex = (fields >>> 22) & 7;
  const size = (fields >>> 5) & 0x1fff;
  const blocks = (bytes[offset + 6] ?? 0) & 3;
  const headerSize = (sync & 1) === 1 ? 7 : 9;
  const rate = RATES[rateIndex];
  if (profile !== LOW_COMPLEXITY || rate === undefined || channelIndex === 0 || blocks > 0 || size <= headerSize) {
    return null;
  }
  const channels = channelIndex === 7 ? 8 : channelIndex;
  const config = (LOW_COMPLEXITY << 11) | (rateIndex << 7) | (channelIndex << 3);
  const sound = { objectType: 0x40, rate, channels, samples: 1024, config: [config >> 8, config & 255] } as const;
  return { sound, size, headerSize, isEmpty: false };
}
