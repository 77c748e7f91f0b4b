import { createGuardedFetch } from "../../src/media/guarded-fetch.ts";

/** Media files made of their bytes, and a server for them. */

export const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
export const u16 = (value: number) => new Uint8Array([value >> 8, value & 255]);
export const u32 = (value: number) =>
  new Uint8Array([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
export const zeros = (length: number) => new Uint8Array(length);

export function bytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export const box = (type: string, ...parts: readonly Uint8Array[]) => {
  const content = bytes(...parts);
  return bytes(u32(content.length + 8), ascii(type), content);
};
export const longBox = (type: string, content: Uint8Array) =>
  bytes(u32(1), ascii(type), u32(0), u32(content.length + 16), content);

export const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
export const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];
export const hdlr = (handler: string) => box("mdia", box("hdlr", zeros(8), ascii(handler), zeros(12)));
export const tkhd = (width: number, height: number, matrix = IDENTITY) =>
  box("tkhd", zeros(40), ...matrix.map(u32), u32(width * 65536), u32(height * 65536));
export const mvhd = (seconds: number) => box("mvhd", zeros(12), u32(1000), u32(seconds * 1000), zeros(80));
export const longMvhd = (seconds: number) =>
  box("mvhd", new Uint8Array([1]), zeros(19), u32(1000), u32(0), u32(seconds * 1000), zeros(80));
export const moov = (...children: readonly Uint8Array[]) => box("moov", ...children);
export const ftyp = (brand: string) => box("ftyp", ascii(brand), zeros(4), ascii(brand));
export const movieBox = moov(
  mvhd(12),
  box("trak", tkhd(0, 0), hdlr("soun")),
  box("trak", tkhd(1280, 720), hdlr("vide")),
);

const decoded = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
/** 640×480, black, one bit a pixel (zlib). */
export const PNG = decoded(
  "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgAQAAAAAdquFJAAAAPUlEQVR42u3BAQ0AAADCoPdPbQ43oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADgzwCX4AABS8wbSgAAAABJRU5ErkJggg==",
);
/** 320×200, one color (ImageMagick). */
export const GIF = decoded(
  "R0lGODlhQAHIAPAAAAAAgAAAACH5BAAAAAAALAAAAABAAcgAAAL+hI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jef6zvf+DwwKh8Si8YhMKpfMpvMJjUqn1Kr1is1qt9yu9wsOi8fksvmMTqvX7Lb7DY/L5/S6/Y7P6/f8vv8PGCg4SFhoeIiYqLjI2Oj4CBkpOUlZaXmJmam5ydnp+QkaKjpKWmp6ipqqusra6voKGys7S1tre4ubq7vL2+v7CxwsPExcbHyMnKy8zNzs/AwdLT1NXW19jZ2tvc3d7f0NHi4+Tl5ufo6err7O3u7+Dh8vP09fb3+Pn6+/z9/v/w8woMCBBAsaPIgwocKFDBs6fAgxosSJFCtavIgxo8ZbjRw7evwIMqTIkSRLmjyJMqXKlSxbunwJM6bMmTRr2ryJM6fOnTx7+vwJNKjQoUSLGj2KNKnSpUybOn0KNarUqVSrWr2KNavWrVy7ev0KNqzYsWTLmj2LNm2ZAgA7",
);
export const exif = (orientation: number) => {
  const entry = bytes(u16(0x0112), u16(3), u32(1), u16(orientation), u16(0));
  const content = bytes(ascii("Exif\0\0"), ascii("MM"), u16(42), u32(8), u16(1), entry, u32(0));
  return bytes(u16(0xffe1), u16(content.length + 2), content);
};
/** The header of a scan, some data, and the end. */
const jpegData = bytes(u16(0xffda), u16(8), zeros(6), zeros(4).fill(0x55), u16(0xffd9));
export const jpeg = (...before: readonly Uint8Array[]) =>
  bytes(u16(0xffd8), ...before, u16(0xffc0), u16(17), new Uint8Array([8]), u16(300), u16(400), zeros(10), jpegData);
export const padding = (length: number) => bytes(u16(0xffe2), u16(length + 2), zeros(length));

/** An item of a HEIF file with its properties, as numbers from 1. */
export interface Item {
  readonly id: number;
  readonly properties: readonly number[];
}
/** The `meta` box of a picture: all properties of the file, and which item has which. */
export const pictureMeta = (primary: number, properties: readonly Uint8Array[], items: readonly Item[]) =>
  box(
    "meta",
    zeros(4),
    box("hdlr", zeros(8), ascii("pict"), zeros(13)),
    box("pitm", zeros(4), u16(primary)),
    box("iprp", box("ipco", ...properties), associations(items)),
  );
const associations = (items: readonly Item[]) =>
  box(
    "ipma",
    zeros(4),
    u32(items.length),
    ...items.map(({ id, properties }) => bytes(u16(id), Uint8Array.from([properties.length, ...properties]))),
  );
export const ispe = (width: number, height: number) => box("ispe", zeros(4), u32(width), u32(height));
export const irot = (quarters: number) => box("irot", new Uint8Array([quarters]));

/** A TIFF directory with entries of one 32-bit value, at the end of the header or behind so many bytes. */
export const tiff = (entries: readonly (readonly [tag: number, value: number])[], before = 0) =>
  bytes(
    ascii("MM\0*"),
    u32(8 + before),
    zeros(before),
    u16(entries.length),
    ...entries.map(([tag, value]) => bytes(u16(tag), u16(4), u32(1), u32(value))),
    u32(0),
  );

/** An element of EBML, its length in eight bytes. */
export const element = (id: number, ...parts: readonly Uint8Array[]) => {
  const content = bytes(...parts);
  return bytes(elementId(id), new Uint8Array([1, 0, 0, 0]), u32(content.length), content);
};
/** One that does not say where it ends. */
export const openElement = (id: number, ...parts: readonly Uint8Array[]) =>
  bytes(elementId(id), new Uint8Array([0xff]), ...parts);
const elementId = (id: number) => u32(id).subarray(Math.clz32(id) >> 3);
export const f64 = (value: number) => {
  const content = zeros(8);
  new DataView(content.buffer).setFloat64(0, value);
  return content;
};
export const ebmlHead = element(0x1a45dfa3, element(0x4282, ascii("webm")));
export const info = (...parts: readonly Uint8Array[]) => element(0x1549a966, ...parts);
export const duration = (ticks: number) => element(0x4489, f64(ticks));
export const tracks = (...parts: readonly Uint8Array[]) => element(0x1654ae6b, ...parts);
export const track = (type: number, ...parts: readonly Uint8Array[]) =>
  element(0xae, element(0x83, new Uint8Array([type])), ...parts);
export const videoTrack = (width: number, height: number, ...more: readonly Uint8Array[]) =>
  track(1, element(0xe0, element(0xb0, u16(width)), element(0xba, u16(height)), ...more));
/** A cluster that begins at so many ticks, with frames so many ticks later. */
export const cluster = (ticks: number, ...frames: readonly number[]) =>
  openElement(
    0x1f43b675,
    element(0xe7, u32(ticks)),
    ...frames.map((later) => element(0xa3, new Uint8Array([0x81]), u16(later), zeros(5))),
  );
export const webm = (...parts: readonly Uint8Array[]) => bytes(ebmlHead, element(0x18538067, ...parts));

/** A file that is too large to be held: zeros between its head and its tail. */
export function sparse(head: Uint8Array, length: number, tail: Uint8Array = zeros(0)): ServedFile {
  return {
    length,
    slice(start, end) {
      const part = zeros(Math.max(0, Math.min(end, length) - start));
      const place = (known: Uint8Array, at: number) => {
        const from = Math.max(start, at);
        const to = Math.min(start + part.length, at + known.length);
        if (from < to) part.set(known.subarray(from - at, to - at), from - start);
      };
      place(head, 0);
      place(tail, length - tail.length);
      return part;
    },
  };
}

export interface ServedFile {
  readonly length: number;
  slice(start: number, end: number): Uint8Array<ArrayBuffer>;
}

export interface Asked {
  /** [start, end), or null for the whole file. */
  readonly range: readonly [start: number, end: number] | null;
  readonly signal: AbortSignal | null;
  /** The nth request, from 1. */
  readonly count: number;
  /** Streams these bytes of the file, and counts what is taken of them. */
  stream(start: number, end: number): ReadableStream<Uint8Array>;
}

export interface Manner {
  readonly ranges?: boolean;
  readonly length?: boolean;
  /** What the server does instead; undefined: what it does otherwise. */
  readonly instead?: (requested: Asked) => Response | Promise<Response> | undefined;
}

/** Serves one file; streams it in pieces, and counts what it sent. */
export function serve(file: ServedFile, { ranges = true, length = true, instead }: Manner = {}) {
  const seen = { requests: 0, bytes: 0 };
  const stream = (start: number, end: number) => {
    let offset = start;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (offset >= end) return controller.close();
          const piece = file.slice(offset, Math.min(offset + 10_000, end));
          offset += piece.length;
          seen.bytes += piece.length;
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
  };
  const fetch = async (_input: RequestInfo | URL, init?: RequestInit) => {
    seen.requests += 1;
    const match = new Headers(init?.headers).get("range")?.match(/^bytes=(\d+)-(\d+)$/);
    const range = match ? ([Number(match[1]), Number(match[2]) + 1] as const) : null;
    const own = await instead?.({ range, signal: init?.signal ?? null, count: seen.requests, stream });
    if (own) return own;
    if (!range || !ranges) {
      const headers: HeadersInit = length ? { "content-length": String(file.length) } : {};
      return new Response(stream(0, file.length), { headers });
    }
    const [start, end] = [range[0], Math.min(range[1], file.length)];
    if (start >= file.length) return new Response(null, { status: 416 });
    const headers = { "content-range": `bytes ${start}-${end - 1}/${length ? file.length : "*"}` };
    return new Response(stream(start, end), { status: 206, headers });
  };
  return { read: createGuardedFetch({ allowLoopback: false, fetch }), fetch, seen };
}

export const URL_OF_FILE = "https://files.example.com/dir/my%20file.bin?signature=1";
