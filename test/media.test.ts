import fc from "fast-check";
import { test } from "vitest";
import { contentProblems, fileProblems, mediaCountProblems, textProblems } from "../src/media/check.ts";
import { checkAddress, createGuardedFetch } from "../src/media/guarded-fetch.ts";
import { probe, readRange } from "../src/media/probe.ts";
import { facebook } from "../src/platforms/facebook.ts";
import type { Media, TypeRules } from "../src/platforms/platform.ts";
import { twitter } from "../src/platforms/twitter.ts";
import { image, video } from "./scripted-send.ts";

// --- bytes ------------------------------------------------------------------------------------------------------

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const u16 = (value: number) => new Uint8Array([value >> 8, value & 255]);
const u32 = (value: number) => new Uint8Array([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const zeros = (length: number) => new Uint8Array(length);

function bytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

const box = (type: string, ...parts: readonly Uint8Array[]) => {
  const content = bytes(...parts);
  return bytes(u32(content.length + 8), ascii(type), content);
};
const longBox = (type: string, content: Uint8Array) =>
  bytes(u32(1), ascii(type), u32(0), u32(content.length + 16), content);

const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];
const hdlr = (handler: string) => box("mdia", box("hdlr", zeros(8), ascii(handler), zeros(12)));
const tkhd = (width: number, height: number, matrix = IDENTITY) =>
  box("tkhd", zeros(40), ...matrix.map(u32), u32(width * 65536), u32(height * 65536));
const mvhd = (seconds: number) => box("mvhd", zeros(12), u32(1000), u32(seconds * 1000), zeros(80));
const longMvhd = (seconds: number) =>
  box("mvhd", new Uint8Array([1]), zeros(19), u32(1000), u32(0), u32(seconds * 1000), zeros(80));
const moov = (...children: readonly Uint8Array[]) => box("moov", ...children);
const ftyp = (brand: string) => box("ftyp", ascii(brand), zeros(4), ascii(brand));
const film = moov(mvhd(12), box("trak", tkhd(0, 0), hdlr("soun")), box("trak", tkhd(1280, 720), hdlr("vide")));

const PNG = bytes(ascii("\x89PNG\r\n\x1a\n"), u32(13), ascii("IHDR"), u32(640), u32(480), zeros(20));
const GIF = bytes(ascii("GIF89a"), new Uint8Array([64, 1, 200, 0]), zeros(20));
const exif = (orientation: number) => {
  const entry = bytes(u16(0x0112), u16(3), u32(1), u16(orientation), u16(0));
  const content = bytes(ascii("Exif\0\0"), ascii("MM"), u16(42), u32(8), u16(1), entry, u32(0));
  return bytes(u16(0xffe1), u16(content.length + 2), content);
};
const jpeg = (...before: readonly Uint8Array[]) =>
  bytes(u16(0xffd8), ...before, u16(0xffc0), u16(17), new Uint8Array([8]), u16(300), u16(400), zeros(20));
const padding = (length: number) => bytes(u16(0xffe2), u16(length + 2), zeros(length));

// --- a server ---------------------------------------------------------------------------------------------------

interface Manner {
  readonly ranges?: boolean;
  readonly length?: boolean;
}

/** Serves one file; streams it in pieces, and counts what it sent. */
function serve(file: Uint8Array<ArrayBuffer>, { ranges = true, length = true }: Manner = {}) {
  const seen = { requests: 0, bytes: 0 };
  const stream = (part: Uint8Array<ArrayBuffer>) => {
    let offset = 0;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (offset >= part.length) return controller.close();
        const piece = part.slice(offset, offset + 10_000);
        offset += piece.length;
        seen.bytes += piece.length;
        controller.enqueue(piece);
      },
    });
  };
  const fetch = async (_input: RequestInfo | URL, init?: RequestInit) => {
    seen.requests += 1;
    const match = new Headers(init?.headers).get("range")?.match(/^bytes=(\d+)-(\d+)$/);
    if (!match || !ranges) {
      return new Response(stream(file), length ? { headers: { "content-length": String(file.length) } } : {});
    }
    const start = Number(match[1]);
    if (start >= file.length) return new Response(null, { status: 416 });
    const part = file.slice(start, Number(match[2]) + 1);
    const range = `bytes ${start}-${start + part.length - 1}/${file.length}`;
    return new Response(stream(part), { status: 206, headers: { "content-range": range } });
  };
  return { read: createGuardedFetch({ allowLoopback: false, fetch }), seen };
}

const URL_OF_FILE = "https://files.example.com/dir/my%20file.bin?signature=1";
const probed = (file: Uint8Array<ArrayBuffer>, manner?: Manner) => probe(serve(file, manner).read, URL_OF_FILE);

// --- probing ----------------------------------------------------------------------------------------------------

const big = zeros(300_000);
test.for([
  ["a PNG", PNG, { kind: "image", mime: "image/png", width: 640, height: 480 }],
  ["a GIF", GIF, { kind: "gif", mime: "image/gif", width: 320, height: 200 }],
  ["a JPEG", jpeg(), { kind: "image", mime: "image/jpeg", width: 400, height: 300 }],
  ["a JPEG that EXIF turns", jpeg(exif(6)), { mime: "image/jpeg", width: 300, height: 400 }],
  ["a JPEG with a large profile", jpeg(padding(60_000), padding(60_000)), { width: 400, height: 300 }],
  ["a HEIC", ftyp("heic"), { kind: "image", mime: "image/heic" }],
  ["an AVIF", ftyp("avif"), { kind: "image", mime: "image/avif" }],
  ["a WebM", bytes(ascii("\x1a\x45\xdf\xa3"), ascii("....webm")), { kind: "video", mime: "video/webm" }],
  [
    "an MP4",
    bytes(ftyp("isom"), film, box("mdat", big)),
    { mime: "video/mp4", width: 1280, height: 720, durationSeconds: 12 },
  ],
  [
    "an MP4 with its header at the end",
    bytes(ftyp("mp42"), box("mdat", big), film),
    { width: 1280, durationSeconds: 12 },
  ],
  ["an MP4 with a 64-bit box", bytes(ftyp("mp42"), longBox("mdat", big), film), { width: 1280, durationSeconds: 12 }],
  [
    "a MOV that is turned",
    bytes(ftyp("qt  "), moov(longMvhd(3), box("trak", tkhd(1280, 720, QUARTER_TURN), hdlr("vide")))),
    { mime: "video/quicktime", width: 720, height: 1280, durationSeconds: 3 },
  ],
  [
    "a fragmented MP4",
    bytes(ftyp("iso5"), moov(mvhd(0), box("mvex", box("mehd", zeros(4), u32(5000))))),
    { durationSeconds: 5 },
  ],
  ["an MP4 that says little", bytes(ftyp("isom"), moov(mvhd(7))), { width: null, durationSeconds: 7 }],
] as const)("%s is known by its bytes", async ([, file, expected], { expect }) => {
  for (const ranges of [true, false]) {
    expect(await probed(file, { ranges })).toMatchObject({
      kind: "media",
      media: { ...expected, url: URL_OF_FILE, bytes: file.length },
    });
  }
});

test.for([
  ["a web page", ascii("<!DOCTYPE html><p>Sign in"), "a web page"],
  ["a PDF", ascii("%PDF-1.7 …"), "a PDF"],
  ["an SVG", ascii('<?xml version="1.0"?><svg>'), "an SVG"],
  ["anything else", ascii("hello"), "neither an image nor a video"],
  ["nothing", zeros(0), "is empty"],
  ["a video cut off before its header", bytes(ftyp("isom"), box("mdat", big)).slice(0, 200_000), "cut off or damaged"],
  ["sound only", bytes(ftyp("isom"), moov(mvhd(5), box("trak", tkhd(0, 0), hdlr("soun")))), "no video"],
] as const)("%s is refused by name", async ([, file, words], { expect }) => {
  const outcome = await probed(bytes(file));
  expect(outcome).toMatchObject({ kind: "refused", message: expect.stringContaining(words) });
  expect(outcome).toMatchObject({ message: expect.stringContaining("my file.bin") });
});

test("a big video is probed by little", async ({ expect }) => {
  const { read, seen } = serve(bytes(ftyp("isom"), box("mdat", zeros(5_000_000)), film));
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ kind: "media" });
  expect(seen.requests).toBeLessThanOrEqual(3);
  expect(seen.bytes).toBeLessThan(300_000);
});

test("boxes without end cost a bounded number of requests", async ({ expect }) => {
  const many = Array.from({ length: 100 }, () => box("free", zeros(70_000)));
  const { read, seen } = serve(bytes(ftyp("isom"), ...many));
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ kind: "refused" });
  expect(seen.requests).toBeLessThanOrEqual(12);
});

test("no bytes whatever make the probe throw", async ({ expect }) => {
  const starts = fc.constantFrom(
    PNG,
    GIF,
    jpeg(exif(6)),
    ftyp("isom"),
    bytes(ftyp("isom"), film),
    ascii("RIFF1234WEBPVP8X"),
  );
  await fc.assert(
    fc.asyncProperty(starts, fc.nat(60), fc.uint8Array({ maxLength: 80 }), async (start, keep, noise) => {
      const outcome = await probed(bytes(start.slice(0, keep), noise));
      expect(["media", "refused"]).toContain(outcome.kind);
    }),
  );
});

test("a file of unknown length is counted", async ({ expect }) => {
  expect(await probed(PNG, { ranges: false, length: false })).toMatchObject({ media: { bytes: PNG.length } });
});

test.for([404, 403, 500, 503])(
  "a server that answers %i is named with its status, and may recover",
  async (status, { expect }) => {
    const fetch = async () => new Response("no", { status });
    expect(await probe(createGuardedFetch({ allowLoopback: false, fetch }), URL_OF_FILE)).toEqual({
      kind: "unreachable",
      message: `my file.bin could not be read: its server answered with status ${status}.`,
    });
  },
);

test("a part is read with and without the server's help, and a short one is no success", async ({ expect }) => {
  const file = Uint8Array.from({ length: 50_000 }, (_, index) => index % 251);
  for (const ranges of [true, false]) {
    const { read } = serve(file, { ranges });
    expect(await readRange(read, URL_OF_FILE, 12_345, 34_567)).toEqual(file.slice(12_345, 34_567));
    expect(await readRange(read, URL_OF_FILE, 49_000, 51_000)).toMatchObject({ kind: "failed", reason: "rejected" });
  }
});

// --- the guard --------------------------------------------------------------------------------------------------

test.for([
  "https://files.example.com/a.jpg",
  "https://files.example.com:8443/a.jpg",
  "https://8.8.8.8/a.jpg",
  "https://[2606:4700::1111]/a.jpg",
  "https://bücher.example/a.jpg",
])("%s may be asked", (address, { expect }) => {
  expect(checkAddress(address, false)).toBeNull();
});

test.for([
  "http://files.example.com/a.jpg",
  "ftp://files.example.com/a.jpg",
  "file:///etc/passwd",
  "data:text/plain,hi",
  "//files.example.com/a.jpg",
  "https://user:word@files.example.com/",
  "https://files.example.com:22/",
  "https://localhost/",
  "https://localhost./",
  "https://app.localhost/",
  "https://router/",
  "https://printer.local/",
  "https://db.internal./",
  "https://nas.home.arpa/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://0/",
  "https://10.1.2.3/",
  "https://172.31.0.1/",
  "https://192.168.0.1/",
  "https://169.254.169.254/latest/meta-data",
  "https://100.64.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://１２７.0.0.1/",
  "https://[::1]/",
  "https://[::]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:8.8.8.8]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[ff02::1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:db8::1]/",
])("%s is never asked", async (address, { expect }) => {
  expect(checkAddress(address, false)).toMatch(/\.$/);
  const fetch = async () => {
    throw new Error("asked");
  };
  const read = createGuardedFetch({ allowLoopback: false, fetch });
  expect(await read(address, { maxBytes: 10, timeoutMs: 1000 })).toMatchObject({ kind: "refused" });
});

test("in development this machine may be asked, and no other private one", ({ expect }) => {
  for (const address of ["http://localhost:8788/a", "http://127.0.0.1:81/a", "https://[::1]:9/a"]) {
    expect(checkAddress(address, true)).toBeNull();
  }
  for (const address of ["http://files.example.com/", "http://10.0.0.1/", "https://192.168.0.1/", "http://0.0.0.0/"]) {
    expect(checkAddress(address, true)).not.toBeNull();
  }
});

test("any spelling of a private IPv4 address is refused", ({ expect }) => {
  const privates = fc.constantFrom([10, 0], [127, 0], [192, 168], [169, 254], [172, 16], [0, 0]);
  const spellings = fc.constantFrom(
    (value: number) => String(value),
    (value: number) => `0x${value.toString(16)}`,
    (value: number) => `0${value.toString(8)}`,
    (value: number) => [24, 16, 8, 0].map((shift) => `0x${((value >>> shift) & 255).toString(16)}`).join("."),
    (value: number) => `[::ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`,
  );
  fc.assert(
    fc.property(privates, fc.nat(0xffff), spellings, ([a = 0, b = 0], rest, spell) => {
      const value = a * 2 ** 24 + b * 2 ** 16 + rest;
      expect(checkAddress(`https://${spell(value)}/`, false)).not.toBeNull();
    }),
  );
});

test("a redirect is followed three times, and never to where we would not ask", async ({ expect }) => {
  const asked: string[] = [];
  const to = (targets: Readonly<Record<string, string>>) =>
    createGuardedFetch({
      allowLoopback: false,
      fetch: async (input) => {
        const address = String(input);
        asked.push(address);
        const location = targets[address];
        return location ? new Response(null, { status: 302, headers: { location } }) : new Response("here");
      },
    });
  const request = { maxBytes: 10, timeoutMs: 1000 };
  const good = to({ "https://a.example/": "/b", "https://a.example/b": "https://c.example/" });
  expect(await good("https://a.example/", request)).toMatchObject({ kind: "ok", status: 200 });
  const bad = to({ "https://a.example/": "https://169.254.169.254/" });
  expect(await bad("https://a.example/", request)).toMatchObject({ kind: "refused" });
  const endless = to({ "https://a.example/": "https://a.example/" });
  asked.length = 0;
  expect(await endless("https://a.example/", request)).toMatchObject({ kind: "failed" });
  expect(asked).toHaveLength(4);
});

test("time and size are bounded while the body streams", async ({ expect }) => {
  const drip = createGuardedFetch({
    allowLoopback: false,
    fetch: async () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(ascii("x")) })),
  });
  expect(await drip("https://a.example/", { maxBytes: 10, timeoutMs: 50 })).toMatchObject({ kind: "failed" });
  const { read, seen } = serve(zeros(1_000_000), { ranges: false, length: false });
  expect(await read("https://a.example/", { maxBytes: 1000, timeoutMs: 1000 })).toMatchObject({ kind: "failed" });
  expect(seen.bytes).toBeLessThan(100_000);
});

// --- rules ------------------------------------------------------------------------------------------------------

function rulesOf(rules: TypeRules | undefined): TypeRules {
  if (!rules) throw new Error("no such type");
  return rules;
}
const FACEBOOK = rulesOf(facebook.rules({}).post);
const REEL = rulesOf(facebook.rules({}).reel);
const TWEET = rulesOf(twitter.rules({}).tweet);
const THREAD = rulesOf(twitter.rules({}).thread);
const item = (text: string, ...media: readonly Media[]) => ({ text, media });
const gif: Media = { ...image("wow.gif"), kind: "gif", mime: "image/gif" };

test("what fits is not complained about", ({ expect }) => {
  expect(contentProblems(FACEBOOK, [item("hi", image("a.jpg"), gif)])).toEqual([]);
  expect(contentProblems(REEL, [item("hi", { ...video("r.mp4"), width: 1080, height: 1920 })])).toEqual([]);
  expect(contentProblems(TWEET, [item("hi", image("a"), image("b"), image("c"), image("d"))])).toEqual([]);
});

test("a problem names the file, what it is and what is allowed", ({ expect }) => {
  const heic = { ...image("IMG_1.heic"), mime: "image/heic" };
  expect(fileProblems(FACEBOOK.files, heic)).toEqual([
    "IMG_1.heic is a HEIC file; allowed here: JPEG, PNG, BMP and TIFF.",
  ]);
  expect(fileProblems(REEL.files, image("a.jpg"))).toEqual(["a.jpg is a JPEG file; allowed here: MP4."]);
  const huge = { ...image("a.jpg"), bytes: 6 * 1024 * 1024 };
  expect(fileProblems(TWEET.files, huge)).toEqual(["a.jpg has 6 MB; at most 5 MB are allowed."]);
  const long = { ...video("v.mp4"), durationSeconds: 200, width: 1280, height: 720 };
  expect(fileProblems(TWEET.files, long)).toEqual(["v.mp4 lasts 200 s; at most 140 s are allowed."]);
  const wide = { ...video("r.mp4"), width: 1920, height: 1080 };
  expect(fileProblems(REEL.files, wide)).toEqual([
    "r.mp4 is 1920×1080 pixels, a ratio of 1.78 (width to height); 0.55 to 0.57 is allowed.",
  ]);
});

test("counts and mixtures are told once each", ({ expect }) => {
  expect(mediaCountProblems(REEL.media, 0)).toEqual([
    "0 media files given; a post of this kind takes exactly 1 (videos).",
  ]);
  expect(mediaCountProblems(TWEET.media, 5)).toHaveLength(1);
  const mixed = { ...video("v.mp4"), width: 640, height: 360 };
  expect(contentProblems(TWEET, [item("x", image("a.jpg"), mixed)])).toEqual([
    "v.mp4: a video cannot be posted together with images.",
  ]);
  expect(contentProblems(TWEET, [item("x", gif, gif)])).toEqual(["2 GIFs given; at most 1 can be posted."]);
});

test("texts are measured as the platform does, per item of a thread", ({ expect }) => {
  expect(textProblems(FACEBOOK.text, "x".repeat(63_207))).toEqual([
    "The text has 63,207 characters; 63,206 are allowed.",
  ]);
  expect(contentProblems(THREAD, [item("fine"), item("日".repeat(141))])).toEqual([
    "Item 2: The text has 282 characters as X counts them; 280 are allowed.",
  ]);
});
