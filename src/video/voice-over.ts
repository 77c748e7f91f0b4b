import { loopUntil } from "./loop-length.ts";
import { type WrittenVideo, writeVideo } from "./mp4-file.ts";
import { MAX_FRAMES, type Packet, readPictures } from "./picture-track.ts";
import { type Unusable, unusable } from "./unusable.ts";
import { readVoice, secondsOf } from "./voice.ts";

/**
 * Replaces the sound of a video by a voice. Packets are copied; nothing is decoded or encoded, because a
 * Worker has no time for it. If the voice is longer, the video loops until it ends; if it is shorter, silence
 * follows.
 */

export type VoicedVideo =
  | {
      readonly kind: "ok";
      /** MP4, with the header first and without edit lists. */
      readonly file: WrittenVideo;
      readonly seconds: number;
    }
  | Unusable;

const MB = 1024 * 1024;
/** An isolate has 128 MB: it holds the whole video and the whole voice, but only one chunk of the result. */
export const MAX_VIDEO_BYTES = 40 * MB;
const MAX_VOICED_BYTES = 48 * MB;

/**
 * `video`: MP4 with H.264 or H.265, up to `MAX_VIDEO_BYTES`. `voice`: AAC (ADTS) or MP3, up to ten minutes.
 * Never throws, whatever the bytes are; its time is limited by their length.
 */
export async function withVoice(video: Uint8Array<ArrayBuffer>, voice: Uint8Array<ArrayBuffer>): Promise<VoicedVideo> {
  if (video.byteLength > MAX_VIDEO_BYTES) {
    return unusable(`The video has more than ${MAX_VIDEO_BYTES / MB} MB, too large for a voice-over.`);
  }
  const spoken = readVoice(voice);
  if (spoken.kind === "failed") return spoken;
  const pictures = readPictures(video);
  if (pictures.kind === "failed") return pictures;
  const showing = loopUntil(pictures, Math.ceil(secondsOf(spoken) * pictures.ticksPerSecond));
  const frames = showing.times * pictures.frames.length + showing.more;
  const bytes = showing.times * sizeOf(pictures.frames) + sizeOf(pictures.frames.slice(0, showing.more));
  if (frames > MAX_FRAMES || showing.ticks > 0xffff_ffff || bytes + sizeOf(spoken.packets) > MAX_VOICED_BYTES) {
    return unusable("The voice-over is so long that the looped video would be too large.");
  }
  const file = writeVideo({ pictures, showing, video, voice: spoken, spoken: voice });
  return { kind: "ok", file, seconds: showing.ticks / pictures.ticksPerSecond };
}

const sizeOf = (packets: readonly Packet[]) => packets.reduce((sum, { size }) => sum + size, 0);
