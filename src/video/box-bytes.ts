import { joined } from "../media/bytes.ts";

/** The bytes of boxes of an MP4 (ISO 14496-12), for the files that we write. */

/** 32 bits each; negative numbers in two's complement. */
export function words(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value);
  return new Uint8Array(view.buffer);
}

export const u32 = (value: number) => words([value]);
export const u16 = (value: number) => Uint8Array.of(value >> 8, value & 255);
export const zeros = (count: number) => new Uint8Array(count);
export const name = (text: string) => new TextEncoder().encode(text);
export const box = (type: string, ...content: readonly Uint8Array[]) => {
  const size = content.reduce((sum, part) => sum + part.byteLength, 8);
  return joined([u32(size), name(type), ...content]);
};
export const fullOf = (type: string, version: number, flags: number, ...content: readonly Uint8Array[]) =>
  box(type, u32(version * 0x1000000 + flags), ...content);
export const full = (type: string, ...content: readonly Uint8Array[]) => fullOf(type, 0, 0, ...content);

export const IDENTITY = words([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]);
export const DATA_HERE = box("dinf", full("dref", u32(1), fullOf("url ", 0, 1)));
export const FILE_TYPE = box("ftyp", name("isom"), u32(512), name("isomiso2iso4mp41"));
