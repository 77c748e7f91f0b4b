import { randomBase62 } from "../core/tokens.ts";

/**
 * Addresses of our files: `{origin}/media/{name}{ending}`, where `name` is 32 random characters and `ending`
 * the file extension of its type. Anyone who knows the address may read the file: platforms fetch it without
 * credentials.
 */
export const MEDIA_PATH = "/media/";

/** 190 bits: names cannot be guessed. */
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
  ["application/pdf", ".pdf"],
  ["application/msword", ".doc"],
  ["application/vnd.ms-powerpoint", ".ppt"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"],
]);
const TYPES: ReadonlyMap<string, string> = new Map([...ENDINGS].map(([mime, ending]) => [ending, mime]));

/** The file's name in the bucket; the public address adds an extension. */
export function newFileName(): string {
  return randomBase62(RANDOM_LENGTH);
}

export function isFileName(text: string): boolean {
  return text.length === RANDOM_LENGTH && /^[0-9A-Za-z]+$/.test(text);
}

/** Throws for a type that has no extension; every type that the probe detects has one. */
export function fileAddress(origin: string, name: string, mime: string): string {
  const ending = ENDINGS.get(mime);
  if (ending === undefined) throw new Error(`There is no ending for ${mime}.`);
  return `${origin}${MEDIA_PATH}${name}${ending}`;
}

/** The extension of a type; empty for one that has none. */
export const fileEnding = (mime: string): string => ENDINGS.get(mime) ?? "";

/**
 * The name in the last part of an address, and the type of its extension; null if the address cannot be ours.
 * We chose the extension by the file's bytes, so the type needs no lookup. No extension stands for a type
 * that browsers execute.
 */
export function readFileName(text: string): { readonly name: string; readonly mime: string } | null {
  const [, name, ending] = NAME.exec(text) ?? [];
  const mime = TYPES.get(ending ?? "");
  return name && mime ? { name, mime } : null;
}

/**
 * The name of our file, if the address has the form of one; null otherwise. Accepts any host, because our
 * host may have changed since the upload, and the name is unguessable.
 */
export function ownFileName(url: string): string | null {
  return ownFile(url)?.name ?? null;
}

/** The same, with the type of the address's extension. */
export function ownFile(url: string): { readonly name: string; readonly mime: string } | null {
  const parsed = url.includes(MEDIA_PATH) ? URL.parse(url) : null;
  if (!parsed?.pathname.startsWith(MEDIA_PATH) || parsed.search !== "") return null;
  return readFileName(parsed.pathname.slice(MEDIA_PATH.length));
}
