import { joined } from "../../src/media/bytes.ts";

/** The bytes of all chunks, each copied before the next is read. */
export async function readChunks(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(chunk.slice());
  return joined(copies);
}
