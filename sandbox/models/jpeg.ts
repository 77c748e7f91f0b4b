// A JPEG image with text (ITU-T T.81, baseline). Each block of eight by eight has one colour, so a block
// needs only its difference from the previous one.

import { drawText, GLYPH, hashOf } from "./font";
import type { Size } from "./png";

const BLOCK = 8;
const DARK = 60;
const LIGHT = 245;
/**
 * The DC code table: number of codes of each length. The code prefix gives the bit length of the difference.
 */
const DC_CODES = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const DC_LENGTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/** The only code: "only zeros follow". */
const AC_CODES = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Light text on a background colour that depends on the text. */
export function jpegOf(words: string, size: Size): Uint8Array<ArrayBuffer> {
  const [wide, high] = [Math.ceil(size.width / BLOCK), Math.ceil(size.height / BLOCK)];
  const drawing = drawText(words, Math.floor((wide - 4) / GLYPH.width), Math.floor((high - 4) / GLYPH.height));
  const hash = hashOf(words);
  const isLit = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < drawing.width && y < drawing.height && drawing.isLit(x, y);
  const scan = new Scan();
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      scan.block(0, (isLit(x - 2, y - 2) ? LIGHT : DARK) - 128);
      scan.block(1, (hash % 90) - 45);
      scan.block(2, ((hash >> 7) % 90) - 45);
    }
  }
  const components = [1, 2, 3];
  return new Uint8Array([
    0xff,
    0xd8,
    ...segment(0xe0, [...new TextEncoder().encode("JFIF\0"), 1, 1, 0, ...u16(1), ...u16(1), 0, 0]),
    // With quantization steps of eight, the DC coefficient equals the value of the block's dots.
    ...segment(0xdb, [0, ...new Array<number>(64).fill(BLOCK)]),
    ...segment(0xc0, [8, ...u16(size.height), ...u16(size.width), 3, ...components.flatMap((id) => [id, 0x11, 0])]),
    ...segment(0xc4, [0x00, ...DC_CODES, ...DC_LENGTHS, 0x10, ...AC_CODES, 0]),
    ...segment(0xda, [3, ...components.flatMap((id) => [id, 0]), 0, 63, 0]),
    ...scan.bytes(),
    0xff,
    0xd9,
  ]);
}

const u16 = (value: number) => [value >> 8, value & 0xff];
const segment = (marker: number, content: number[]) => [0xff, marker, ...u16(content.length + 2), ...content];

/** The code for a difference of this bit length, as DC_CODES assigns them. */
function dcCode(length: number): { code: number; bits: number } {
  if (length === 0) return { code: 0b00, bits: 2 };
  if (length <= 5) return { code: length + 1, bits: 3 };
  return { code: 2 ** (length - 2) - 2, bits: length - 2 };
}

class Scan {
  readonly #out: number[] = [];
  readonly #last = [0, 0, 0];
  #current = 0;
  #filled = 0;

  block(component: number, value: number): void {
    const difference = value - (this.#last[component] ?? 0);
    this.#last[component] = value;
    const length = 32 - Math.clz32(Math.abs(difference));
    const { code, bits } = dcCode(length);
    this.#put(code, bits);
    this.#put(difference < 0 ? difference + 2 ** length - 1 : difference, length);
    this.#put(0, 1);
  }

  #put(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#current = (this.#current << 1) | ((value >> bit) & 1);
      this.#filled++;
      if (this.#filled < 8) continue;
      this.#out.push(this.#current);
      // Byte stuffing: a byte of ones would start a marker.
      if (this.#current === 0xff) this.#out.push(0);
      this.#current = 0;
      this.#filled = 0;
    }
  }

  bytes(): number[] {
    while (this.#filled > 0) this.#put(1, 1);
    return this.#out;
  }
}
