// A minimal AAC encoder (ISO 14496-3, 4.4, low complexity) for tones. Each frame has one loudness and a few
// spectral lines of equal strength. The output is in ADTS (1.A.2).

import { BitWriter } from "./bits";
import { RATE, secondsOf, swellAt, type Tone, tonesOf } from "./sound";

const FRAME_SAMPLES = 1024;
const RATE_INDEX = 6;
const HEADER_BYTES = 7;
/** Only the bands up to spectral line 84 (980 Hz), four lines per code. */
const BANDS = 16;
const QUADS = 21;
/** The gain of a line of strength 1, in steps of a quarter octave, at maximum loudness. */
const GAIN = 186;

/** Same length and tones as the WAV. */
export function aacOf(text: string): Uint8Array<ArrayBuffer> {
  const tones = tonesOf(text);
  const count = Math.ceil((secondsOf(text) * RATE) / FRAME_SAMPLES);
  const frames = Array.from({ length: count }, (_, index) => {
    const sample = centreOf(index);
    return withHeader(
      frameOf(
        tones.find(({ start, length }) => sample >= start && sample < start + length),
        index,
      ),
    );
  });
  const out = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    out.set(frame, at);
    at += frame.length;
  }
  return out;
}

/** The sample in the middle of a frame's window, which spans two frames. */
const centreOf = (index: number) => (index + 1) * FRAME_SAMPLES;

function frameOf(tone: Tone | undefined, index: number): Uint8Array {
  const swell = tone ? swellAt(tone, centreOf(index)) : 0;
  const isSilent = swell < 0.1;
  const bits = new BitWriter();
  // One channel, the first.
  bits.put(0, 3);
  bits.put(0, 4);
  bits.put(isSilent ? 0 : Math.round(GAIN + 4 * Math.log2(swell)), 8);
  // One long window with sine shape.
  bits.put(0, 4);
  bits.put(isSilent ? 0 : BANDS, 6);
  // No prediction.
  bits.put(0, 1);
  if (!isSilent) {
    // All bands in one section with the first code book, at the frame's loudness.
    bits.put(1, 4);
    bits.put(BANDS, 5);
    bits.put(0, BANDS);
  }
  // No pulses, noise shaping or gain control.
  bits.put(0, 3);
  if (tone && !isSilent) spectrum(bits, tone, index);
  bits.put(7, 3);
  return bits.bytes();
}

/** Adds two overtones, so that small speakers reproduce the tone. */
function spectrum(bits: BitWriter, { frequency }: Tone, index: number): void {
  const lines = [1, 2, 3].map((times) => Math.floor((times * frequency * 2 * FRAME_SAMPLES) / RATE));
  for (let quad = 0; quad < QUADS; quad++) {
    const line = lines.find((one) => one >> 2 === quad);
    if (line === undefined) {
      bits.put(0, 1);
    } else {
      const place = line & 3;
      bits.put(CODES[place * 2 + (isPositive(line, index) ? 1 : 0)] ?? 0, 5);
    }
  }
}

/**
 * The sign of a sustained line changes by half and quarter turns between frames. This keeps the tone
 * continuous, without beats.
 */
function isPositive(line: number, index: number): boolean {
  return Math.cos(Math.PI * (0.25 + index * (line + 0.5))) > 0;
}

/** Code words for four lines of which one is -1 or 1 and the others are 0, by position and sign. */
const CODES = [0b10001, 0b10000, 0b10111, 0b10011, 0b10101, 0b10110, 0b10010, 0b10100];

function withHeader(frame: Uint8Array): Uint8Array {
  const bits = new BitWriter();
  const fullness = 0x7ff;
  // Twelve set bits, MPEG-4, no checksum.
  bits.put(0xfff1, 16);
  // Low complexity, one channel.
  bits.put(1, 2);
  bits.put(RATE_INDEX, 4);
  bits.put(0, 1);
  bits.put(1, 3);
  bits.put(0, 4);
  bits.put(HEADER_BYTES + frame.length, 13);
  bits.put(fullness, 11);
  bits.put(0, 2);
  const out = new Uint8Array(HEADER_BYTES + frame.length);
  out.set(bits.bytes());
  out.set(frame, HEADER_BYTES);
  return out;
}
