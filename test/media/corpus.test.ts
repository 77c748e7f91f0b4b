import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "vitest";
import { fileProblems, fileWarnings } from "../../src/media/check.ts";
import { type ProbeOutcome, probe } from "../../src/media/probe.ts";
import { type PLATFORM_NAMES, POST_TYPES } from "../../src/platforms/names.ts";
import { findPlatform } from "../../src/platforms/registry.ts";
import type { FileRules, MediaFile } from "../../src/platforms/rules.ts";
import { COPY_MAKERS } from "../../src/posts/publish/copy-makers.ts";
import { planCopy } from "../../src/posts/publish/fit-files.ts";
import { serve } from "../support/media-files.ts";

/**
 * Files that foreign programs wrote in odd settings (corpus/make.sh), against what decoders say of them
 * (corpus/facts.sh) and against the rules of all platforms. With UPDATE_CORPUS=1 it writes the table of
 * docs/guides/media.md.
 */
const FOLDER = "test/media/corpus";
const names = readdirSync(FOLDER).filter((name) => !/\.(sh|tsv)$/.test(name));

interface Facts {
  /** "ok", or the complaint of a decoder. */
  readonly decoder: string;
  readonly video: readonly string[];
  readonly audio: readonly string[];
  readonly seconds: number;
}

const facts = new Map<string, Facts>(
  readFileSync(`${FOLDER}/facts.tsv`, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [file = "", decoder = "", video = "", audio = "", seconds = ""] = line.split("\t");
      return [file, { decoder, video: video.split(","), audio: audio.split(","), seconds: Number(seconds) }];
    }),
);

const bytesOf = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}`));
const probed = (name: string): Promise<ProbeOutcome> =>
  probe(serve(bytesOf(name)).read, `https://files.example.com/${name}`);
const factsOf = (name: string): Facts => {
  const found = facts.get(name);
  if (!found) throw new Error(`${name} is not in facts.tsv: run facts.sh.`);
  return found;
};

const VIDEO = /\.(mp4|mov|webm|mkv|3gp)$/;
/** Formats whose data are followed to their end. */
const PICTURE = /\.(jpg|png|gif|webp|bmp)$/;
const isOf = (pattern: RegExp) => names.filter((name) => pattern.test(name));

test("there are at least 150 files, and each has its command and its facts", ({ expect }) => {
  const commands = readFileSync(`${FOLDER}/make.sh`, "utf8");
  expect(names.length).toBeGreaterThanOrEqual(150);
  const rates = /^rate-[\w-]+\.mp4$/;
  const exif = /^exif-[1-8]\.jpg$/;
  expect(names.filter((name) => !commands.includes(name) && !rates.test(name) && !exif.test(name))).toEqual([]);
  expect(names.filter((name) => !facts.has(name))).toEqual([]);
});

/** Complaints about what does not change the picture. */
const HARMLESS = /extraneous bytes|CorruptImageProfile/;
/** What is refused although a decoder shows it, with the reason. */
const DISPUTED: Readonly<Record<string, string>> = {
  "cut-end.gif": "an animation that was cut between two pictures has no other sign",
  "empty.jpg": "no file",
  "text.jpg": "no file",
};

describe("a picture is refused as damaged if a decoder complains, and only then", () => {
  test.for(isOf(PICTURE))("%s", async (name, { expect }) => {
    const outcome = await probed(name);
    if (name in DISPUTED) return expect(outcome.kind).toBe("refused");
    const { decoder } = factsOf(name);
    if (decoder !== "ok" && !HARMLESS.test(decoder))
      expect(outcome, decoder).toMatchObject({ kind: "refused", check: { kind: "damaged" } });
    else expect(outcome).toMatchObject({ kind: "media" });
  });
});

test.for(isOf(PICTURE).filter((name) => !name.startsWith("exif") && !(name in DISPUTED)))(
  "%s has the size that a decoder shows",
  async (name, { expect }) => {
    const { decoder, video } = factsOf(name);
    const outcome = await probed(name);
    const [, width, height] = video.map(Number);
    if (decoder === "ok" || HARMLESS.test(decoder)) expect(outcome).toMatchObject({ media: { width, height } });
    else expect(outcome.kind).toBe("refused");
  },
);

const DOCUMENT = /\.(pdf|docx|pptx|doc)$/;
/** Where a document cannot be read cheaply to its pages. */
const UNCOUNTED = ["report.doc"];

test.for(isOf(DOCUMENT))("%s has the pages that a reader counts, or is refused", async (name, { expect }) => {
  const outcome = await probed(name);
  const { decoder, video } = factsOf(name);
  if (decoder === "ok") {
    const pages = UNCOUNTED.includes(name) ? null : Number(video[1]);
    return expect(outcome).toMatchObject({ kind: "media", media: { kind: "document", pages } });
  }
  const kind = /encrypted|password/.test(decoder) ? "locked" : "damaged";
  expect(outcome, decoder).toMatchObject({ kind: "refused", code: "media_invalid", check: { kind } });
});

test.for([
  ["macros.docm", "macros", "macros.docm is an office document with macros. Save it without them."],
  ["report.odt", "no_media", "report.odt is an OpenDocument text (ODT); only images, GIFs, videos and documents"],
  ["spreadsheet.xlsx", "no_media", "spreadsheet.xlsx is an Excel workbook; only images"],
] as const)("%s is refused by its name", async ([name, kind, message], { expect }) => {
  expect(await probed(name)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(message),
    check: { kind },
  });
});

const CODECS: Readonly<Record<string, string>> = {
  h264: "H.264",
  hevc: "HEVC",
  vp8: "VP8",
  vp9: "VP9",
  av1: "AV1",
  mpeg4: "MPEG-4 Visual",
  mpeg2video: "MPEG-2",
  h263: "H.263",
  mjpeg: "Motion JPEG",
  prores: "ProRes",
};
const AUDIO: Readonly<Record<string, string>> = {
  aac: "AAC",
  opus: "Opus",
  vorbis: "Vorbis",
  mp3: "MP3",
  ac3: "AC-3",
  eac3: "E-AC-3",
  alac: "ALAC",
  flac: "FLAC",
  pcm_s16le: "PCM",
  pcm_u8: "PCM",
};
const chromaOf = (format: string) =>
  /gray/.test(format) ? "4:0:0" : /444/.test(format) ? "4:4:4" : /422/.test(format) ? "4:2:2" : "4:2:0";
const depthOf = (format: string) => Number(/(\d+)[lb]e$/.exec(format)?.[1] ?? 8);

describe("a video is described as ffprobe describes it, and refused if it is cut off", () => {
  test.for(isOf(VIDEO))("%s", async (name, { expect }) => {
    const outcome = await probed(name);
    if (name.startsWith("cut")) {
      return expect(outcome).toMatchObject({ kind: "refused", check: { kind: "damaged" } });
    }
    const { video, audio, seconds } = factsOf(name);
    const [codec = "", , , format = "", rate = ""] = video;
    if (outcome.kind !== "media") return expect(outcome).toMatchObject({ kind: "media" });
    const { durationSeconds, encoding } = outcome.media;
    expect(encoding).toMatchObject({ codec: CODECS[codec] });
    if (Number.isFinite(seconds)) expect(Math.abs((durationSeconds ?? 0) - seconds)).toBeLessThan(0.1);
    // Decoders show gray as 4:2:0.
    if (encoding?.chroma && encoding.chroma !== "4:0:0") expect(encoding.chroma).toBe(chromaOf(format));
    if (encoding?.bitDepth) expect(encoding.bitDepth).toBe(depthOf(format));
    // A container states these for the codecs that people use.
    if (["h264", "hevc", "av1"].includes(codec)) expect(encoding?.chroma).not.toBeNull();
    const [frames = 0, per = 1] = rate.split("/").map(Number);
    if (encoding?.fps) expect(encoding.fps / (frames / per)).toBeCloseTo(1, 1);
    const [sound = "", hz, channels] = audio;
    expect(encoding?.audio?.codec ?? null).toBe(sound === "" ? null : (AUDIO[sound] ?? sound));
    if (encoding?.audio) {
      if (encoding.audio.channels !== null) expect(encoding.audio.channels).toBe(Number(channels));
      else expect(name).toMatch(/ac3|quad/);
      if (encoding.audio.hz !== null && sound !== "opus") expect(encoding.audio.hz).toBe(Number(hz));
    }
  });
});

test("frame rates that change are seen as such, and others are not", async ({ expect }) => {
  const ratesOf = async (name: string) => {
    const outcome = await probed(name);
    const { minFps = null, maxFps = null } = (outcome.kind === "media" && outcome.media.encoding) || {};
    return [minFps, maxFps].map((rate) => rate && Math.round(rate));
  };
  expect(await ratesOf("rate-variable.mp4")).toEqual([20, 60]);
  expect(await ratesOf("rate-variable-fast.mp4")).toEqual([30, 240]);
  expect(await ratesOf("rate-30.mp4")).toEqual([30, 30]);
  expect(await ratesOf("rate-60000-ntsc.mp4")).toEqual([60, 60]);
});

test("a high dynamic range is seen", async ({ expect }) => {
  const hdrOf = async (name: string) => {
    const outcome = await probed(name);
    return outcome.kind === "media" ? outcome.media.encoding?.hdr : outcome.kind;
  };
  expect(await Promise.all(["hevc-pq.mp4", "hevc-hlg.mp4", "hevc-10.mp4"].map(hdrOf))).toEqual(["PQ", "HLG", null]);
});

type Verdict = "yes" | "copy" | "warning" | "no";

/** A service with an engine for pictures, which plans copies and makes none here. */
const PICTURES = { pictures: { convert: () => Promise.reject(new Error("No copy is made.")) } };

/** From the best to the worst. */
const VERDICTS = ["yes", "copy", "warning", "no"] as const;

/** The best verdict of the platform's post types: there is at least one way to post the file, or none. */
function verdictOf(platform: (typeof PLATFORM_NAMES)[number], media: MediaFile): Verdict {
  const verdicts = POST_TYPES.flatMap((type): Verdict[] => {
    const rules = findPlatform(platform)?.rules({})[type];
    if (!rules) return [];
    const { files } = rules;
    const copy = planCopy(COPY_MAKERS, media, rules, PICTURES)?.plan.file;
    if (fileProblems(files, copy ?? media).length > 0) return ["no"];
    if (copy) return ["copy"];
    return [fileWarnings("media_urls", files, [media]).length > 0 ? "warning" : "yes"];
  });
  return VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? "no";
}

/** A video of the corpus as if it were long and large enough for every platform: only its encoding counts. */
const roomy = (media: MediaFile): MediaFile =>
  media.kind === "video" ? { ...media, bytes: 1_000_000, durationSeconds: 10 } : media;

const MARKS: Readonly<Record<Verdict, string>> = { yes: "✓", copy: "↻", warning: "?", no: "–" };
const TITLES = ["Facebook", "Instagram", "Threads", "X", "YouTube", "LinkedIn", "TikTok", "Bluesky"];
const COLUMNS = ["facebook", "instagram", "threads", "twitter", "youtube", "linkedin", "tiktok", "bluesky"] as const;

async function tableRows(): Promise<string[]> {
  const rows: string[] = [];
  for (const name of names) {
    const outcome = await probed(name);
    const cells =
      outcome.kind === "media"
        ? COLUMNS.map((platform) => MARKS[verdictOf(platform, roomy(outcome.media))])
        : COLUMNS.map(() => "–");
    const why = outcome.kind === "media" ? "" : outcome.message.replace(/^\S+ (?:is )?/, "").replace(/\.$/, "");
    rows.push(`| ${[name, ...cells, why].join(" | ")} |`);
  }
  return rows;
}

test("the table of the guide is that of the corpus", async ({ expect }) => {
  const head = [`| File | ${TITLES.join(" | ")} | Refused everywhere, because it is |`, `|${" --- |".repeat(10)}`];
  const table = [...head, ...(await tableRows())].join("\n");
  const path = "docs/guides/media.md";
  const guide = readFileSync(path, "utf8");
  const [before] = guide.split("\n| File |");
  const wanted = `${before}\n${table}\n`;
  if (process.env.UPDATE_CORPUS) writeFileSync(path, wanted);
  else expect(guide).toBe(wanted);
  expect(wanted).toContain(table);
});

test.for([
  ["h264-high.mp4", "✓✓✓✓✓✓✓✓"],
  ["h264-422-10.mp4", "?–?–????"],
  ["hevc.mp4", "✓✓✓–✓?✓?"],
  ["hevc-pq.mp4", "???–????"],
  ["vp9.mp4", "✓––– ✓?✓?".replace(" ", "")],
  ["av1.mp4", "✓–––✓?–?"],
  ["sound-opus.mp4", "?–––????"],
  ["sound-5-1.mp4", "?–––????"],
  ["rate-120.mp4", "?–––??–?"],
  ["rate-10.mp4", "✓––✓✓✓–✓"],
  ["rate-variable.mp4", "✓??✓✓✓?✓"],
  ["mpeg4.mp4", "?–––✓?–?"],
] as const)("%s is judged by each platform's documents", async ([name, expected], { expect }) => {
  const outcome = await probed(name);
  if (outcome.kind !== "media") throw new Error(outcome.message);
  const verdicts = COLUMNS.map((platform) => MARKS[verdictOf(platform, roomy(outcome.media))]);
  expect(verdicts.join("")).toBe(expected);
});

test("a warning names what is unusual, and what is safe", async ({ expect }) => {
  const outcome = await probed("h264-422-10.mp4");
  if (outcome.kind !== "media") throw new Error(outcome.message);
  const files = findPlatform("linkedin")?.rules({}).post?.files ?? {};
  expect(fileWarnings("media_urls", files, [outcome.media])).toEqual([
    {
      field: "media_urls",
      message:
        "media_urls: h264-422-10.mp4 has 4:2:2 chroma (High 4:2:2) and 10 bits a sample. The platform does not document whether it takes this; a video with H.264, 8 bit, 4:2:0, AAC is safe.",
      check: {
        kind: "undocumented",
        parts: ["h264-422-10.mp4", "4:2:2 (High 4:2:2), 10 bit", "H.264, 8 bit, 4:2:0, AAC"],
      },
    },
  ]);
});

test("a refusal names the encoding, and what is allowed", async ({ expect }) => {
  const rules = (findPlatform("instagram")?.rules({}).reel?.files.video ?? null) as FileRules;
  const messages = async (name: string) => {
    const outcome = await probed(name);
    return outcome.kind === "media" ? fileProblems({ video: rules }, outcome.media).map(({ message }) => message) : [];
  };
  expect(await messages("vp9.mp4")).toEqual([
    "vp9.mp4 is a video encoded as VP9; allowed here: H.264 and HEVC. Export it with H.264, 8 bit, 4:2:0, AAC.",
  ]);
  expect(await messages("h264-422-10.mp4")).toEqual([
    "h264-422-10.mp4 is a video with 4:2:2 chroma; allowed here: 4:2:0. Export it with H.264, 8 bit, 4:2:0, AAC.",
  ]);
  expect(await messages("rate-120.mp4")).toEqual(["rate-120.mp4 has 120 frames a second; at most 60 are allowed."]);
  expect(await messages("sound-opus.mp4")).toEqual([
    "sound-opus.mp4 is a video with Opus audio; allowed here: AAC and HE-AAC. Export it with H.264, 8 bit, 4:2:0, AAC.",
  ]);
  expect(await messages("sound-5-1.mp4")).toEqual(["sound-5-1.mp4 has 6 audio channels; at most 2 are allowed."]);
  expect(await messages("sound-96000.mp4")).toEqual([
    "sound-96000.mp4 has audio of 96 kHz; at most 48 kHz are allowed.",
  ]);
});

test("an animated GIF has a warning where it stands still, and a still one has none", async ({ expect }) => {
  const messages = async (name: string, standsStill: boolean) => {
    const outcome = await probed(name);
    const gif: FileRules = { mimes: ["image/gif"], maxBytes: 4_000_000, standsStill };
    return outcome.kind === "media" ? fileWarnings("media_urls", { gif }, [outcome.media]) : [];
  };
  for (const name of ["animated.gif", "optimized.gif", "comment.gif"]) {
    expect(await messages(name, true)).toMatchObject([
      { message: expect.stringContaining(`${name} is an animated GIF, which stands still there`) },
    ]);
    expect(await messages(name, false)).toEqual([]);
  }
  for (const name of ["still.gif", "interlaced.gif", "transparent.gif", "with-text.gif"]) {
    expect(await messages(name, true)).toEqual([]);
  }
});
