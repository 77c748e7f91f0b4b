/** The body of a response, up to `maxBytes`; null if it is longer. Rejects when the signal aborts. */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | null,
): Promise<Blob | null> {
  const reader = body.getReader();
  // Some transports do not close a body that is already streaming when the request is aborted.
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
