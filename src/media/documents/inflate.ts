import { joined } from "../bytes.ts";

/**
 * Decompressed bytes, at most `most`; null if the data are damaged or hold more. `deflate` has the header of
 * zlib, `deflate-raw` has none.
 */
export async function inflated(
  data: Uint8Array,
  format: "deflate" | "deflate-raw",
  most: number,
): Promise<Uint8Array | null> {
  const source = new Blob([new Uint8Array(data)]).stream();
  const reader = source.pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return joined(parts);
      size += value.byteLength;
      if (size > most) {
        await reader.cancel();
        return null;
      }
      parts.push(value);
    }
  } catch {
    return null;
  }
}
