import { audioTypeOf } from "../media/audio-type.ts";
import { latin1, uint32 } from "../media/bytes.ts";
import { aacFrame } from "./aac.ts";
import { mp3Frame } from "./mp3.ts";
import { MAX_MINUTES, type Packet } from "./picture-track.ts";
import type { Sound } from "./sound-frame.ts";
import { type Unusable, unusable } from "./unusable.ts";

/** Speech as received, in packets that an MP4 can hold. */
export interface Voice {
  readonly kind: "voice";
  readonly sound: Sound;
  readonly packets: readonly Packet[];
}

export const secondsOf = ({ sound, packets }: Voice): number => (packets.length * sound.samples) / sound.rate;

/** The supported audio formats, for an error message. */
const FORMS = "AAC (ADTS) and MP3";
/** The limit for tags of all kinds, and an incomplete last frame. */
const MAX_STRAY_BYTES = 16_384;

/** Reads AAC in ADTS, or MP3. Other bytes are skipped; too many of them make the voice unusable. */
export function readVoice(bytes: Uint8Array): Voice | Unusable {
  const start = behindTags(bytes, 0);
  const mime = audioTypeOf(bytes.subarray(start, start + 16));
  if (mime !== "audio/aac" && mime !== "audio/mpeg") {
    return unusable(`The voice is ${NAMES[mime ?? ""] ?? "of an unknown format"}; a video accepts ${FORMS}.`);
  }
  const frameAt = mime === "audio/aac" ? aacFrame : mp3Frame;
  const packets: Packet[] = [];
  let sound: Sound | null = null;
  let stray = 0;
  for (let offset = start; offset < bytes.byteLength && stray <= MAX_STRAY_BYTES; ) {
    const frame = frameAt(bytes, offset);
    if (frame === null || offset + frame.size > bytes.byteLength || (sound && !isSame(sound, frame.sound))) {
      const behind = behindTags(bytes, offset);
      stray += behind === offset ? 1 : 0;
      offset = Math.max(behind, offset + 1);
      continue;
    }
    sound ??= frame.sound;
    if (!frame.isEmpty) {
      packets.push({ offset: offset + frame.headerSize, size: frame.size - frame.headerSize });
      if (packets.length * sound.samples > MAX_MINUTES * 60 * sound.rate) {
        return unusable(`The voice-over is longer than ${MAX_MINUTES} minutes.`);
      }
    }
    offset += frame.size;
  }
  if (sound === null || packets.length === 0 || stray > MAX_STRAY_BYTES) {
    return unusable("The voice-over is cut off or damaged.");
  }
  return { kind: "voice", sound, packets };
}

const NAMES: Readonly<Record<string, string>> = { "audio/wav": "WAV", "audio/flac": "FLAC", "audio/ogg": "Ogg" };

/** The offset after an ID3 tag at this offset, at most the end of the bytes; unchanged if there is no tag. */
function behindTags(bytes: Uint8Array, offset: number): number {
  if (latin1(bytes, offset, 3) !== "ID3") return offset;
  // Four digits of seven bits.
  const digits = uint32(bytes, offset + 6);
  if ((digits & 0x80808080) !== 0) return offset;
  const size = ((digits >> 3) & 0xfe00000) | ((digits >> 2) & 0x1fc000) | ((digits >> 1) & 0x3f80) | (digits & 0x7f);
  return Math.min(bytes.byteLength, offset + 10 + size);
}

function isSame(one: Sound, other: Sound): boolean {
  return one.objectType === other.objectType && one.rate === other.rate && one.channels === other.channels;
}
