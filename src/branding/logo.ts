import { hex } from "../core/tokens.ts";
import { typeOf } from "../media/file-type.ts";
import { imageSize } from "../media/picture.ts";

/**
 * A logo: a picture that is shown at most 40 pixels high. SVG is refused, because such a file can hold
 * scripts. It is served under a name that is a hash of its bytes, so browsers may keep it forever.
 */
const MAX_LOGO_BYTES = 200_000;
const MAX_LOGO_SIDE = 2_000;
const MIN_LOGO_SIDE = 32;

const ENDINGS: Readonly<Record<string, string>> = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" };
const NAME = new RegExp(`^[0-9a-f]{32}\\.(${Object.values(ENDINGS).join("|")})$`);

export type LogoProblem = "type" | "bytes" | "small" | "large" | "damaged";
export type ReadLogo =
  | { readonly kind: "logo"; readonly name: string; readonly base64: string }
  | { readonly kind: LogoProblem };

/** Checks type, size and dimensions by the bytes of the file; its name does not matter. */
export async function readLogo(file: Blob): Promise<ReadLogo> {
  if (file.size > MAX_LOGO_BYTES) return { kind: "bytes" };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = typeOf(bytes);
  const ending = type && "mime" in type ? ENDINGS[type.mime] : undefined;
  if (!type || !("mime" in type) || ending === undefined) return { kind: "type" };
  const size = imageSize(type.mime, bytes);
  if (size === null || size === "damaged" || size.width * size.height === 0) return { kind: "damaged" };
  if (Math.max(size.width, size.height) > MAX_LOGO_SIDE) return { kind: "large" };
  if (Math.max(size.width, size.height) < MIN_LOGO_SIDE) return { kind: "small" };
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { kind: "logo", name: `${hex(digest.subarray(0, 16))}.${ending}`, base64: base64Of(bytes) };
}

/** The content type of a logo's name; null for everything else. */
export function logoType(name: string): string | null {
  const ending = NAME.exec(name)?.[1];
  return Object.keys(ENDINGS).find((mime) => ENDINGS[mime] === ending) ?? null;
}

/** Converted in parts: a call takes a limited number of arguments. */
function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += BASE64_STEP) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(start, start + BASE64_STEP))));
  }
  return parts.join("");
}

/** A multiple of three, so that only the last part is padded. */
const BASE64_STEP = 30_000;

/** The bytes of a stored logo. */
export const logoBytes = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
