// Sample media files for users and tests, served with range requests.

import anim from "./media/anim.gif";
import clipMov from "./media/clip.mov";
import clip from "./media/clip.mp4";
import clipWebm from "./media/clip.webm";
import landscape from "./media/landscape.jpg";
import photo from "./media/photo.webp";
import reel from "./media/reel.mp4";
import squareHeic from "./media/square.heic";
import square from "./media/square.jpg";
import squarePng from "./media/square.png";
import wide from "./media/wide.jpg";

interface Sample {
  name: string;
  type: string;
  about: string;
  bytes: () => Uint8Array;
}

const sample = (name: string, type: string, about: string, bytes: ArrayBuffer | Uint8Array): Sample => ({
  name,
  type,
  about,
  bytes: () => (bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)),
});

export const SAMPLES: readonly Sample[] = [
  sample("square.jpg", "image/jpeg", "1080 × 1080", square),
  sample("landscape.jpg", "image/jpeg", "1200 × 900", landscape),
  sample("square.png", "image/png", "1080 × 1080", squarePng),
  sample("anim.gif", "image/gif", "320 × 240, six frames", anim),
  sample("photo.webp", "image/webp", "900 × 1200", photo),
  sample("reel.mp4", "video/mp4", "720 × 1280, 6 s, H.264 and AAC, 30 frames a second", reel),
  sample("clip.mp4", "video/mp4", "1280 × 720, 5 s", clip),
  {
    name: "large.jpg",
    type: "image/jpeg",
    about: "1080 × 1080, just above 5 MB",
    bytes: () => padded(sampleNamed("square.jpg"), 5_400_000),
  },
  sample("square.heic", "image/heic", "1080 × 1080", squareHeic),
  sample("clip.mov", "video/quicktime", "1280 × 720, 5 s, H.264 and AAC", clipMov),
  sample("clip.webm", "video/webm", "1280 × 720, 5 s, VP9 and Opus", clipWebm),
  sample("wide.jpg", "image/jpeg", "2000 × 400: wider than most platforms take", wide),
  sample("png-named.jpg", "image/jpeg", "a PNG, whatever its name says", squarePng),
  {
    name: "cut-off.mp4",
    type: "video/mp4",
    about: "ends in the middle",
    bytes: () => sampleNamed("reel.mp4").slice(0, 60_000),
  },
  { name: "slides.pdf", type: "application/pdf", about: "five pages", bytes: () => pagesOfPdf(5) },
  {
    name: "page.jpg",
    type: "text/html; charset=utf-8",
    about: "a page with status 200 where a picture was meant",
    bytes: () => new TextEncoder().encode("<!doctype html><title>Not found</title><p>This picture has moved.\n"),
  },
  {
    name: "notes.txt",
    type: "text/plain; charset=utf-8",
    about: "no picture at all",
    bytes: () => new TextEncoder().encode("These are notes. No platform takes them for a picture.\n"),
  },
];

function sampleNamed(name: string): Uint8Array {
  return SAMPLES.find((one) => one.name === name)?.bytes() ?? new Uint8Array();
}

/** Pads a JPEG with comment segments after its first marker; decoders skip them. */
function padded(jpeg: Uint8Array, size: number): Uint8Array {
  const segment = new Uint8Array(65_535 + 2).fill(0x20);
  segment.set([0xff, 0xfe, 0xff, 0xff]);
  const count = Math.max(0, Math.ceil((size - jpeg.length) / segment.length));
  const out = new Uint8Array(jpeg.length + count * segment.length);
  out.set(jpeg.subarray(0, 2));
  for (let i = 0; i < count; i++) out.set(segment, 2 + i * segment.length);
  out.set(jpeg.subarray(2), 2 + count * segment.length);
  return out;
}

/** A PDF of empty pages. */
function pagesOfPdf(count: number): Uint8Array {
  const numbers = Array.from({ length: count }, (_, index) => index + 3);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${count} /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] >>`,
    ...numbers.map(() => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] >>"),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(text + table + trailer);
}

/** Serves `/_media/{name}`: GET and HEAD, with one range. */
export function serveSample(request: Request): Response {
  const name = new URL(request.url).pathname.slice("/_media/".length);
  const found = SAMPLES.find((one) => one.name === name);
  if (!found) return new Response("There is no such sample.\n", { status: 404 });
  return serveBytes(request, found.type, found.bytes().length, (from, to) => found.bytes().slice(from, to));
}

/** `read(from, to)` returns the bytes of [from, to). */
export function serveBytes(
  request: Request,
  type: string,
  size: number,
  read: (from: number, to: number) => Uint8Array<ArrayBuffer>,
): Response {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("Only GET and HEAD.\n", { status: 405, headers: { allow: "GET, HEAD" } });
  }
  const headers = new Headers({
    "content-type": type,
    "accept-ranges": "bytes",
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
  });
  const range = request.headers.get("range");
  const wanted = range === null ? null : parseRange(range, size);
  if (wanted === "unsatisfiable") {
    headers.set("content-range", `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const [from, to] = wanted ?? [0, size];
  if (wanted) headers.set("content-range", `bytes ${from}-${to - 1}/${size}`);
  headers.set("content-length", String(to - from));
  const body = request.method === "HEAD" ? null : read(from, to);
  return new Response(body, { status: wanted ? 206 : 200, headers });
}

/** Null for a header that is not one simple range: HTTP says that such a header is ignored. */
function parseRange(range: string, size: number): [number, number] | "unsatisfiable" | null {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (!parts || (parts[1] === "" && parts[2] === "")) return null;
  if (parts[1] === "") {
    const last = Math.min(size, Number(parts[2]));
    return last === 0 ? "unsatisfiable" : [size - last, size];
  }
  const from = Number(parts[1]);
  const to = parts[2] === "" ? size : Math.min(size, Number(parts[2]) + 1);
  return from < to ? [from, to] : "unsatisfiable";
}
