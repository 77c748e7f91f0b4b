import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, test } from "vitest";
import { MovieMarker, movieMark, UnmarkableMovie } from "../../src/media/movie-mark.ts";
import { Parts } from "../../src/media/parts.ts";
import { markPicture } from "../../src/media/picture-mark.ts";
import { MAX_PACKET_BYTES, markedPacket, type SourceMark } from "../../src/media/xmp-packet.ts";
import { expectLinearTime } from "../support/cost.ts";
import { markOf, propertiesOf } from "../support/file-marks.ts";
import { ascii, box, bytes, exif, ftyp, longBox, u16, u32, zeros } from "../support/media-files.ts";

/** The mark that generated files carry, read by a reader that shares no code with the service. */

const MARK: SourceMark = { type: "trainedAlgorithmicMedia", models: ["flux-1"] };
const sample = (name: string) => new Uint8Array(readFileSync(`sandbox/media/${name}`));

const PICTURES = [
  ["PNG", sample("square.png")],
  ["JPEG", sample("landscape.jpg")],
  ["WebP", sample("photo.webp")],
] as const;
const VIDEOS = [
  ["MP4", sample("clip.mp4")],
  ["MP4 of a phone", sample("reel.mp4")],
  ["QuickTime", sample("clip.mov")],
] as const;

function marked(picture: Uint8Array, mark = MARK): Uint8Array<ArrayBuffer> {
  const outcome = markPicture(picture, mark);
  if (outcome === null) throw new Error("The picture was not marked.");
  return outcome;
}

/** Sent in chunks of these lengths, repeatedly. */
function markedVideo(video: Uint8Array, mark = MARK, chunks: readonly number[] = [4096]): Uint8Array<ArrayBuffer> {
  const marker = new MovieMarker(video.byteLength, mark);
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < video.byteLength; turn += 1) {
    const length = chunks[turn % chunks.length] ?? 1;
    pieces.push(...marker.push(video.subarray(at, at + length)));
    at += length;
  }
  return bytes(...pieces, marker.end());
}

const packet = (inside: string, attributes = "") =>
  new TextEncoder().encode(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
      `<rdf:Description rdf:about="uuid:1" xmlns:dc="http://purl.org/dc/elements/1.1/"${attributes}>${inside}` +
      "</rdf:Description></rdf:RDF></x:xmpmeta>",
  );
const TITLE = '<dc:source>A bakery</dc:source><dc:title rdf:resource="x"/>';
const OTHER = ' xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"';
const text = (packetBytes: Uint8Array) => new TextDecoder().decode(packetBytes);

describe("a picture with the mark", () => {
  test.for(PICTURES)("%s: has it where readers expect it, and the same pixels", ([, picture], { expect }) => {
    const file = marked(picture);
    expect(markOf(file)).toMatchObject({ types: ["trainedAlgorithmicMedia"], systems: ["flux-1"] });
    expect(markOf(file).packets).toHaveLength(1);
    expect(pixelsOf(file)).toEqual(pixelsOf(picture));
  });

  test.for(PICTURES)("%s: names models of any letters", ([, picture], { expect }) => {
    expect(markOf(marked(picture, { ...MARK, models: ['a"b<c>&d', "é"] })).systems).toEqual(['a"b<c>&d, é']);
  });

  test.for(PICTURES)("%s: that is marked again has the newer mark, once", ([, picture], { expect }) => {
    const again = marked(marked(picture), { type: "algorithmicMedia", models: [] });
    expect(markOf(again)).toMatchObject({ types: ["algorithmicMedia"], systems: [] });
    expect(markOf(again).packets).toHaveLength(1);
  });

  test("JPEG: keeps JFIF and EXIF in front of it", ({ expect }) => {
    const [jfif, turned] = [bytes(u16(0xffe0), u16(7), ascii("JFIF\0")), exif(6)];
    const file = marked(bytes(u16(0xffd8), jfif, turned, sample("landscape.jpg").subarray(2)));
    expect(file.subarray(2, 2 + jfif.length + turned.length)).toEqual(bytes(jfif, turned));
    expect(markOf(file).types).toEqual(["trainedAlgorithmicMedia"]);
  });

  test("PNG: replaces a compressed packet, which XMP must not be", ({ expect }) => {
    const png = sample("square.png");
    const content = bytes(ascii("XML:com.adobe.xmp\0"), Uint8Array.of(1, 0, 0, 0), zeros(40));
    const chunk = bytes(u32(content.length), ascii("iTXt"), content, u32(0));
    const file = marked(bytes(png.subarray(0, 33), chunk, png.subarray(33)));
    expect(markOf(file).types).toEqual(["trainedAlgorithmicMedia"]);
    expect(file.byteLength).toBe(marked(png).byteLength);
  });

  test("WebP: a plain file gets the extended header with its size", ({ expect }) => {
    const plain = bytes(ascii("RIFF"), littleEndian(26), ascii("WEBPVP8L"), littleEndian(13), LOSSLESS, zeros(9));
    const file = Buffer.from(marked(plain));
    expect(markOf(file).types).toEqual(["trainedAlgorithmicMedia"]);
    // Alpha and XMP, then the sides less one.
    expect([file[20], file.readUIntLE(24, 3), file.readUIntLE(27, 3)]).toEqual([0x14, 639, 479]);
    expect(file.subarray(30, 52)).toEqual(Buffer.from(plain.subarray(12)));
  });

  test("is no picture of another kind, and no damaged one", ({ expect }) => {
    for (const [, picture] of PICTURES) {
      expect(markPicture(picture.subarray(0, 25), MARK)).toBeNull();
    }
    expect(markPicture(marked(sample("landscape.jpg")), MARK, new Parts(2))).toBeNull();
    for (const name of ["anim.gif", "square.heic", "clip.mp4"]) expect(markPicture(sample(name), MARK)).toBeNull();
    expect(markPicture(sample("photo.webp").subarray(0, -100), MARK)).toBeNull();
  });

  test("is never the end of the service, whatever the bytes are", ({ expect }) => {
    const any = fc.tuple(
      fc.constantFrom(...PICTURES.map(([, picture]) => picture)),
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 12 }),
      fc.nat(400),
    );
    fc.assert(
      fc.property(any, ([picture, changes, length]) => {
        const odd = picture.slice(0, length + 8);
        for (const [at, byte] of changes) if (at < odd.length) odd[at] = byte;
        const file = markPicture(odd, MARK);
        expect(file === null || file.byteLength > 0).toBe(true);
      }),
    );
  });
});

const littleEndian = (value: number) => u32(value).reverse();
/** 640 × 480 with transparency. */
const LOSSLESS = bytes(Uint8Array.of(0x2f), littleEndian(639 | (479 << 14) | (1 << 28)));

/** What follows the first byte of the picture's own data. */
function pixelsOf(file: Uint8Array): Buffer {
  const buffer = Buffer.from(file);
  const start = Math.max(...["IDAT", "\xff\xda", "VP8 "].map((name) => buffer.indexOf(name, 0, "latin1")));
  const xmpAt = buffer.lastIndexOf("XMP \x00".slice(0, 4), buffer.length, "latin1");
  return buffer.subarray(start, xmpAt > start ? xmpAt : buffer.length);
}

describe("a video with the mark", () => {
  test.for(VIDEOS)("%s: has it at its end, and every byte before it as it was", ([, video], { expect }) => {
    const file = markedVideo(video);
    expect(markOf(file)).toMatchObject({ types: ["trainedAlgorithmicMedia"], systems: ["flux-1"] });
    expect(file.subarray(0, video.byteLength)).toEqual(video);
  });

  test("is the same however its bytes arrive", ({ expect }) => {
    const video = bytes(ftyp("isom"), markedVideo(bytes(ftyp("isom"), longBox("mdat", zeros(99)))).subarray(20));
    const whole = markedVideo(video, MARK, [video.byteLength]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 9 }), (chunks) => {
        expect(markedVideo(video, MARK, chunks)).toEqual(whole);
      }),
    );
  });

  test("that is marked again has the newer mark, once, and no byte has moved", ({ expect }) => {
    const [, video] = VIDEOS[0];
    const first = markedVideo(bytes(movieMark(MARK, packet(TITLE)), video));
    const file = markedVideo(first, { type: "algorithmicMedia", models: [] });
    expect(markOf(file)).toMatchObject({ types: ["algorithmicMedia"], systems: [] });
    expect(markOf(file).packets).toHaveLength(1);
    expect(Buffer.from(file).indexOf(Buffer.from(video))).toBe(Buffer.from(first).indexOf(Buffer.from(video)));
    expect(Buffer.from(file).indexOf("xpacket begin")).toBe(Buffer.from(file).lastIndexOf("xpacket begin"));
  });

  test("keeps the other properties of its packet", ({ expect }) => {
    const video = bytes(ftyp("isom"), movieMark(MARK, packet(TITLE)), box("mdat", zeros(50)));
    const [only = ""] = markOf(markedVideo(video)).packets;
    expect(only).toContain(TITLE);
    expect(propertiesOf(only, "DigitalSourceType")).toHaveLength(1);
  });

  test("has it behind a last box that named no size, which gets its real one", ({ expect }) => {
    const video = bytes(ftyp("isom"), u32(0), ascii("mdat"), zeros(100));
    const file = markedVideo(video);
    expect(markOf(file).types).toEqual(["trainedAlgorithmicMedia"]);
    expect(Buffer.from(file).readUInt32BE(20)).toBe(108);
  });

  test("has no bytes between its last box and the mark", ({ expect }) => {
    const video = bytes(ftyp("isom"), box("mdat", zeros(10)));
    for (const junk of [zeros(3), u32(5), bytes(u32(4), zeros(60))]) {
      expect(markedVideo(bytes(video, junk))).toEqual(markedVideo(video));
    }
  });

  test("is none that is cut off, empty or of too many parts", ({ expect }) => {
    const [, video] = VIDEOS[0];
    for (const damaged of [video.subarray(0, -1), video.subarray(0, 40), zeros(0), u32(7)]) {
      expect(() => markedVideo(damaged)).toThrow(UnmarkableMovie);
    }
    const marker = new MovieMarker(800, MARK, new Parts(9));
    expect(() => Array.from({ length: 10 }, () => marker.push(box("free")))).toThrow(UnmarkableMovie);
  });
});

describe("an existing packet", () => {
  const URI = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture";

  test.for([
    ["attributes", packet(TITLE, `${OTHER} ext:DigitalSourceType='${URI}' ext:AIPromptInformation = "secret"`)],
    ["elements", packet(`${TITLE}<ext:DigitalSourceType>${URI}</ext:DigitalSourceType>`, OTHER)],
    ["resources", packet(`<ext:DigitalSourceType rdf:resource="${URI}"/>${TITLE}`, OTHER)],
    [
      "two prefixes",
      packet(
        `${TITLE}<e:AISystemUsed xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">old</e:AISystemUsed>`,
        `${OTHER} ext:DigitalSourceType="${URI}"`,
      ),
    ],
    ["a prompt", packet(`${TITLE}<ext:AIPromptInformation>secret</ext:AIPromptInformation>`, OTHER)],
    ["none of it", packet(TITLE)],
  ] as const)("loses its older mark as %s, and nothing else", ([, existing], { expect }) => {
    const changed = text(markedPacket(MARK, existing));
    expect(propertiesOf(changed, "DigitalSourceType")).toEqual([URI.replace("digitalCapture", MARK.type)]);
    expect(propertiesOf(changed, "AISystemUsed")).toEqual(["flux-1"]);
    expect(changed).toContain(TITLE);
    expect(changed).not.toContain("secret");
    expect(changed.match(/rdf:about="uuid:1"/g)).toHaveLength(2);
  });

  test.for([
    ["not UTF-8", bytes(packet(TITLE), Uint8Array.of(0xff))],
    ["no XMP", ascii("hello")],
    ["of comments", packet(`<!-- ${TITLE}`)],
    ["without an end of its element", packet("<ext:DigitalSourceType>", OTHER)],
    ["longer than a segment", packet("x".repeat(MAX_PACKET_BYTES - 400))],
  ] as const)("is replaced if it is %s", ([, existing], { expect }) => {
    expect(markedPacket(MARK, existing)).toEqual(markedPacket(MARK));
  });

  test("names the models, as much of their names as fits, and no control characters", ({ expect }) => {
    const models = ["a\u0000\u001fb\u200e", "x".repeat(500)];
    const [names = ""] = propertiesOf(text(markedPacket({ ...MARK, models })), "AISystemUsed");
    expect(names).toMatch(/^ab, x+$/);
    expect(names.length).toBeLessThanOrEqual(200);
  });

  const repeated = (piece: string, attributes = OTHER) => ({
    prepare: (size: number) => {
      const inside = piece.repeat(Math.max(1, Math.floor((size - 400) / piece.length)));
      const existing = packet(inside, attributes);
      return () => markedPacket(MARK, existing);
    },
    size: MAX_PACKET_BYTES,
    budgetMs: 12,
  });
  test.for([
    "<ext:DigitalSourceType>",
    "<ext:DigitalSourceType/>",
    "<ext:DigitalSourceType ",
    " ext:DigitalSourceType=",
    ' ext:DigitalSourceType="',
    " ext:DigitalSourceType='\"",
    " ext:DigitalSourceType  ",
    ' rdf:about="<',
    "xmlns:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    'xmlns:a   ="',
    "</rdf:RDF>",
  ])("takes time in line with its length: %s", (piece, { expect }) => {
    expectLinearTime(expect, piece, repeated(piece));
  });
});
