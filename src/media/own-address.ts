import { randomBase62 } from "../core/tokens.ts";

/**
 * Addresses of our files: `{origin}/media/{name}{ending}`, where `name` is 32 random characters and the
 * ending that of its type. Whoever knows one may read the file: platforms fetch it without a login.
 */
export const MEDIA_PATH = "/media/";

/** 190 bits: nobody meets one by trying. */
const RANDOM_LENGTH = 32;
const NAME = /^([0-9A-Za-z]{32})(\.[a-z0-9]{3,4})$/;

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["image/heic", ".heic"],
  ["image/avif", ".avif"],
  ["image/bmp", ".bmp"],
  ["image/tiff", ".tif"],
  ["video/mp4", ".mp4"],
  ["video/quicktime", ".mov"],
  ["video/webm", ".webm"],
  ["video/x-matroska", ".mkv"],
  ["video/x-msvideo", ".avi"],
]);
const TYPES: ReadonlyMap<string, string> = new Map([...ENDINGS].map(([mime, ending]) => [ending, mime]));

/** Under which the bucket keeps it; its address has an ending too. */
export function newFileName(): string {
  return randomBase62(RANDOM_LENGTH);
}

export function isFileName(text: string): boolean {
  return text.length === RANDOM_LENGTH && /^[0-9A-Za-z]+$/.test(text);
}

/** Throws for a type that no address of ours tells: what the probe knows has one. */
export function fileAddress(origin: string, name: string, mime: string): string {
  const ending = ENDINGS.get(mime);
  if (ending === undefined) throw new Error(`There is no ending for ${mime}.`);
  return `${origin}${MEDIA_PATH}${name}${ending}`;
}

/**
 * The name in the last part of an address, and the type that its ending stands for; null when it can be none
 * of ours. The ending was ours to choose, by the bytes: so the type needs no look-up, and none that a browser
 * runs has one.
 */
export function readFileName(text: string): { readonly name: string; readonly mime: string } | null {
  const [, name, ending] = NAME.exec(text) ?? [];
  const mime = TYPES.get(ending ?? "");
  return name && mime ? { name, mime } : null;
}

/**
 * The name of a file of ours, if the address is formed like one's; null otherwise. Of any host: ours may have
 * been another when the file was uploaded, and nobody has such a name who was not told it.
 */
export function ownFileName(url: string): string | null {
  return ownFile(url)?.name ?? null;
}

/** The same, with the type that its address tells. */
export function ownFile(url: string): { readonly name: string; readonly mime: string } | null {
  const parsed = url.includes(MEDIA_PATH) ? URL.parse(url) : null;
  if (!parsed?.pathname.startsWith(MEDIA_PATH) || parsed.search !== "") return null;
  return readFileName(parsed.pathname.slice(MEDIA_PATH.length));
}
