// A PNG image with text.

import { drawText, GLYPH, hashOf, linesOf } from "./font";

export interface Size {
  width: number;
  height: number;
}

const MARGIN = 0.06;

/**
 * Text as large as fits, light on a colour that depends on the text, with a gradient that darkens downwards.
 */
export async function pictureOf(words: string, { width, height }: Size): Promise<Uint8Array<ArrayBuffer>> {
  const { drawing, scale, left, top } = placed(words, { width, height });
  const hash = hashOf(words);
  const base = [40 + (hash % 120), 40 + ((hash >> 7) % 120), 40 + ((hash >> 14) % 120)];
  const stride = 1 + width * 3;
  const raw = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const shade = 1 - (0.5 * y) / height;
    const [red = 0, green = 0, blue = 0] = base.map((value) => Math.round(value * shade));
    const row = Math.floor((y - top) / scale);
    for (let x = 0; x < width; x++) {
      const column = Math.floor((x - left) / scale);
      const isInside = row >= 0 && row < drawing.height && column >= 0 && column < drawing.width;
      const isLit = isInside && drawing.isLit(column, row);
      raw.set(isLit ? [250, 248, 240] : [red, green, blue], y * stride + 1 + x * 3);
    }
  }
  return png({ width, height }, raw);
}

function placed(words: string, { width, height }: Size) {
  const left = Math.floor(width * MARGIN);
  const top = Math.floor(height * MARGIN);
  const [wide, high] = [width - 2 * left, height - 2 * top];
  for (let scale = Math.floor(width / 60); ; scale--) {
    const columns = Math.floor(wide / (GLYPH.width * scale));
    const lines = Math.floor(high / (GLYPH.height * scale));
    if (scale > 2 && linesOf(words, columns).length > lines) continue;
    return { drawing: drawText(words, columns, lines), scale, left, top };
  }
}

async function png({ width, height }: Size, raw: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Eight bits each of red, green and blue.
  header.setUint16(8, 0x0802);
  const packed = new Blob([raw]).stream().pipeThrough(new CompressionStream("deflate"));
  const parts = [
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", new Uint8Array(await new Response(packed).arrayBuffer())),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function chunk(type: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(content.length + 12);
  const view = new DataView(out.buffer);
  view.setUint32(0, content.length);
  out.set(new TextEncoder().encode(type), 4);
  out.set(content, 8);
  view.setUint32(content.length + 8, crc32(out.subarray(4, content.length + 8)));
  return out;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
