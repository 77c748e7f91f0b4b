import { test } from "vitest";
import { Budget } from "../../src/media/budget.ts";
import { probe } from "../../src/media/probe.ts";
import {
  ascii,
  box,
  bytes,
  duration,
  element,
  ftyp,
  info,
  ispe,
  jpeg,
  type Manner,
  moov,
  openElement,
  pictureMeta,
  serve,
  tiff,
  tracks,
  URL_OF_FILE,
  u16,
  u32,
  videoTrack,
  webm,
  zeros,
} from "../support/media-files.ts";

/** What the reading of strangers' files may cost, as parts of them are counted (src/media/parts.ts). */
const MB = 1024 * 1024;
const CLUSTER = 0x1f43b675;

async function probed(file: Uint8Array<ArrayBuffer>, manner?: Manner) {
  const { read, seen } = serve(file, manner);
  return { outcome: await probe(read, URL_OF_FILE), seen };
}

function times(count: number, part: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = zeros(Math.floor(count) * part.length);
  for (let index = 0; index < Math.floor(count); index += 1) whole.set(part, index * part.length);
  return whole;
}

/** An element of two bytes, which holds nothing. */
const tiny = (id: number) => new Uint8Array([id, 0x80]);
const heic = (meta: Uint8Array) => bytes(ftyp("heic"), meta, box("mdat", zeros(50)));
const lasting = info(element(0x2ad7b1, u32(1_000_000)), duration(1_000));
const crowdedCluster = (...content: readonly Uint8Array[]) => element(CLUSTER, element(0xe7, u16(1)), ...content);
/** Files as large as is read of any, of the smallest parts that there are. */
const CROWDED = [
  [
    "a WebM of empty block groups",
    webm(info(), tracks(videoTrack(640, 480)), crowdedCluster(times(MB - 200, tiny(0xa0)))),
  ],
  [
    "a WebM of block groups of empty elements",
    webm(info(), tracks(videoTrack(640, 480)), crowdedCluster(times(MB / 256, element(0xa0, times(127, tiny(0xec)))))),
  ],
  [
    "a WebM of an element of unknown size, of empty blocks",
    webm(
      info(),
      tracks(videoTrack(640, 480)),
      openElement(CLUSTER, bytes(element(0xe7, u16(1)), times(MB - 200, tiny(0xa3)))),
    ),
  ],
  [
    "a WebM of first bytes of clusters",
    webm(info(), tracks(videoTrack(640, 480)), crowdedCluster(element(0xec, zeros(2 * MB - 200).fill(0x1f)))),
  ],
  ["a WebM of tracks of empty elements", webm(lasting, tracks(times(250, element(0xae, times(256, tiny(0x83))))))],
  [
    "a video of tracks of boxes",
    bytes(
      ftyp("isom"),
      moov(
        ...Array.from({ length: 32 }, () =>
          box("trak", ...Array.from({ length: 31 }, () => box("mdia", times(256, box("free"))))),
        ),
      ),
    ),
  ],
  [
    "a HEIC of items without properties",
    heic(
      box(
        "meta",
        zeros(4),
        box("pitm", zeros(4), u16(9)),
        box("iprp", box("ipco"), box("ipma", zeros(4), u32(350_000), times(340_000, bytes(u16(1), zeros(1))))),
      ),
    ),
  ],
  ["a JPEG of empty segments", bytes(u16(0xffd8), times(500_000, bytes(u16(0xffe2), u16(2))))],
  ["a JPEG of filling bytes", bytes(u16(0xffd8), zeros(2 * MB).fill(0xff))],
] as const;

test.for(CROWDED)("%s is refused by name, and read in as many steps as any", async ([, file], { expect }) => {
  for (const ranges of [true, file.length > 5 * MB]) {
    const { outcome } = await probed(file, { ranges });
    expect(outcome).toMatchObject({
      kind: "refused",
      code: "media_invalid",
      message: expect.stringMatching(
        /^my file\.bin is a\w* \w+ (?:video|image) of more than 50,000 parts, which is too many to check\.$/,
      ),
    });
  }
});

test("of many files of a request all parts are counted", async ({ expect }) => {
  const budget = new Budget({ bytes: 64 * MB, ms: 60_000, parts: 120_000 });
  const crowded = jpeg(times(30_000, bytes(u16(0xffe2), u16(2))));
  const kinds = [];
  for (let nth = 0; nth < 4; nth += 1) kinds.push(await probe(serve(crowded).read, URL_OF_FILE, budget));
  expect(kinds).toMatchObject([{ kind: "media" }, { kind: "media" }, { kind: "unreachable" }, { kind: "unreachable" }]);
  expect(kinds[2]).toMatchObject({ message: expect.stringContaining("too many parts to be checked at once") });
});

test.for([
  ["a PNG", bytes(ascii("\x89PNG\r\n\x1a\n"), u32(13), ascii("IHDR"), u32(0xffffffff), u32(1), zeros(20))],
  ["a GIF", bytes(ascii("GIF89a"), zeros(4).fill(255), zeros(20))],
  [
    "a TIFF",
    tiff([
      [0x100, 65_535],
      [0x101, 65_535],
    ]),
  ],
  ["a HEIC", heic(pictureMeta(1, [ispe(70_000, 10)], [{ id: 1, properties: [1] }]))],
  ["a BMP", bytes(ascii("BM"), zeros(16), u32(0xffffff7f), u32(0xffffff7f), zeros(20))],
  ["a WebP", bytes(ascii("RIFF1234WEBPVP8X"), zeros(8), zeros(6).fill(255), zeros(20))],
  ["a WebM", webm(lasting, tracks(videoTrack(60_000, 60_000)))],
] as const)("%s that is said to be larger than any picture is refused", async ([, file], { expect }) => {
  const { outcome } = await probed(file);
  expect(outcome).toMatchObject({ kind: "refused", code: "media_invalid" });
  expect(outcome).toMatchObject({
    message: expect.stringMatching(
      /declares [\d,]+×[\d,]+ pixels; at most 65,535 per side and 250,000,000 altogether are allowed\.$/,
    ),
  });
});
