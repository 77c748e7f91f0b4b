// A minimal H.264 encoder (ITU-T H.264, constrained baseline) for videos of large dots: each block of 16 by
// 16 is dark or light. One key frame per second encodes each block as the difference from its neighbour. The
// frames between repeat the key frame.

import { BitWriter } from "./bits";
import type { Size } from "./png";

export const FRAMES_A_SECOND = 30;
const BLOCK = 16;
const QP = 36;
/** Levels of the DC coefficient at this QP: from middle grey to dark, and between dark and light. */
const TO_DARK = -40;
const TO_LIGHT = 68;

export interface Stream {
  sps: Uint8Array;
  pps: Uint8Array;
  /** One frame each. */
  frames: Uint8Array[];
  isKey(frame: number): boolean;
}

export interface VideoPlan extends Size {
  seconds: number;
  /** Chroma levels from -20 to 20, except -1 and 1. */
  tint: { blue: number; red: number };
  /** Whether a block is lit in the given second of the video. */
  isLit(x: number, y: number, second: number): boolean;
}

export const blocksOf = ({ width, height }: Size) => ({
  wide: Math.ceil(width / BLOCK),
  high: Math.ceil(height / BLOCK),
});

export function encode(video: VideoPlan): Stream {
  const { wide, high } = blocksOf(video);
  const isKey = (frame: number) => frame % FRAMES_A_SECOND === 0;
  const frames = Array.from({ length: Math.round(video.seconds * FRAMES_A_SECOND) }, (_, frame) =>
    isKey(frame) ? keyFrame(video, frame / FRAMES_A_SECOND) : repeatedFrame(wide * high, frame % FRAMES_A_SECOND),
  );
  return { sps: sequence(video), pps: picture(), frames, isKey };
}

function sequence(size: Size): Uint8Array {
  const { wide, high } = blocksOf(size);
  const bits = new BitWriter();
  // Constrained baseline, level 4.0.
  bits.put(66, 8);
  bits.put(0xc0, 8);
  bits.put(40, 8);
  // Id, frame_num of 4 bits, frames in decoding order, one reference frame, no gaps.
  bits.ue(0);
  bits.ue(0);
  bits.ue(2);
  bits.ue(1);
  bits.put(0, 1);
  bits.ue(wide - 1);
  bits.ue(high - 1);
  // Frames only (no fields); direct inference.
  bits.put(0b11, 2);
  const [right, bottom] = [wide * BLOCK - size.width, high * BLOCK - size.height];
  bits.put(right + bottom > 0 ? 1 : 0, 1);
  if (right + bottom > 0) for (const edge of [0, right / 2, 0, bottom / 2]) bits.ue(edge);
  bits.put(0, 1);
  return bits.unit(0x67);
}

function picture(): Uint8Array {
  const bits = new BitWriter();
  // Ids, CAVLC, no field order, one slice group, one reference in each list, no weights.
  bits.ue(0);
  bits.ue(0);
  bits.put(0b00, 2);
  for (let n = 0; n < 3; n++) bits.ue(0);
  bits.put(0b000, 3);
  bits.se(QP - 26);
  bits.se(0);
  bits.se(0);
  // The deblocking filter is set for each slice; no constrained prediction, no redundant pictures.
  bits.put(0b100, 3);
  return bits.unit(0x68);
}

/** Disables the deblocking filter. */
const NO_FILTER = 1;

function keyFrame(video: VideoPlan, second: number): Uint8Array {
  const { wide, high } = blocksOf(video);
  const bits = new BitWriter();
  bits.ue(0);
  bits.ue(7);
  bits.ue(0);
  bits.put(0, 4);
  // Consecutive key frames need different ids.
  bits.ue(second % 2);
  bits.put(0b00, 2);
  bits.se(0);
  bits.ue(NO_FILTER);
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      if (x === 0 && y === 0) {
        firstBlock(bits, video.tint);
        continue;
      }
      // Predicted from the left; in the first column, from above. The corner is always dark.
      const was = x > 0 ? lit(video, x - 1, y, second) : lit(video, x, y - 1, second);
      const is = lit(video, x, y, second);
      bits.ue(x > 0 ? 2 : 1);
      bits.ue(0);
      bits.se(0);
      luma(bits, is === was ? 0 : is ? TO_LIGHT : -TO_LIGHT);
    }
  }
  return bits.unit(0x65);
}

const lit = (video: VideoPlan, x: number, y: number, second: number) => (x > 0 || y > 0) && video.isLit(x, y, second);

/** The first block is predicted as middle grey without colour; all others are predicted from it. */
function firstBlock(bits: BitWriter, { blue, red }: VideoPlan["tint"]): void {
  bits.ue(7);
  bits.ue(0);
  bits.se(0);
  luma(bits, TO_DARK);
  for (const value of [blue, red]) {
    if (value === 0) bits.put(0b01, 2);
    else level(bits, 0b000111, value);
  }
}

function luma(bits: BitWriter, value: number): void {
  if (value === 0) bits.put(1, 1);
  else level(bits, 0b000101, value);
}

/** One coefficient, the first of its block (9.2): its token, its value, and no zeros before it. */
function level(bits: BitWriter, token: number, value: number): void {
  bits.put(token, 6);
  const code = (value > 0 ? 2 * value - 2 : -2 * value - 1) - 2;
  if (code < 14) {
    bits.put(1, code + 1);
  } else if (code < 30) {
    bits.put(1, 15);
    bits.put(code - 14, 4);
  } else {
    bits.put(1, 16);
    bits.put(code - 30, 12);
  }
  bits.put(1, 1);
}

/** All blocks unchanged. */
function repeatedFrame(blocks: number, number: number): Uint8Array {
  const bits = new BitWriter();
  bits.ue(0);
  bits.ue(5);
  bits.ue(0);
  bits.put(number % 16, 4);
  // One reference, default list order, default marking.
  bits.put(0b000, 3);
  bits.se(0);
  bits.ue(NO_FILTER);
  bits.ue(blocks);
  return bits.unit(0x41);
}
