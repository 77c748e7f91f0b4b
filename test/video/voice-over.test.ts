import fc from "fast-check";
import { describe, test } from "vitest";
import { boxesIn } from "../../src/media/boxes.ts";
import { latin1, uint32 } from "../../src/media/bytes.ts";
import { readMovie } from "../../src/media/movie.ts";
import { loopUntil } from "../../src/video/loop-length.ts";
import { soundOf } from "../../src/video/sound-track.ts";
import { MAX_VIDEO_BYTES, withVoice } from "../../src/video/voice-over.ts";
import { runsOf } from "../contract/sample.ts";
import { ascii, bytes, u32, zeros } from "../support/media-files.ts";
import { AAC_VOICE, H265_VIDEO, MP3_VOICE, VIDEO, wholeOf } from "../support/video-samples.ts";

/** Voices put over videos. */

const times = (count: number, file: Uint8Array) => bytes(...Array.from({ length: count }, () => file));

function inside(file: Uint8Array, ...way: readonly string[]): Uint8Array {
  return way.reduce<Uint8Array>((at, step) => boxesIn(at).find(({ type }) => type === step)?.bytes ?? zeros(0), file);
}

/**
 * What a track's tables say of each of its packets: its bytes, as hexadecimal, and when it is shown, in
 * ticks.
 */
function packetsOf(file: Uint8Array, handler: "vide" | "soun") {
  const trak = boxesIn(inside(file, "moov"))
    .filter(({ type }) => type === "trak")
    .find(({ bytes }) => latin1(inside(bytes, "mdia", "hdlr"), 8, 4) === handler)?.bytes;
  if (!trak) return { ticks: 0, packets: [], keys: null };
  const table = (type: string) => inside(trak, "mdia", "minf", "stbl", type);
  const numbers = (bytes: Uint8Array, from = 8) =>
    Array.from({ length: Math.floor((bytes.length - from) / 4) }, (_, index) => uint32(bytes, from + index * 4));
  const pairs = (type: string) => {
    const list = numbers(table(type));
    return list.flatMap((count, at) => (at % 2 === 0 ? new Array<number>(count).fill(list[at + 1] ?? 0) : []));
  };
  const [steps, shifts, sizes] = [pairs("stts"), pairs("ctts"), numbers(table("stsz"), 12)];
  const runs = numbers(table("stsc"));
  const perChunk = (chunk: number) => {
    const run = runs.findLastIndex((first, at) => at % 3 === 0 && first <= chunk + 1);
    return runs[run + 1] ?? 0;
  };
  const packets: { hex: string; shownAt: number; offset: number }[] = [];
  let decodedAt = 0;
  for (const [chunk, start] of numbers(table("stco")).entries()) {
    let offset = start;
    for (let left = perChunk(chunk); left > 0; left -= 1) {
      const { [packets.length]: size = 0 } = sizes;
      const shownAt = decodedAt + ((shifts[packets.length] ?? 0) | 0);
      decodedAt += steps[packets.length] ?? 0;
      packets.push({ hex: Buffer.from(file.subarray(offset, offset + size)).toString("hex"), shownAt, offset });
      offset += size;
    }
  }
  const keys = table("stss").length > 0 ? numbers(table("stss")) : null;
  return { ticks: uint32(inside(trak, "mdia", "mdhd"), 16), packets, keys };
}
const hexOf = (file: Uint8Array, handler: "vide" | "soun") => packetsOf(file, handler).packets.map(({ hex }) => hex);

async function voiced(video: Uint8Array<ArrayBuffer>, voice: Uint8Array<ArrayBuffer>) {
  const outcome = await withVoice(video, voice);
  if (outcome.kind === "failed") throw new Error(outcome.message);
  return { ...outcome, bytes: wholeOf(outcome.file) };
}

describe("a video with a voice", () => {
  test("is written without a copy of its sources, and more than once", async ({ expect }) => {
    const { file } = await voiced(VIDEO, times(40, AAC_VOICE));
    const [, ...packets] = [...file.pieces()];
    expect(packets.filter(({ byteLength, buffer }) => buffer.byteLength === byteLength)).toEqual([]);
    expect(wholeOf(file)).toHaveLength(file.byteLength);
    expect(wholeOf(file)).toEqual(wholeOf(file));
  });

  test.for([
    ["H.264", VIDEO, 10_240],
    ["H.265", H265_VIDEO, 10_240],
  ] as const)(
    "has the pictures of %s as they are, at their times, and only the voice",
    async ([, video, perSecond], { expect }) => {
      const { bytes: file, seconds } = await voiced(video, AAC_VOICE);
      expect(seconds).toBe(1);
      expect(hexOf(file, "vide")).toEqual(hexOf(video, "vide"));
      const { packets, ticks, keys } = packetsOf(file, "vide");
      expect(ticks).toBe(perSecond);
      // All ten are shown, from the very beginning, in an order that is not that in which they come.
      const shown = packets.map(({ shownAt }) => (shownAt * 10) / perSecond);
      expect(shown.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(shown).not.toEqual(shown.toSorted((one, other) => one - other));
      expect(keys).toEqual([1]);
      expect(hexOf(file, "soun")).toHaveLength(11);
      expect(soundOf(file)).toBe("aac");
    },
  );

  test("has its header in front, its size, and no edit lists", async ({ expect }) => {
    const { bytes: file } = await voiced(VIDEO, AAC_VOICE);
    expect(latin1(VIDEO, 0, VIDEO.length)).toContain("elst");
    const all = latin1(file, 0, file.length);
    expect(all).not.toMatch(/elst|edts/);
    expect(boxesIn(file).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
    const movie = readMovie(inside(file, "moov"));
    expect(movie).toMatchObject({ durationSeconds: 1, size: { width: 64, height: 96 }, hasVideo: true });
  });

  test("starts again until a longer voice ends, and stops at a picture that needs nothing more", async ({ expect }) => {
    // 4.693 seconds. The pictures are decoded as 0 3 1 2 6 4 5 9 7 8: the last time is left before the tenth.
    const { bytes: file, seconds } = await voiced(VIDEO, times(10, AAC_VOICE));
    const own = hexOf(VIDEO, "vide");
    expect(hexOf(file, "vide")).toEqual([...own, ...own, ...own, ...own, ...own.slice(0, 7)]);
    expect(seconds).toBe(4.7);
    const { packets, ticks, keys } = packetsOf(file, "vide");
    expect(keys).toEqual([1, 11, 21, 31, 41]);
    const shown = packets.map(({ shownAt }) => shownAt).toSorted((one, other) => one - other);
    expect(shown).toEqual(shown.map((_, index) => index * 1024));
    expect(shown.length * 1024).toBe(ticks);
    expect(hexOf(file, "soun")).toHaveLength(110);
  });

  test("is left only where none of the pictures so far is missing", ({ expect }) => {
    const frames = [0, 4, 2, 1, 3, 8, 6, 5, 7].map((shownAt) => ({
      shownAt,
      isKey: shownAt === 0,
      offset: 0,
      size: 1,
    }));
    const none = { description: zeros(0), stance: zeros(0) };
    const video = { kind: "pictures", ticksPerSecond: 2, frames, ticks: 9, ...none } as const;
    expect(loopUntil(video, 18 + 2.5)).toEqual({ times: 2, more: 5, ticks: 18 + 5 });
    expect(loopUntil(video, 18 + 5.5)).toEqual({ times: 3, more: 0, ticks: 27 });
  });

  test("can get another, and shows its pictures at the same times", async ({ expect }) => {
    const { bytes: first } = await voiced(VIDEO, times(2, AAC_VOICE));
    const { bytes: second } = await voiced(first, AAC_VOICE);
    const pictures = (file: Uint8Array) =>
      packetsOf(file, "vide").packets.map(({ hex, shownAt }) => ({ hex, shownAt }));
    expect(pictures(second)).toEqual(pictures(first));
    expect(hexOf(second, "soun")).toHaveLength(11);
  });

  test("keeps its last picture for what is left of a voice, where that is little and the video fluent", async ({
    expect,
  }) => {
    const own = hexOf(VIDEO, "vide");
    // Of 40 pictures a second, a quarter of one long.
    const fluent = bytes(VIDEO);
    fluent.set(u32(40_960), latin1(VIDEO, 0, VIDEO.length).indexOf("mdhd") + 4 + 12);
    const { bytes: file, seconds } = await voiced(fluent, times(2, AAC_VOICE));
    expect(hexOf(file, "vide")).toEqual([...own, ...own, ...own]);
    expect(seconds).toBeCloseTo((22 * 1024) / 24_000, 3);
    expect(packetsOf(file, "vide").ticks / 40_960).toBe(seconds);
    const halting = await voiced(VIDEO, times(3, AAC_VOICE));
    expect(hexOf(halting.bytes, "vide")).toEqual([...own, ...own.slice(0, 7)]);
    // Four seconds of 24 a second: 96 pictures in 4.2 seconds are too few.
    const frames = Array.from({ length: 96 }, (_, shownAt) => ({ shownAt, isKey: true, offset: 0, size: 1 }));
    const none = { description: zeros(0), stance: zeros(0) };
    const cinema = { kind: "pictures", ticksPerSecond: 24, frames, ticks: 96, ...none } as const;
    expect(loopUntil(cinema, 99)).toEqual({ times: 1, more: 0, ticks: 99 });
    expect(loopUntil(cinema, 101)).toEqual({ times: 1, more: 5, ticks: 101 });
  });

  test("takes AAC without its headers, whether they have checksums or not", async ({ expect }) => {
    const checked: Uint8Array[] = [];
    for (let at = 0; at < AAC_VOICE.length; ) {
      const size = (uint32(AAC_VOICE, at + 2) >>> 5) & 0x1fff;
      const header = bytes(AAC_VOICE.subarray(at, at + 7));
      header[1] = 0xf0;
      header[4] = (size + 2) >> 3;
      header[5] = (((size + 2) & 7) << 5) | ((header[5] ?? 0) & 31);
      checked.push(header, zeros(2), AAC_VOICE.subarray(at + 7, at + size));
      at += size;
    }
    const plain = hexOf((await voiced(VIDEO, AAC_VOICE)).bytes, "soun");
    expect(plain.join("").length / 2).toBe(AAC_VOICE.length - 11 * 7);
    expect(hexOf((await voiced(VIDEO, bytes(...checked))).bytes, "soun")).toEqual(plain);
  });

  test("takes MP3 as it is, without its tags and the frame that only reports its length", async ({ expect }) => {
    const { bytes: file } = await voiced(VIDEO, MP3_VOICE);
    const sound = packetsOf(file, "soun");
    expect(sound.packets).toHaveLength(19);
    for (const { hex } of sound.packets) expect(hex).toMatch(/^fff[23]/);
    expect(latin1(file, 0, file.length)).not.toContain("Info");
    expect(soundOf(file)).toBe("other");
    const tagged = bytes(MP3_VOICE, ascii("TAG"), zeros(125), MP3_VOICE);
    expect(hexOf((await voiced(VIDEO, tagged)).bytes, "soun")).toHaveLength(38);
  });

  test("has pictures and sound side by side", async ({ expect }) => {
    const { bytes: file } = await voiced(VIDEO, times(8, AAC_VOICE));
    const at = (handler: "vide" | "soun") => packetsOf(file, handler).packets.map(({ offset }) => offset);
    const [pictures, sound] = [at("vide"), at("soun")];
    expect(sound[20]).toBeLessThan(pictures.at(-1) ?? 0);
    expect(pictures[10]).toBeLessThan(sound.at(-1) ?? 0);
  });
});

describe("no voice over a video", () => {
  const wav = bytes(ascii("RIFF"), u32(0), ascii("WAVEfmt "), zeros(100));
  /** The video, with other numbers or texts in the first boxes of these names. */
  const changed = (...changes: readonly (readonly [box: string, offset: number, content: Uint8Array])[]) => {
    const file = bytes(VIDEO);
    const text = latin1(file, 0, file.length);
    for (const [box, offset, content] of changes)
      file.set(content, text.indexOf(box, text.indexOf("moov")) + 4 + offset);
    return file;
  };
  const BILLIONS = u32(0xffff_ffff);
  const LARGE = 20 * 1024 * 1024;
  test.for([
    ["a voice that would have to be encoded", VIDEO, wav, /WAV; a video accepts AAC \(ADTS\) and MP3/],
    ["a voice that is none", VIDEO, ascii("<html>Sorry</html>"), /unknown form/],
    ["a voice of tags", VIDEO, bytes(ascii("ID3"), zeros(40)), /unknown form/],
    ["a voice full of other things", VIDEO, bytes(AAC_VOICE, zeros(20_000)), /voice-over is cut off or damaged/],
    ["a voice of eleven minutes", VIDEO, times(1500, AAC_VOICE), /longer than 10 minutes/],
    ["a video that is none", AAC_VOICE, AAC_VOICE, /not an MP4 with a picture track/],
    ["pictures that are not there", changed(["stco", 8, u32(VIDEO.length)]), AAC_VOICE, /cut off or damaged/],
    ["a video of too many bytes", bytes(VIDEO, zeros(MAX_VIDEO_BYTES)), AAC_VOICE, /more than 40 MB/],
    ["pictures of another form", changed(["stsd", 12, ascii("av01")]), AAC_VOICE, /neither H.264 nor H.265/],
    [
      "billions of pictures",
      changed(["stsz", 4, u32(1)], ["stsz", 8, BILLIONS], ["stsc", 12, BILLIONS], ["stts", 8, BILLIONS]),
      AAC_VOICE,
      /do not match its data/,
    ],
    ["no pictures", changed(["stsz", 8, u32(0)]), AAC_VOICE, /cut off or damaged/],
    ["pictures without times", changed(["stts", 8, u32(0)]), AAC_VOICE, /cut off or damaged/],
    ["pictures of eleven minutes", changed(["mdhd", 12, u32(15)]), AAC_VOICE, /video is longer than 10 minutes/],
    [
      "pictures of hardly any length",
      changed(["mdhd", 12, u32(1_024_000)]),
      times(60, AAC_VOICE),
      /would be too large/,
    ],
    [
      "pictures of many bytes",
      bytes(changed(["stsz", 48, u32(LARGE)]), zeros(LARGE)),
      times(6, AAC_VOICE),
      /would be too large/,
    ],
    [
      "times that a file has no room for",
      changed(["mdhd", 12, u32(0xf000_0000)], ["stts", 12, u32(0x1000_0000)]),
      times(5, AAC_VOICE),
      /would be too large/,
    ],
  ] as const)("%s", async ([, video, voice, sentence], { expect }) => {
    expect(await withVoice(bytes(video), bytes(voice))).toEqual({
      kind: "failed",
      message: expect.stringMatching(sentence),
    });
  });

  test("a video that is cut off in its pictures", async ({ expect }) => {
    const { bytes: whole } = await voiced(VIDEO, AAC_VOICE);
    const cut = bytes(whole.subarray(0, whole.length - 600));
    expect(await withVoice(cut, AAC_VOICE)).toMatchObject({ message: expect.stringMatching(/cut off/) });
  });

  test("whatever the bytes say, it ends: with a video as long as its tables, or a sentence", async ({ expect }) => {
    const file = (sample: Uint8Array) =>
      fc.oneof(
        fc.nat(sample.length).map((end) => bytes(sample.subarray(0, end))),
        // Numbers as they are in tables, most of them among the tables.
        fc
          .array(fc.tuple(fc.nat(sample.length - 4), fc.constantFrom(0, 1, 9, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff)), {
            minLength: 1,
            maxLength: 4,
          })
          .map((changes) => {
            const copy = bytes(sample);
            for (const [at, value] of changes) new DataView(copy.buffer).setUint32(at, value);
            return copy;
          }),
        fc.constant(bytes(sample)),
      );
    const videos = fc.oneof(file(VIDEO), file(H265_VIDEO));
    const voices = fc.oneof(file(AAC_VOICE), file(MP3_VOICE), file(times(6, AAC_VOICE)));
    await fc.assert(
      fc.asyncProperty(videos, voices, async (video, voice) => {
        soundOf(video);
        const outcome = await withVoice(video, voice);
        if (outcome.kind === "failed") return outcome.message.length > 0;
        const whole = wholeOf(outcome.file);
        const { packets } = packetsOf(whole, "soun");
        const { hasVideo } = readMovie(inside(whole, "moov"));
        return packets.length > 0 && outcome.seconds > 0 && Number.isFinite(outcome.seconds) && hasVideo === true;
      }),
      { numRuns: runsOf(150) },
    );
    expect(await withVoice(VIDEO, AAC_VOICE)).toMatchObject({ kind: "ok" });
  });
});

test("a video's sound is recognized by its header", ({ expect }) => {
  const unheard = bytes(VIDEO);
  unheard.set(u32(0), latin1(VIDEO, 0, VIDEO.length).lastIndexOf("stsz") + 4 + 8);
  expect([VIDEO, unheard, H265_VIDEO, AAC_VOICE].map(soundOf)).toEqual(["aac", "none", "none", null]);
});
