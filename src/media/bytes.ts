/** Reads numbers and texts from untrusted bytes. Past the end, numbers read as 0, and texts are shorter. */

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function uint16(bytes: Uint8Array, offset: number): number {
  return offset + 2 <= bytes.byteLength ? viewOf(bytes).getUint16(offset) : 0;
}

export function uint32(bytes: Uint8Array, offset: number): number {
  return offset + 4 <= bytes.byteLength ? viewOf(bytes).getUint32(offset) : 0;
}

/** Inexact above 2^53; no file offset is that large. */
export function uint64(bytes: Uint8Array, offset: number): number {
  return uint32(bytes, offset) * 2 ** 32 + uint32(bytes, offset + 4);
}

export function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
