import type { CopyMime } from "./picture-fit.ts";

/**
 * Cloudflare's Images binding, as far as it is used here. Facts, read 2026-11-29 (price: docs/costs.md):
 *
 * - Each call is charged, so `info()` is not called: our own probe knows the file. Errors have codes.
 * - EXIF is applied to the pixels and dropped, and colors are converted to sRGB.
 * - The local one of wrangler and vitest heeds sides, turns and formats only: no quality, no background and
 *   no HEIC. A transparent picture stands there on black.
 */
export interface PictureEngine {
  /** One charged call. The largest picture within the sides; never cropped, never scaled up. */
  convert(source: Uint8Array<ArrayBuffer>, to: Conversion): Promise<Converted | EngineFailure>;
}

export interface Conversion {
  readonly mime: CopyMime;
  readonly width: number;
  readonly height: number;
  /** 1 to 100, of JPEG and WebP. */
  readonly quality: number;
  /** A longer answer is not read. */
  readonly maxBytes: number;
}

export type Converted =
  | { readonly kind: "picture"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** `atLeast` bytes; not read further. */
  | { readonly kind: "too_large"; readonly atLeast: number };

/** `unreadable`: of this file. `unavailable`: of now. `refused`: of the account, which its operator mends. */
export interface EngineFailure {
  readonly kind: "failed";
  readonly why: "unreadable" | "unavailable" | "refused";
  /** Of the engine; null without an answer. */
  readonly code: number | null;
}

/** Null without the binding. */
export function createPictureEngine(binding: ImagesBinding | undefined, onCall: () => void): PictureEngine | null {
  if (binding === undefined) return null;
  return {
    async convert(source, { mime, width, height, quality, maxBytes }) {
      onCall();
      try {
        const result = await binding
          .input(streamOf(source))
          .transform({ width, height, fit: "scale-down", background: WHITE })
          .output({ format: mime, quality, background: WHITE, anim: false });
        return await readWithin(result.image(), maxBytes);
      } catch (error) {
        return { kind: "failed", ...classified(error) };
      }
    },
  };
}

const WHITE = "#ffffff";
/** A few times the largest copy: what is larger says only by how much. */
const READ_FACTOR = 2;

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const { body } = new Response(bytes);
  if (body === null) throw new Error("A picture without bytes was sent to the engine.");
  return body;
}

/** The bytes, if they are within the limit; otherwise their number as far as a bounded part is read. */
async function readWithin(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Converted> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.byteLength;
    if (length > maxBytes * READ_FACTOR) break;
    if (length <= maxBytes) parts.push(part);
    else parts.length = 0;
  }
  if (length > maxBytes) return { kind: "too_large", atLeast: length };
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return { kind: "picture", bytes };
}

/** developers.cloudflare.com/images/reference/errors, read 2026-11-29. */
const UNREADABLE: readonly number[] = [9402, 9412, 9413, 9416, 9420, 9516, 9520];
const REFUSED: readonly number[] = [9422, 9423, 9425, 9427, 9430];

function classified(error: unknown): Pick<EngineFailure, "why" | "code"> {
  const given = error instanceof Error ? Reflect.get(error, "code") : undefined;
  const code = typeof given === "number" ? given : null;
  if (code === null) return { why: "unavailable", code };
  if (UNREADABLE.includes(code)) return { why: "unreadable", code };
  return { why: REFUSED.includes(code) ? "refused" : "unavailable", code };
}
