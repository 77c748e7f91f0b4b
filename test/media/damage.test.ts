import fc from "fast-check";
import { test } from "vitest";
import { probe } from "../../src/media/probe.ts";
import {
  ascii,
  box,
  bytes,
  exif,
  ftyp,
  GIF,
  jpeg,
  PNG,
  padding,
  serve,
  sparse,
  u16,
  u32,
  zeros,
} from "../support/media-files.ts";

/** Pictures that are cut off or damaged, and pictures that only look so. */
const MB = 1024 * 1024;
const URL_OF_FILE = "https://files.example.com/a.bin";
const JPEG = jpeg(exif(1));
const probed = (file: Uint8Array<ArrayBuffer>) => probe(serve(file).read, URL_OF_FILE);

test("no cut of a JPEG, PNG or GIF is taken", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(JPEG, PNG, GIF),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (file, at) => {
        const outcome = await probed(file.slice(0, Math.floor(file.length * at)));
        expect(outcome.kind).toBe("refused");
      },
    ),
  );
});

test("bytes after the end are allowed, as those of a phone's video", async ({ expect }) => {
  for (const file of [JPEG, PNG, GIF]) {
    for (const rest of [zeros(1000), bytes(ftyp("isom"), box("mdat", zeros(70_000)))]) {
      expect(await probed(bytes(file, rest))).toMatchObject({ kind: "media" });
    }
  }
});

test("the end of a large JPEG before a large video is found, within the limits of a file", async ({ expect }) => {
  const data = zeros(2 * MB).fill(0x55);
  const still = bytes(JPEG.slice(0, -2), data, u16(0xffd9));
  const file = bytes(still, ftyp("isom"), box("mdat", zeros(2 * MB)));
  const { read, seen } = serve(file);
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ kind: "media" });
  expect(seen.requests).toBeLessThanOrEqual(12);
  expect(seen.bytes).toBeLessThan(8 * MB);
  const cut = await probed(bytes(still.slice(0, -2), ftyp("isom")));
  expect(cut).toMatchObject({ kind: "refused", check: { kind: "damaged" } });
});

test("of a large whole picture only the beginning and the end are read", async ({ expect }) => {
  const length = 6 * MB;
  const { read, seen } = serve(sparse(JPEG.slice(0, -2), length, u16(0xffd9)));
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ kind: "media", media: { bytes: length } });
  expect(seen).toMatchObject({ requests: 2 });
  expect(seen.bytes).toBeLessThan(150_000);
});

test("bytes between the segments of a JPEG are skipped, as decoders do", async ({ expect }) => {
  for (const stray of [ascii("sixteen bytes..."), zeros(3), bytes(u16(0xff00), ascii("x")), zeros(4).fill(0xff)]) {
    expect(await probed(jpeg(padding(4), stray, exif(6), stray))).toMatchObject({ media: { width: 300, height: 400 } });
  }
});

test("an OS/2 bitmap has sides of 16 bits", async ({ expect }) => {
  const le16 = (value: number) => new Uint8Array([value & 255, value >> 8]);
  const le32 = (value: number) => bytes(le16(value & 0xffff), le16(value >>> 16));
  const header = bytes(ascii("BM"), zeros(8), le32(26), le32(12), le16(127), le16(64), le16(1), le16(8));
  expect(await probed(bytes(header, zeros(128 * 64)))).toMatchObject({ media: { width: 127, height: 64 } });
  expect(await probed(bytes(header, zeros(128 * 40)))).toMatchObject({ check: { kind: "damaged" } });
});

test("a PNG that promises more pixels than are decompressed at once is not decompressed", async ({ expect }) => {
  const { read, seen } = serve(PNG);
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ kind: "media" });
  expect(seen.requests).toBe(1);
});

test("a fragmented MP4 lasts as long as its fragments, also if only its end is read", async ({ expect }) => {
  const [timescale, frames, ticks] = [1000, 30, 100];
  const trak = box(
    "trak",
    box(
      "tkhd",
      zeros(12),
      u32(1),
      zeros(24),
      u32(0x10000),
      zeros(12),
      u32(0x10000),
      zeros(12),
      u32(0x40000000),
      u32(640 << 16),
      u32(360 << 16),
    ),
    box("mdia", box("mdhd", zeros(12), u32(timescale), zeros(8)), box("hdlr", zeros(8), ascii("vide"), zeros(12))),
  );
  const trex = box("trex", zeros(4), u32(1), u32(1), u32(ticks), zeros(8));
  const moov = box("moov", box("mvhd", zeros(12), u32(timescale), u32(0), zeros(80)), trak, box("mvex", trex));
  const fragment = (start: number, data: number) =>
    bytes(
      box(
        "moof",
        box("mfhd", zeros(4), u32(1)),
        box("traf", box("tfhd", zeros(4), u32(1)), box("tfdt", zeros(4), u32(start)), box("trun", u32(0), u32(frames))),
      ),
      box("mdat", zeros(data)),
    );
  const step = frames * ticks;
  const small = bytes(ftyp("iso5"), moov, fragment(0, 100), fragment(step, 100));
  expect(await probed(small)).toMatchObject({ media: { durationSeconds: 6 } });
  const large = bytes(ftyp("iso5"), moov, fragment(5000, 3 * MB), fragment(5000 + step, 100));
  const { read, seen } = serve(large);
  expect(await probe(read, URL_OF_FILE)).toMatchObject({ media: { durationSeconds: 6 } });
  expect(seen.bytes).toBeLessThan(2.5 * MB);
  expect(await probed(small.slice(0, -50))).toMatchObject({ kind: "refused", check: { kind: "damaged" } });
});
