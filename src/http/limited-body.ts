/** The bytes of a request; null for more than `most`, whatever its declared length. */
export async function readLimited({ body }: Request, most: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (body) {
    for await (const part of body) {
      length += part.byteLength;
      if (length > most) return null;
      parts.push(part);
    }
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
