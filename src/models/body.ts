/** The body of an answer, up to `maxBytes`; null for one that is longer. Rejects when the signal ends. */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | null,
): Promise<Blob | null> {
  const reader = body.getReader();
  // Not every transport ends a body that it has begun to hand over when the request is aborted.
  const end = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", end);
  try {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return new Blob(parts);
      size += value.byteLength;
      if (size > maxBytes) {
        end();
        return null;
      }
      parts.push(new Uint8Array(value));
    }
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
