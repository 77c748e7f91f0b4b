import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, test } from "vitest";
import { z } from "zod";
import { type Mp4Plan, planMp4 } from "../../src/video/repackage/plan.ts";
import { fragmentOf, headerOf, sizedBox } from "../support/mp4-fragments.ts";
import { boxesOf, type Packet, readPackets } from "../support/mp4-packets.ts";

/**
 * Videos of an encoder in odd settings (repackage/make.sh), repackaged: the frames, their times and their
 * order are those that ffprobe reads from the original (packets.json; UPDATE_PACKETS=1 writes it again).
 * Where ffmpeg is installed, both are decoded as well, and each decoded frame is the same.
 */
const FOLDER = "test/video/repackage";
const names = readdirSync(FOLDER).filter((name) => /\.(mov|mp4)$/.test(name));
const UNFIT: Readonly<Record<string, unknown>> = {
  "prores.mov": { kind: "unfit", why: "codec", of: "video", codec: "ProRes" },
  "sound-pcm.mov": { kind: "unfit", why: "codec", of: "audio", codec: "PCM" },
};
const fit = names.filter((name) => !(name in UNFIT));

const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(`${FOLDER}/${name}`));

interface Reading {
  reads: number;
  bytes: number;
}

function sourceOf(file: Uint8Array, reading: Reading = { reads: 0, bytes: 0 }) {
  return {
    bytes: file.byteLength,
    read: async (start: number, end: number) => {
      if (start < 0 || end > file.byteLength || start >= end) throw new Error(`[${start}, ${end}) is no range.`);
      if (end - start > 2 * 1024 * 1024) throw new Error(`${end - start} bytes are read at once.`);
      reading.reads += 1;
      reading.bytes += end - start;
      return file.slice(start, end);
    },
  };
}

async function repackaged(file: Uint8Array, partBytes = 5000): Promise<Uint8Array> {
  const plan = await planMp4(sourceOf(file));
  if (plan.kind !== "plan") throw new Error(`The file is unfit: ${plan.why}.`);
  const result = new Uint8Array(plan.mp4.bytes);
  for (let at = 0; at < result.byteLength; at += partBytes) {
    const end = Math.min(at + partBytes, result.byteLength);
    result.set(await plan.mp4.read(sourceOf(file), at, end), at);
  }
  return result;
}

interface Facts {
  readonly type: "video" | "audio";
  readonly packets: number;
  readonly firstPts: number;
  /** SHA-256 over the times, sizes and MD5 of all packets. */
  readonly hash: string;
}

type Timed = Pick<Packet, "pts" | "dts" | "size" | "md5">;

/** A track that starts late begins at zero in the result: times count from the first that is shown. */
function factsOf(tracks: readonly { type: Facts["type"]; perSecond: number; packets: readonly Timed[] }[]): Facts[] {
  const starts = tracks.map(({ perSecond, packets }) => Math.min(...packets.map(({ pts }) => pts)) / perSecond);
  const start = Math.max(0, Math.min(...starts));
  return tracks.map(({ type, perSecond, packets }) => {
    const by = Math.round(start * perSecond);
    const lines = packets.map(({ pts, dts, size, md5 }) => `${pts - by} ${dts - by} ${size} ${md5}`);
    const hash = createHash("sha256").update(lines.join("\n")).digest("hex");
    return { type, packets: packets.length, firstPts: Math.min(...packets.map(({ pts }) => pts - by)), hash };
  });
}

const FACTS = `${FOLDER}/packets.json`;
const StoredFacts = z.record(
  z.string(),
  z.array(z.object({ type: z.enum(["video", "audio"]), packets: z.number(), firstPts: z.number(), hash: z.string() })),
);
const Probed = z.object({
  streams: z.array(z.object({ index: z.number(), codec_type: z.string(), time_base: z.string() })),
  packets: z.array(
    z.object({ stream_index: z.number(), pts: z.number(), dts: z.number(), size: z.string(), data_hash: z.string() }),
  ),
});

/** As ffprobe reads the original. */
function probedFacts(name: string): Facts[] {
  const entries = "stream=index,codec_type,time_base:packet=stream_index,pts,dts,size,data_hash";
  const options = ["-v", "error", "-show_data_hash", "md5", "-show_entries", entries, "-of", "json"];
  const { stdout } = spawnSync("ffprobe", [...options, `${FOLDER}/${name}`], { encoding: "utf8" });
  const { streams, packets } = Probed.parse(JSON.parse(stdout));
  const shown = streams.flatMap(({ index, codec_type: type, time_base }) => {
    if (type !== "video" && type !== "audio") return [];
    const own = packets.filter(({ stream_index }) => stream_index === index);
    const timed = own.map(({ pts, dts, size, data_hash }) => {
      return { pts, dts, size: Number(size), md5: data_hash.replace("MD5:", "") };
    });
    return [{ type, perSecond: Number(time_base.split("/")[1]), packets: timed } as const];
  });
  return factsOf(shown);
}

if (process.env.UPDATE_PACKETS) {
  const facts = Object.fromEntries(fit.map((name) => [name, probedFacts(name)]));
  writeFileSync(FACTS, `${JSON.stringify(facts, null, 1)}\n`);
}
const facts = StoredFacts.parse(JSON.parse(readFileSync(FACTS, "utf8")));

test("each file has its command and its facts", ({ expect }) => {
  const commands = readFileSync(`${FOLDER}/make.sh`, "utf8");
  expect(names.filter((name) => !commands.includes(`video ${name} `))).toEqual([]);
  expect(Object.keys(facts).toSorted()).toEqual(fit.toSorted());
});

describe("the frames and their times stay the same", () => {
  test.for(fit)("%s", async (name, { expect }) => {
    const tracks = readPackets(await repackaged(bytesOf(name)));
    const found = factsOf(
      tracks.map(({ handler, ticksPerSecond, packets }) => {
        return { type: handler === "vide" ? "video" : "audio", perSecond: ticksPerSecond, packets };
      }),
    );
    expect(found).toEqual(facts[name]);
  });
});

const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;

describe.skipIf(!hasFfmpeg)("a decoder shows the same", () => {
  /** ffmpeg reads the fragments of these with other times, or other frames to skip, than the same tables. */
  const MISREAD = ["edit-lists.mp4", "dash.mp4", "gap.mp4", "each-frame.mp4"];
  test.for(fit.filter((name) => !MISREAD.includes(name)))("%s", async (name, { expect }) => {
    const folder = mkdtempSync(`${tmpdir()}/repackage-`);
    try {
      writeFileSync(`${folder}/result.mp4`, await repackaged(bytesOf(name)));
      const decoded = (path: string) => {
        const all = ["-map", "0:v", "-map", "0:a?", "-vsync", "passthrough", "-f", "framemd5", "-"];
        const { stdout, stderr } = spawnSync("ffmpeg", ["-v", "error", "-i", path, ...all], { encoding: "utf8" });
        return { stderr, frames: stdout.split("\n").toSorted() };
      };
      const [original, result] = [decoded(`${FOLDER}/${name}`), decoded(`${folder}/result.mp4`)];
      expect(result).toEqual({ ...original, stderr: "" });
      expect(result.frames.length).toBeGreaterThan(30);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test.for(Object.entries(UNFIT))("%s is refused with its codec", async ([name, reason], { expect }) => {
  expect(await planMp4(sourceOf(bytesOf(name)))).toEqual(reason);
});

test("a turned picture stays turned, and its colors are those of an MP4", async ({ expect }) => {
  const file = Buffer.from(bytesOf("timecode.mov"));
  const upright = Buffer.from("000100000000000000000000000000000001000000000000", "hex");
  const turned = Buffer.from("000000000001000000000000ffff00000000000000000000", "hex");
  turned.copy(file, file.indexOf(upright, file.indexOf("tkhd")));
  const [video] = readPackets(await repackaged(file));
  expect(video?.matrix.startsWith(turned.toString("hex"))).toBe(true);
  expect(video?.entry.bytes.includes("colrnclx")).toBe(true);
  const [hlg] = readPackets(await repackaged(bytesOf("hlg.mov")));
  // Primaries 9, transfer 18 (HLG), matrix 9, no full range.
  expect(hlg?.entry.bytes.includes(Buffer.from("colrnclx\x00\x09\x00\x12\x00\x09\x00", "latin1"))).toBe(true);
});

test("sound has a description of an MP4, whatever QuickTime's version", async ({ expect }) => {
  for (const [name, rate] of [
    ["moov-last.mov", 44_100],
    ["sound-96000.mov", 0],
  ] as const) {
    const sound = readPackets(await repackaged(bytesOf(name))).find(({ handler }) => handler === "soun");
    expect(sound?.entry.type).toBe("mp4a");
    expect(sound?.entry.bytes.readUInt16BE(8)).toBe(0);
    expect(sound?.entry.bytes.readUInt16BE(24)).toBe(rate);
    expect(sound?.entry.bytes.toString("latin1", 32, 36)).toBe("esds");
  }
});

test("what a phone adds is left out: time codes, timed metadata, the place", async ({ expect }) => {
  const file = Buffer.from(bytesOf("timecode.mov"));
  // The track of time codes becomes one of timed metadata, as a phone has it.
  const timed = Buffer.from(
    file.toString("latin1").replaceAll("tmcd", "mebx").replace("mhlrmebx", "mhlrmeta"),
    "latin1",
  );
  expect(readPackets(await repackaged(timed)).map(({ handler }) => handler)).toEqual(["vide", "soun"]);
  expect(Buffer.from(bytesOf("place.mov")).includes("ISO6709")).toBe(true);
  expect(Buffer.from(await repackaged(bytesOf("place.mov"))).includes("ISO6709")).toBe(false);
});

test("the mark of a file is kept: XMP in a box of the file, or in QuickTime's user data", async ({ expect }) => {
  const id = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
  const packet = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/">made by a model</x:xmpmeta>');
  const marked = Buffer.concat([bytesOf("moov-last.mov"), sizedBox("uuid", Buffer.concat([id, packet]))]);
  const inFront = withUserData(Buffer.from(bytesOf("moov-last.mov")), sizedBox("udta", sizedBox("XMP_", packet)));
  for (const file of [marked, inFront]) {
    const result = Buffer.from(await repackaged(file));
    const last = boxesOf(result, 0, result.byteLength).at(-1);
    expect(last?.type).toBe("uuid");
    expect(result.subarray(last?.start, last?.end)).toEqual(Buffer.concat([id, packet]));
  }
});

/** The header of the file, which is at its end, with one more box. */
function withUserData(file: Buffer, box: Buffer): Buffer {
  const moov = boxesOf(file, 0, file.byteLength).findLast(({ type }) => type === "moov");
  if (!moov || moov.end !== file.byteLength) throw new Error("The header is not at the end.");
  const changed = Buffer.concat([file, box]);
  changed.writeUInt32BE(moov.end - moov.start + 8 + box.byteLength, moov.start - 8);
  return changed;
}

test("64-bit offsets and sizes are read", async ({ expect }) => {
  const file = Buffer.from(bytesOf("moov-last.mov"));
  const expected = await repackaged(file);
  const [, wide, mdat] = boxesOf(file, 0, file.byteLength);
  if (wide?.type !== "wide" || mdat?.type !== "mdat") throw new Error("Another layout.");
  // `wide` leaves room for a long size.
  file.writeUInt32BE(1, wide.start - 8);
  file.write("mdat", wide.start - 4, "latin1");
  file.writeBigUInt64BE(BigInt(mdat.end - wide.start + 8), wide.start);
  expect(Buffer.from(await repackaged(withLongOffsets(file)))).toEqual(Buffer.from(expected));
});

/** Replaces each `stco` by `co64`, and corrects the sizes of the boxes around it. */
function withLongOffsets(file: Buffer): Buffer {
  const CONTAINERS = ["moov", "trak", "mdia", "minf", "stbl"];
  const rewritten = (from: number, to: number): Buffer =>
    Buffer.concat(
      boxesOf(file, from, to).map(({ type, start, end }) => {
        if (CONTAINERS.includes(type)) return sizedBox(type, rewritten(start, end));
        if (type !== "stco") return file.subarray(start - 8, end);
        const count = file.readUInt32BE(start + 4);
        const table = Buffer.alloc(8 + count * 8);
        file.copy(table, 0, start, start + 8);
        for (let row = 0; row < count; row += 1) {
          table.writeBigUInt64BE(BigInt(file.readUInt32BE(start + 8 + row * 4)), 8 + row * 8);
        }
        return sizedBox("co64", table);
      }),
    );
  const moovAt = file.indexOf("moov", file.byteLength / 2) - 4;
  return Buffer.concat([file.subarray(0, moovAt), rewritten(moovAt, file.byteLength)]);
}

test("parts of any size make the same file", async ({ expect }) => {
  const file = bytesOf("each-frame.mp4");
  const whole = await repackaged(file, 10_000_000);
  for (const bytes of [1, 7, 333, 4096]) expect(await repackaged(file, bytes)).toEqual(whole);
});

test("a file is read once for its frames, and little more for its boxes", async ({ expect }) => {
  const frames = Buffer.concat(Array.from({ length: 900 }, (_, at) => fragmentOf(at, 20_000)));
  const file = Buffer.concat([fragmentedHeader(), frames]);
  const planning = { reads: 0, bytes: 0 };
  const plan = await planMp4(sourceOf(file, planning));
  if (plan.kind !== "plan") throw new Error(plan.why);
  expect(planning.reads).toBeLessThanOrEqual(2 + 2 * Math.ceil(file.byteLength / (2 * 1024 * 1024)));
  const copying = { reads: 0, bytes: 0 };
  await plan.mp4.read(sourceOf(file, copying), 0, plan.mp4.bytes);
  expect(copying.reads).toBeLessThanOrEqual(2 + Math.ceil(file.byteLength / (2 * 1024 * 1024)));
  expect(copying.bytes).toBeLessThanOrEqual(file.byteLength);
  expect(plan.mp4.bytes).toBeLessThan(file.byteLength);
});

const fragmentedHeader = () => headerOf(bytesOf("explicit-base.mp4"));

/** Refused, or a file that the tables describe. */
async function outcomeOf(file: Uint8Array): Promise<{ plan: Mp4Plan; ms: number }> {
  const since = performance.now();
  const plan = await planMp4(sourceOf(file));
  if (plan.kind === "plan") await plan.mp4.read(sourceOf(file), 0, Math.min(plan.mp4.bytes, 1_000_000));
  return { plan, ms: performance.now() - since };
}

describe("a file that is cut off anywhere is refused", () => {
  test.for(["moov-last.mov", "moov-first.mov", "one-fragment.mp4"])("%s", async (name, { expect }) => {
    const file = bytesOf(name);
    for (let length = 1; length < file.byteLength - 100; length += 97) {
      const { plan } = await outcomeOf(file.slice(0, length));
      expect(plan.kind, `${length} bytes`).toBe("unfit");
    }
  });
});

/** The numbers of a table, all as large as they can be. */
function filled(name: string, type: string, at: number, value = 0xffff_fff0): Buffer {
  const file = Buffer.from(bytesOf(name));
  for (let found = file.indexOf(type); found >= 0; found = file.indexOf(type, found + 4)) {
    file.writeUInt32BE(value, found + 4 + at);
  }
  return file;
}

test.for([
  ["stsz", 8],
  ["stsz", 4],
  ["stsc", 4],
  ["stsc", 12],
  ["stco", 4],
  ["stco", 8],
  ["stts", 4],
  ["ctts", 4],
] as const)("%s that lies at %i is refused", async ([type, at], { expect }) => {
  const { plan, ms } = await outcomeOf(filled("moov-last.mov", type, at));
  expect(ms).toBeLessThan(1000);
  // The last frames of a chunk that has too many are those that exist.
  if (type === "stsc" && at === 12) return expect(["plan", "unfit"]).toContain(plan.kind);
  expect(plan).toMatchObject({ kind: "unfit" });
});

test.for([
  ["trun", 4],
  ["trun", 8],
  ["tfhd", 8],
] as const)("%s that lies at %i is refused", async ([type, at], { expect }) => {
  const { plan, ms } = await outcomeOf(filled("explicit-base.mp4", type, at, 0x7fff_fff0));
  expect(ms).toBeLessThan(1000);
  expect(plan).toMatchObject({ kind: "unfit" });
});

test("tracks that share their bytes do not make a large file of a small one", async ({ expect }) => {
  const file = Buffer.from(bytesOf("moov-last.mov"));
  const moov = boxesOf(file, 0, file.byteLength).findLast(({ type }) => type === "moov");
  if (!moov) throw new Error("no header");
  const traks = boxesOf(file, moov.start, moov.end).filter(({ type }) => type === "trak");
  const video = file.subarray((traks[0]?.start ?? 0) - 8, traks[0]?.end);
  const content = Buffer.concat([file.subarray(moov.start, moov.end), ...Array.from({ length: 8 }, () => video)]);
  const { plan } = await outcomeOf(Buffer.concat([file.subarray(0, moov.start - 8), sizedBox("moov", content)]));
  expect(plan).toEqual({ kind: "unfit", why: "damaged" });
});

test("a header of half a million boxes, and a file of many fragments, are bounded", async ({ expect }) => {
  const empty = sizedBox("free", Buffer.alloc(0));
  const boxes = Buffer.concat(Array.from({ length: 500_000 }, () => empty));
  const header = fragmentedHeader();
  const fragments = Buffer.concat(Array.from({ length: 120_000 }, (_, at) => fragmentOf(at, 0)));
  for (const file of [Buffer.concat([header, boxes]), Buffer.concat([header, fragments])]) {
    const { plan, ms } = await outcomeOf(file);
    // The count of boxes and frames ends the work; the time is that of a busy machine.
    expect(plan).toMatchObject({ kind: "unfit", why: expect.stringMatching(/too_complex|damaged/) });
    expect(ms).toBeLessThan(20_000);
  }
});

test("changed bytes never throw, and never make a larger file", async ({ expect }) => {
  let state = 47;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state % below;
  };
  for (const name of ["moov-last.mov", "timecode.mov", "edit-lists.mp4", "after-frames.mp4", "each-frame.mp4"]) {
    const original = bytesOf(name);
    for (let round = 0; round < 60; round += 1) {
      const file = original.slice();
      for (let change = 0; change < 8; change += 1) file[random(file.byteLength)] = random(256);
      const { plan, ms } = await outcomeOf(file);
      expect(ms).toBeLessThan(1000);
      if (plan.kind === "plan") expect(plan.mp4.bytes).toBeLessThan(original.byteLength + 100_000);
    }
  }
});
