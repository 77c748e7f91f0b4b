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

export function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.byteLength + second.byteLength);
  whole.set(first);
  whole.set(second, first.byteLength);
  return whole;
}
