// A parser of multipart bodies that preserves bytes. The runtime's own parser decodes a part without a file
// name as text, which corrupts binary content.

export interface Part {
  name: string;
  bytes: Uint8Array;
}

export interface RawPart {
  /** Raw header lines. */
  headers: string;
  bytes: Uint8Array;
}

/** The fields of a form in order. Null if the body does not match its content type. */
export async function readParts(request: Request): Promise<Part[] | null> {
  const parts = await readRaw(request, /^multipart\/form-data;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i);
  const named = parts?.map(({ headers, bytes }) => ({ name: /\bname="([^"]*)"/i.exec(headers)?.[1], bytes }));
  if (!named?.every((part): part is Part => part.name !== undefined)) return null;
  return named;
}

/** The parts of a `multipart/related` body: a resource and the file that it describes. */
export function readRelated(request: Request): Promise<RawPart[] | null> {
  return readRaw(request, /^multipart\/related;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i);
}

async function readRaw(request: Request, kind: RegExp): Promise<RawPart[] | null> {
  const [, quoted, bare] = kind.exec(request.headers.get("content-type") ?? "") ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return null;
  const body = new Uint8Array(await request.arrayBuffer());
  const delimiter = encode(`--${boundary}`);
  const between = encode(`\r\n--${boundary}`);
  if (!startsWith(body, delimiter, 0)) return null;
  const parts: RawPart[] = [];
  let at = delimiter.length;
  // A line break and a part follow each delimiter, except the last one, which two dashes follow.
  while (!startsWith(body, DASHES, at)) {
    const headersEnd = indexOf(body, BLANK_LINE, at);
    const end = headersEnd < 0 ? -1 : indexOf(body, between, headersEnd + 2);
    if (end < 0) return null;
    const headers = new TextDecoder().decode(body.subarray(at, headersEnd)).trim();
    parts.push({ headers, bytes: body.subarray(Math.min(headersEnd + BLANK_LINE.length, end), end) });
    at = end + between.length;
  }
  return parts;
}

const encode = (text: string) => new TextEncoder().encode(text);
const DASHES = encode("--");
const BLANK_LINE = encode("\r\n\r\n");

const startsWith = (bytes: Uint8Array, wanted: Uint8Array, at: number) =>
  wanted.every((byte, index) => bytes[at + index] === byte);

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const first = wanted[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, wanted, at)) return at;
  }
  return -1;
}
