import fc from "fast-check";
import { test } from "vitest";
import { probe } from "../../src/media/probe.ts";
import {
  ascii,
  box,
  bytes,
  cluster,
  duration,
  ebmlHead,
  element,
  exif,
  f64,
  ftyp,
  hdlr,
  info,
  irot,
  ispe,
  jpeg,
  type Manner,
  moov,
  openElement,
  pictureMeta,
  type ServedFile,
  serve,
  sparse,
  tiff,
  tkhd,
  track,
  tracks,
  URL_OF_FILE,
  u16,
  u32,
  videoTrack,
  webm,
  zeros,
} from "../support/media-files.ts";
import {
  AVIF,
  BIG_ENDIAN_TIFF,
  HEIC,
  LIVE_WEBM,
  MATROSKA,
  MOVING_AVIF,
  TIFF,
  TURNED_AVIF,
  TURNED_TIFF,
  WEBM,
  WEBM_SOUND,
} from "../support/media-samples.ts";

/** What TIFF, HEIC, AVIF, WebM and Matroska files say of themselves, and what the worst of them may cost. */
const MB = 1024 * 1024;

async function probed(file: ServedFile, manner?: Manner) {
  const { read, seen } = serve(file, manner);
  return { outcome: await probe(read, URL_OF_FILE), seen };
}

const SAMPLES = [
  ["a TIFF", TIFF, { kind: "image", mime: "image/tiff", width: 40, height: 24 }],
  ["a TIFF of the other byte order", BIG_ENDIAN_TIFF, { mime: "image/tiff", width: 40, height: 24 }],
  ["a TIFF that is turned", TURNED_TIFF, { mime: "image/tiff", width: 24, height: 40 }],
  ["a HEIC", HEIC, { kind: "image", mime: "image/heic", width: 40, height: 24 }],
  ["an AVIF", AVIF, { kind: "image", mime: "image/avif", width: 40, height: 24 }],
  ["an AVIF that is cropped and turned", TURNED_AVIF, { mime: "image/avif", width: 10, height: 20 }],
  ["a moving AVIF", MOVING_AVIF, { kind: "image", mime: "image/avif", width: 40, height: 24 }],
  ["a WebM", WEBM, { kind: "video", mime: "video/webm", width: 64, height: 48, durationSeconds: 1.5 }],
  ["a WebM written live", LIVE_WEBM, { mime: "video/webm", width: 64, height: 48, durationSeconds: 1.8 }],
  ["a Matroska", MATROSKA, { kind: "video", mime: "video/x-matroska", width: 64, height: 48, durationSeconds: 0.5 }],
] as const;

test.for(SAMPLES)("%s is known by its bytes, with its size as shown", async ([, file, expected], { expect }) => {
  for (const ranges of [true, false]) {
    expect((await probed(file, { ranges })).outcome).toMatchObject({
      kind: "media",
      media: { durationSeconds: null, ...expected, bytes: file.length },
    });
  }
});

test("the directory of a TIFF is found behind a large picture, by two requests", async ({ expect }) => {
  const [WIDTH, HEIGHT] = [0x100, 0x101];
  const length = 20 * MB;
  const directory = tiff([
    [WIDTH, 6000],
    [HEIGHT, 4000],
  ]).subarray(8);
  const file = sparse(bytes(ascii("MM\0*"), u32(length - directory.length)), length, directory);
  const { outcome, seen } = await probed(file);
  expect(outcome).toMatchObject({ media: { width: 6000, height: 4000 } });
  expect(seen).toMatchObject({ requests: 2 });
  expect(seen.bytes).toBeLessThan(200_000);
});

const heic = (brand: string, meta: Uint8Array) => bytes(ftyp(brand), meta, box("mdat", zeros(50)));
/** As phones write them: tiles, the picture made of them, a preview. */
const phone = (...more: readonly Uint8Array[]) => [ispe(512, 512), ispe(4032, 3024), ispe(320, 240), ...more];
test.for([
  ["the primary item, not the largest", pictureMeta(3, phone(), [{ id: 3, properties: [3] }]), 320, 240],
  [
    "a photo among its tiles, turned by a phone",
    pictureMeta(49, phone(irot(3)), [
      { id: 1, properties: [1, 4] },
      { id: 49, properties: [2, 4] },
    ]),
    3024,
    4032,
  ],
  [
    "a turn by a half, of a property that readers must know",
    pictureMeta(1, phone(irot(2)), [{ id: 1, properties: [2, 0x84] }]),
    4032,
    3024,
  ],
  [
    "a crop that is none",
    pictureMeta(1, phone(box("clap", u32(9), u32(0), zeros(24))), [{ id: 1, properties: [2, 4] }]),
    4032,
    3024,
  ],
] as const)("the size of a HEIC is that of %s", async ([, meta, width, height], { expect }) => {
  expect((await probed(heic("heic", meta))).outcome).toMatchObject({ media: { width, height } });
});

test("many tiles make properties that are numbered in two bytes", async ({ expect }) => {
  const properties = [...Array.from({ length: 300 }, () => box("hvcC", zeros(20))), ispe(8000, 6000)];
  const association = box("ipma", u32(1), u32(1), u16(7), new Uint8Array([1]), u16(0x8000 + 301));
  const meta = box(
    "meta",
    zeros(4),
    box("pitm", zeros(4), u16(7)),
    box("iprp", box("ipco", ...properties), association),
  );
  expect((await probed(heic("heic", meta))).outcome).toMatchObject({ media: { width: 8000, height: 6000 } });
});

test("a sequence of pictures may be a video only, and a picture may name its coding among its other brands", async ({
  expect,
}) => {
  const pictures = bytes(ftyp("msf1"), moov(box("trak", tkhd(800, 600), hdlr("pict"))));
  expect((await probed(pictures)).outcome).toMatchObject({ media: { mime: "image/heic", width: 800, height: 600 } });
  const start = box("ftyp", ascii("mif1"), zeros(4), ascii("mif1miafavif"));
  const file = bytes(start, pictureMeta(1, [ispe(800, 600)], [{ id: 1, properties: [1] }]));
  expect((await probed(file)).outcome).toMatchObject({ media: { mime: "image/avif", width: 800, height: 600 } });
});

const lasting = info(duration(7000));
const number = (id: number, value: number) => element(id, u16(value));
const CROP_LEFT = 0x54cc;
const CROP_BOTTOM = 0x54aa;
const [DISPLAY_WIDTH, DISPLAY_HEIGHT, DISPLAY_UNIT] = [0x54b0, 0x54ba, 0x54b2];
const roll = (degrees: number) => element(0x7670, element(0x7675, f64(degrees)));
test.for([
  ["pixels", videoTrack(640, 360), 640, 360],
  ["what is left of a crop", videoTrack(640, 360, number(CROP_LEFT, 40), number(CROP_BOTTOM, 10)), 600, 350],
  [
    "pixels that are not square",
    videoTrack(720, 576, number(DISPLAY_WIDTH, 1024), number(DISPLAY_HEIGHT, 576)),
    1024,
    576,
  ],
  [
    "a ratio",
    videoTrack(720, 576, number(DISPLAY_WIDTH, 16), number(DISPLAY_HEIGHT, 9), number(DISPLAY_UNIT, 3)),
    1024,
    576,
  ],
  [
    "centimetres",
    videoTrack(640, 360, number(DISPLAY_WIDTH, 16), number(DISPLAY_HEIGHT, 9), number(DISPLAY_UNIT, 1)),
    640,
    360,
  ],
  ["a video that is turned", videoTrack(640, 360, roll(-90)), 360, 640],
  ["a video on its head", videoTrack(640, 360, roll(180)), 640, 360],
  ["the larger one of two", bytes(track(2), videoTrack(64, 36), videoTrack(640, 360)), 640, 360],
] as const)("the size of a WebM is %s", async ([, entries, width, height], { expect }) => {
  const { outcome } = await probed(webm(lasting, tracks(entries), cluster(0, 0)));
  expect(outcome).toMatchObject({ media: { width, height, durationSeconds: 7 } });
});

test("a WebM is read wherever its parts stand, and by little", async ({ expect }) => {
  const TAGS = 0x1254c367;
  const TICKS_OF_A_SECOND = element(0x2ad7b1, u32(1_000_000_000));
  const clips = [
    webm(element(TAGS, zeros(300_000)), tracks(videoTrack(64, 48)), info(TICKS_OF_A_SECOND, duration(7))),
    bytes(ebmlHead, openElement(0x18538067, element(0xec, zeros(100)), lasting, tracks(videoTrack(64, 48)))),
  ];
  for (const clip of clips) {
    const { outcome, seen } = await probed(clip);
    expect(outcome).toMatchObject({ media: { width: 64, height: 48, durationSeconds: 7 } });
    expect(seen.bytes).toBeLessThan(200_000);
  }
});

test("a recording without a duration lasts as long as from its first cluster to its last frame", async ({ expect }) => {
  const start = bytes(ebmlHead, openElement(0x18538067, info(), tracks(videoTrack(1280, 720)), cluster(3_600_000, 0)));
  const length = 400 * MB;
  const last = cluster(3_675_000, 0, 1500, 1200);
  // Bytes like the beginning of a cluster, in a frame.
  const odd = element(0xa3, new Uint8Array([0x81, 0, 0, 0]), u32(0x1f43b675), u32(0x1f43b675), zeros(20));
  const { outcome, seen } = await probed(sparse(start, length, bytes(last, odd)));
  expect(outcome).toMatchObject({ media: { width: 1280, durationSeconds: 76.5 } });
  expect(seen.requests).toBeLessThanOrEqual(3);
  expect(seen.bytes).toBeLessThan(3 * MB);
  const unknown = await probed(sparse(start, length));
  expect(unknown.outcome).toMatchObject({ kind: "media", media: { width: 1280, durationSeconds: null } });
});

test.for([0, -5, Number.NaN, Number.POSITIVE_INFINITY])("a duration of %d is none", async (ticks, { expect }) => {
  const { outcome } = await probed(webm(info(duration(ticks)), tracks(videoTrack(64, 48))));
  expect(outcome).toMatchObject({ kind: "media", media: { width: 64, durationSeconds: null } });
});

test.for([
  ["a WebM of sound", WEBM_SOUND, "has sound but no video"],
  ["a WebM without tracks", webm(lasting, cluster(0, 0)), "cut off or damaged"],
  ["a WebM cut off in its tracks", WEBM.slice(0, 300), "cut off: it has fewer bytes"],
  ["a WebM of no size", webm(lasting, tracks(videoTrack(0, 0))), "a WebM video without a picture"],
  ["a TIFF cut off before its directory", TIFF.slice(0, 100), "a TIFF image that is cut off or damaged"],
  ["a TIFF whose directory is nowhere", bytes(ascii("II*\0"), u32(0xffffffff)), "cut off or damaged"],
  ["a TIFF that does not tell its height", tiff([[0x100, 640]]), "cut off or damaged"],
  ["a HEIC cut off before its header", HEIC.slice(0, 200), "a HEIC image that is cut off"],
  ["a HEIC whose picture has no size", heic("heic", pictureMeta(1, [], [])), "cut off or damaged"],
  ["an AVIF of nothing", ftyp("avif"), "an AVIF image that is cut off or damaged"],
] as const)("%s is refused by name", async ([, file, words], { expect }) => {
  for (const ranges of [true, false]) {
    const { outcome } = await probed(file, { ranges });
    expect(outcome).toMatchObject({
      kind: "refused",
      code: "media_invalid",
      message: expect.stringContaining(words),
    });
  }
});

const times = (count: number, part: Uint8Array) => {
  const whole = zeros(count * part.length);
  for (let index = 0; index < count; index += 1) whole.set(part, index * part.length);
  return whole;
};
const nested = (depth: number) => {
  const whole = zeros(depth * 8);
  for (let level = 0; level < depth; level += 1) {
    whole.set(bytes(u32((depth - level) * 8), ascii("trak")), level * 8);
  }
  return whole;
};
const [CUES, SEEK_HEAD, VOID] = [0x1c53bb6b, 0x114d9b74, 0xec];
const seek = element(0x4dbb, element(0x53ab, u32(SEEK_HEAD)), element(0x53ac, u32(40)));
/** Each would take minutes, or all memory, of a reader that follows what it says. */
const HOSTILE = [
  ["elements without end", bytes(ebmlHead, openElement(0x18538067, times(100, element(VOID, zeros(70_000)))))],
  ["a million elements", webm(times(400_000, element(VOID)))],
  ["a thousand facts", webm(times(100_000, info()))],
  ["a seek head that leads to itself, repeatedly", webm(element(SEEK_HEAD, times(100_000, seek)))],
  ["cues of one moment", webm(element(CUES, times(300_000, element(0xbb))), tracks())],
  ["a hundred thousand tracks", webm(lasting, tracks(times(100_000, videoTrack(0, 0))))],
  ["an element that claims 2^56 bytes", webm(bytes(u32(SEEK_HEAD), new Uint8Array([1]), zeros(7).fill(0xfe)))],
  ["a half million sizes", heic("heic", box("meta", zeros(4), box("iprp", box("ipco", times(500_000, ispe(1, 1))))))],
  [
    "four billion items",
    heic(
      "heic",
      box(
        "meta",
        zeros(4),
        box("pitm", zeros(4), u16(1)),
        box("iprp", box("ipma", zeros(4), u32(0xffffffff), zeros(MB))),
      ),
    ),
  ],
  ["boxes in boxes", bytes(ftyp("heic"), nested(500_000))],
  ["a video of boxes in boxes", bytes(ftyp("isom"), box("moov", nested(250_000)), box("free"))],
  ["a directory of 65,535 entries", bytes(ascii("MM\0*"), u32(8), u16(65_535), zeros(65_535 * 12))],
  ["a directory that is its own header", bytes(ascii("II*\0"), zeros(200_000))],
  ["a JPEG of EXIF blocks", jpeg(times(150_000, exif(6))).subarray(0, 5 * MB - 1)],
] as const;

test.for(HOSTILE)("%s: an end soon, in few requests", async ([, file], { expect }) => {
  for (const ranges of [true, file.length > 5 * MB]) {
    const { outcome, seen } = await probed(file, { ranges });
    if (outcome.kind === "media") expect(outcome.media.durationSeconds).toBeNull();
    else expect(outcome).toMatchObject({ kind: "refused", message: expect.stringMatching(/^my file\.bin .{20,}\.$/) });
    expect(seen.requests).toBeLessThanOrEqual(12);
    expect(seen.bytes).toBeLessThan(8 * MB);
  }
});

test("no cut and no changed byte of a real file makes the probe throw", async ({ expect }) => {
  const change = fc.record({ at: fc.nat(3000), value: fc.nat(255) });
  const files = fc.constantFrom(...SAMPLES.map(([, file]) => file), WEBM_SOUND);
  await fc.assert(
    fc.asyncProperty(files, fc.nat(3000), fc.array(change, { maxLength: 4 }), async (file, end, changes) => {
      const copy = file.slice(0, Math.max(1, end));
      for (const { at, value } of changes) copy.fill(value, at, at + 1);
      const { outcome, seen } = await probed(copy);
      expect(["media", "refused"]).toContain(outcome.kind);
      expect(seen.requests).toBeLessThanOrEqual(12);
    }),
    { numRuns: 300 },
  );
});
