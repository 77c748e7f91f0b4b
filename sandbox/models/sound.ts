// Simulated speech: a tone for each syllable, a pause after each word. As WAV (and AAC, aac.ts), or as a
// silent MP3 of the same length.

import { hashOf } from "./font";

export const RATE = 24_000;
const SYLLABLE_SECONDS = 0.16;
const PAUSE_SECONDS = 0.08;
const LOUDNESS = 9000;

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
const syllablesOf = (word: string) => Math.max(1, word.match(/[aeiouyäöüáéíóúàèаеиоуыэюяαειουω]+/giu)?.length ?? 1);

export function secondsOf(text: string): number {
  return wordsOf(text).reduce((sum, word) => sum + syllablesOf(word) * SYLLABLE_SECONDS + PAUSE_SECONDS, PAUSE_SECONDS);
}

export interface Tone {
  /** Both in samples. */
  start: number;
  length: number;
  /** In Hz. */
  frequency: number;
}

/** One tone for each syllable. */
export function tonesOf(text: string): Tone[] {
  const tones: Tone[] = [];
  const length = Math.round(SYLLABLE_SECONDS * RATE);
  let start = Math.round(PAUSE_SECONDS * RATE);
  for (const word of wordsOf(text)) {
    for (let syllable = 0; syllable < syllablesOf(word); syllable++) {
      tones.push({ start, length, frequency: 140 + (hashOf(`${word}${syllable}`) % 160) });
      start += length;
    }
    start += Math.round(PAUSE_SECONDS * RATE);
  }
  return tones;
}

/** Fades from 0 to 1 and back, to avoid clicks. */
export const swellAt = ({ start, length }: Tone, sample: number) => Math.sin((Math.PI * (sample - start)) / length);

export function wavOf(text: string): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array(Math.ceil(secondsOf(text) * RATE));
  for (const tone of tonesOf(text)) {
    for (let n = 0; n < tone.length; n++) {
      const swell = swellAt(tone, tone.start + n);
      samples[tone.start + n] = LOUDNESS * swell * Math.sin((2 * Math.PI * tone.frequency * n) / RATE);
    }
  }
  const out = new Uint8Array(44 + samples.byteLength);
  const view = new DataView(out.buffer);
  const name = (offset: number, text: string) => out.set(new TextEncoder().encode(text), offset);
  name(0, "RIFF");
  view.setUint32(4, 36 + samples.byteLength, true);
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  // PCM, one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, "data");
  view.setUint32(40, samples.byteLength, true);
  out.set(new Uint8Array(samples.buffer), 44);
  return out;
}

const FRAME_SAMPLES = 576;
const FRAME_BYTES = 96;
/** MPEG-2 layer III, 32 kbit/s, 24 kHz, one channel. A zeroed frame body is silence. */
const FRAME_HEADER = [0xff, 0xf3, 0x44, 0xc4];

/** The text becomes the title. */
export function mp3Of(text: string): Uint8Array<ArrayBuffer> {
  const tag = titleTag(text);
  const frames = Math.ceil((secondsOf(text) * RATE) / FRAME_SAMPLES);
  const out = new Uint8Array(tag.length + frames * FRAME_BYTES);
  out.set(tag);
  for (let n = 0; n < frames; n++) out.set(FRAME_HEADER, tag.length + n * FRAME_BYTES);
  return out;
}

/** An ID3 2.4 tag with a title in UTF-8. Sizes use seven bits per byte. */
function titleTag(text: string): Uint8Array {
  const title = new TextEncoder().encode(text);
  const sized = (size: number) => [(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127];
  const frame = [...new TextEncoder().encode("TIT2"), ...sized(title.length + 1), 0, 0, 3, ...title];
  return new Uint8Array([...new TextEncoder().encode("ID3"), 4, 0, 0, ...sized(frame.length), ...frame]);
}
