import fc from "fast-check";
import { test } from "vitest";
import { contentProblems, fileProblems, mediaCountProblems, textProblems } from "../../src/media/check.ts";
import { createGuardedFetch } from "../../src/media/guarded-fetch.ts";
import { readMovie } from "../../src/media/movie.ts";
import { Parts, TooManyParts } from "../../src/media/parts.ts";
import { imageSize } from "../../src/media/picture.ts";
import { probe } from "../../src/media/probe.ts";
import { facebook } from "../../src/platforms/facebook/index.ts";
import type { Media, TypeRules } from "../../src/platforms/rules.ts";
import { twitter } from "../../src/platforms/twitter/index.ts";
import { image, video } from "../scripted-send.ts";
import {
  ascii,
  box,
  bytes,
  exif,
  ftyp,
  GIF,
  hdlr,
  jpeg,
  longBox,
  longMvhd,
  type Manner,
  moov,
  movieBox,
  mvhd,
  PNG,
  padding,
  QUARTER_TURN,
  serve,
  tkhd,
  URL_OF_FILE,
  u16,
  u32,
  zeros,
} from "../support/media-files.ts";

const MB = 1024 * 1024;
const probed = (file: Uint8Array<ArrayBuffer>, manner?: Manner) => probe(serve(file, manner).read, URL_OF_FILE);

const big = zeros(300_000);
test.for([
  ["a PNG", PNG, { kind: "image", mime: "image/png", width: 640, height: 480 }],
  ["a GIF", GIF, { kind: "gif", mime: "image/gif", width: 320, height: 200 }],
  ["a JPEG", jpeg(), { kind: "image", mime: "image/jpeg", width: 400, height: 300 }],
  ["a JPEG that EXIF turns", jpeg(exif(6)), { mime: "image/jpeg", width: 300, height: 400 }],
  ["a JPEG with a large profile", jpeg(padding(60_000), padding(60_000)), { width: 400, height: 300 }],
  [
    "an MP4",
    bytes(ftyp("isom"), movieBox, box("mdat", big)),
    { mime: "video/mp4", width: 1280, height: 720, durationSeconds: 12 },
  ],
  [
    "an MP4 with its header at the end",
    bytes(ftyp("mp42"), box("mdat", big), movieBox),
    { width: 1280, durationSeconds: 12 },
  ],
  [
    "an MP4 with a 64-bit box",
    bytes(ftyp("mp42"), longBox("mdat", big), movieBox),
    { width: 1280, durationSeconds: 12 },
  ],
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
  [
    "an MP4 that lasts nothing",
    bytes(ftyp("isom"), moov(mvhd(0), box("trak", tkhd(640, 360), hdlr("vide")))),
    { width: 640, durationSeconds: null },
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
  [
    "a video cut off before its header",
    bytes(ftyp("isom"), box("mdat", big)).slice(0, 200_000),
    "fewer bytes than its header states",
  ],
  [
    "a video cut off behind its header",
    bytes(ftyp("isom"), movieBox, box("mdat", big)).slice(0, 200_000),
    "is cut off",
  ],
  ["a JPEG without a picture", jpeg().slice(0, 2), "neither an image"],
  ["a JPEG cut off before its size", jpeg(exif(1)).slice(0, 30), "a JPEG image that is cut off or damaged"],
  ["a JPEG of something else", bytes(u16(0xffd8), u16(0xff00), zeros(100)), "a JPEG image that is cut off or damaged"],
  ["a PNG cut off", PNG.slice(0, 20), "a PNG image that is cut off or damaged"],
  ["a GIF cut off", GIF.slice(0, 8), "a GIF that is cut off or damaged"],
  ["a BMP cut off", ascii("BM......"), "a BMP image that is cut off or damaged"],
  ["a WebP of nothing", ascii("RIFF....WEBPJUNK"), "a WebP image that is cut off or damaged"],
  ["a PNG of no size", bytes(PNG.slice(0, 16), zeros(20)), "a PNG image without a picture"],
  ["a HEIC of a beginning only", ftyp("heic"), "cut off or damaged"],
  ["an AVIF of a beginning only", ftyp("avif"), "cut off or damaged"],
  ["a WebM of a beginning only", ascii("\x1a\x45\xdf\xa3....webm"), "cut off or damaged"],
  ["sound only", bytes(ftyp("isom"), moov(mvhd(5), box("trak", tkhd(0, 0), hdlr("soun")))), "no video"],
] as const)("%s is refused by name", async ([, file, words], { expect }) => {
  const outcome = await probed(bytes(file));
  expect(outcome).toMatchObject({
    kind: "refused",
    code: "media_invalid",
    message: expect.stringContaining(words),
  });
  expect(outcome).toMatchObject({ message: expect.stringContaining("my file.bin") });
});

test.for([
  [0.5, 300],
  [1.2, 300],
  [1.9, 300],
  [3, null],
] as const)(
  "a JPEG with %d MB before its size is read as far as that is, within bounds",
  async ([mb, width], { expect }) => {
    const blocks = Array.from({ length: Math.ceil((mb * MB) / 60_000) }, () => padding(60_000));
    const file = bytes(jpeg(exif(6), ...blocks), zeros(9 * MB));
    const { read, seen } = serve(file);
    const outcome = await probe(read, URL_OF_FILE);
    expect(outcome).toMatchObject({ kind: "media", media: { width } });
    expect(seen.requests).toBeLessThanOrEqual(4);
    expect(seen.bytes).toBeLessThan((mb <= 1 ? 1.1 : 2.1) * MB);
  },
);

test("a big video is probed by little", async ({ expect }) => {
  const { read, seen } = serve(bytes(ftyp("isom"), box("mdat", zeros(5_000_000)), movieBox));
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

test("a picture with thousands of EXIF blocks, and a video of thousands of tracks, cost no more than others", ({
  expect,
}) => {
  // Each block points at the same directory of 65,535 entries: read each time, that is a hundred billion
  // of them.
  const count = 1_500_000;
  const template = bytes(u16(0xffe1), u16(16), ascii("Exif\0\0"), ascii("MM"), u16(42), u32(0));
  const blocks = zeros(count * template.length);
  const view = new DataView(blocks.buffer);
  for (let index = 0; index < count; index++) {
    blocks.set(template, index * template.length);
    view.setUint32(index * template.length + 14, (count - index) * template.length - 10);
  }
  const file = bytes(u16(0xffd8), blocks, u16(0xffff), zeros(65_535 * 12));
  expect(() => imageSize("image/jpeg", file)).toThrow(TooManyParts);
  expect(imageSize("image/jpeg", file, new Parts(2_000_000))).toBeNull();
  const tracks = zeros(8 * 250_000);
  for (let at = 0; at < tracks.length; at += 8) tracks.set(box("trak"), at);
  const movieBox = readMovie(bytes(mvhd(7), box("trak", tkhd(1280, 720), hdlr("vide")), tracks));
  expect(movieBox).toEqual({ durationSeconds: 7, size: { width: 1280, height: 720 }, hasVideo: true });
});

test("no bytes whatever make the probe throw", async ({ expect }) => {
  const starts = fc.constantFrom(
    PNG,
    GIF,
    jpeg(exif(6)),
    ftyp("isom"),
    bytes(ftyp("isom"), movieBox),
    ascii("RIFF1234WEBPVP8X"),
  );
  await fc.assert(
    fc.asyncProperty(starts, fc.nat(60), fc.uint8Array({ maxLength: 80 }), async (start, keep, noise) => {
      const outcome = await probed(bytes(start.slice(0, keep), noise));
      expect(["media", "refused"]).toContain(outcome.kind);
    }),
  );
});

test.for([404, 403, 500, 503])(
  "a server that answers %i is named with its status, and may recover",
  async (status, { expect }) => {
    const fetch = async () => new Response("no", { status });
    expect(await probe(createGuardedFetch({ allowLoopback: false, fetch }), URL_OF_FILE)).toEqual({
      kind: "unreachable",
      code: "media_unreachable",
      message: `my file.bin could not be read: its server answered with status ${status}.`,
      check: { kind: "status", parts: ["my file.bin", status] },
    });
  },
);

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

const messagesOf = (...file: Parameters<typeof fileProblems>) => fileProblems(...file).map(({ message }) => message);

test("a problem names the file, what it is and what is allowed", ({ expect }) => {
  const heic = { ...image("IMG_1.heic"), mime: "image/heic" };
  expect(messagesOf(FACEBOOK.files, heic)).toEqual([
    "IMG_1.heic is a HEIC file; allowed here: JPEG, PNG, BMP and TIFF.",
  ]);
  expect(messagesOf(REEL.files, image("a.jpg"))).toEqual(["a.jpg is a JPEG file; allowed here: MP4."]);
  const huge = { ...image("a.jpg"), bytes: 6 * 1024 * 1024 };
  expect(messagesOf(TWEET.files, huge)).toEqual(["a.jpg has 6 MB; at most 5 MB are allowed."]);
  const tiny = { ...video("v.mp4"), bytes: 60 * 1024 };
  expect(messagesOf({ video: { mimes: ["video/mp4"], minBytes: 75 * 1024, maxBytes: 500 } }, tiny)).toEqual([
    "v.mp4 has 60 KB; at least 75 KB are needed.",
  ]);
  const vast = { ...image("a.jpg"), bytes: 1, width: 4001, height: 3000 };
  expect(messagesOf({ image: { mimes: ["image/jpeg"], maxBytes: 5, maxPixels: 12_000_000 } }, vast)).toEqual([
    "a.jpg is 4001×3000 pixels; at most 12,000,000 pixels altogether are allowed.",
  ]);
  for (const [width, height, found] of [
    [1400, 1400, ["a.jpg is 1400×1400 pixels; at most 1,080 on the shorter side are allowed."]],
    [1086, 1448, ["a.jpg is 1086×1448 pixels; at most 1,080 on the shorter side are allowed."]],
    [1920, 1080, []],
    [1080, 1920, []],
  ] as const) {
    const sized = { ...image("a.jpg"), bytes: 1, width, height };
    expect(messagesOf({ image: { mimes: ["image/jpeg"], maxBytes: 5, maxShortSide: 1080 } }, sized)).toEqual(found);
  }
  const long = { ...video("v.mp4"), durationSeconds: 200, width: 1280, height: 720 };
  expect(messagesOf(TWEET.files, long)).toEqual(["v.mp4 lasts 200 s; at most 140 s are allowed."]);
  const wide = { ...video("r.mp4"), width: 1920, height: 1080 };
  expect(messagesOf(REEL.files, wide)).toEqual([
    "r.mp4 is 1920×1080 pixels, a ratio of 1.78 (width to height); 0.55 to 0.57 is allowed.",
  ]);
});

test("counts and mixtures are reported once each", ({ expect }) => {
  expect(mediaCountProblems("media_urls", REEL.media, 0)).toEqual([
    {
      message: "media_urls must have exactly 1 media file (videos) in a post of this type, not 0.",
      check: { kind: "min_files", limit: 1 },
    },
  ]);
  expect(mediaCountProblems("media_urls", TWEET.media, 5)).toHaveLength(1);
  const mixed = { ...video("v.mp4"), width: 640, height: 360 };
  expect(contentProblems(TWEET, [item("x", image("a.jpg"), mixed)])).toEqual([
    {
      code: "media_invalid",
      message: "v.mp4: a video cannot be posted together with images.",
      check: { kind: "kept_apart", parts: ["v.mp4"] },
    },
  ]);
  expect(contentProblems(TWEET, [item("x", gif, gif)])).toEqual([
    {
      code: "media_invalid",
      message: "The post must have at most 1 GIF, not 2.",
      check: { kind: "most_of_kind", parts: [1, "gif", 2] },
    },
  ]);
  expect(contentProblems(REEL, [item("x")])).toEqual([expect.objectContaining({ code: "content_invalid" })]);
});

test("texts are measured as the platform does, per item of a thread", ({ expect }) => {
  expect(textProblems("caption_text", FACEBOOK.text, "x".repeat(63_207))).toEqual([
    {
      message: "caption_text must have at most 63,206 characters, not 63,207.",
      check: { kind: "max_length", limit: 63_206 },
    },
  ]);
  expect(contentProblems(THREAD, [item("fine"), item("日".repeat(141))])).toEqual([
    {
      code: "content_invalid",
      message: "Item 2: The text must have at most 280 characters as X counts them, not 282.",
      check: { kind: "max_length", limit: 280 },
    },
  ]);
});
