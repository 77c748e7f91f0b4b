import fc from "fast-check";
import { describe, test } from "vitest";
import type { Renewal } from "../../src/platforms/login.ts";
import type { Lists, Permalinks, ReadPermalink } from "../../src/platforms/publishing.ts";
import type { FileRules, PostRules, TextRules, TypeRules } from "../../src/platforms/rules.ts";
import { SAMPLES } from "./facts.ts";
import { faultCasesOf, operationsOf } from "./faults.ts";
import { type Declared, patienceSeconds, planOf } from "./plan.ts";
import { draw } from "./sample.ts";
import { hasVideo, type Shape } from "./shapes.ts";

/** What the contract suite would require of platforms that do not exist, by their declarations alone. */
const MB = 1024 * 1024;
const text: TextRules = { max: 2_200, measure: (value) => value.length, unit: "characters" };
const image: FileRules = { mimes: ["image/jpeg"], maxBytes: 8 * MB };
const video: FileRules = { mimes: ["video/mp4"], maxBytes: 100 * MB, minSeconds: 3, maxSeconds: 90 };
const upright: FileRules = { ...video, minRatio: 0.5, maxRatio: 0.6 };
const one = { min: 1, max: 1 };
const read: ReadPermalink = async () => ({ kind: "not_yet" });
const none = { min: 0, max: 0, of: {}, alone: [] };

interface Has {
  readonly remove?: boolean;
  readonly renewal?: Renewal;
  readonly permalink?: Permalinks;
}

const declared = (rules: PostRules, has: Has = {}): Declared => ({
  rules: () => rules,
  grants: { publish: { app: "facebook", ...(has.renewal ? { renewal: has.renewal } : {}) } },
  posts: {
    permalink: has.permalink ?? { shown: "at_once", read },
    ...(has.remove ? { remove: async () => ({ kind: "removed" }) } : {}),
  },
});
const contents = (shapes: readonly Shape[]) => Object.fromEntries(shapes.map(({ name, items }) => [name, items]));

/**
 * No text alone, files of two kinds side by side, an upright reel, alt texts of images; nothing can be
 * deleted, no token renewed, and permalinks come within the hour.
 */
const gallery = declared(
  {
    post: {
      text,
      media: { min: 1, max: 10, of: { image: 10, video: 10 }, alone: [] },
      files: { image: { ...image, maxAltText: 100 }, video },
      items: one,
    },
    reel: { text, media: { min: 1, max: 1, of: { video: 1 }, alone: [] }, files: { video: upright }, items: one },
    story: {
      text,
      media: { min: 1, max: 1, of: { image: 1, video: 1 }, alone: [] },
      files: { image, video: upright },
      items: one,
    },
  },
  { permalink: { shown: "later", forSeconds: 3_600, read } },
);

describe("a platform that needs media, cannot delete or renew, and reports permalinks late", () => {
  const plan = planOf(gallery, SAMPLES);

  test("is given every kind of media alone, several in order and several kinds, and no text alone", ({ expect }) => {
    expect(contents(plan.shapes)).toEqual({
      "an image": [["square.jpg"]],
      "a video": [["clip.mp4"]],
      "images in order": [["large.jpg", "landscape.jpg", "square.jpg"]],
      "mixed media in order": [["square.jpg", "clip.mp4"]],
      "a reel": [["reel.mp4"]],
      "a story": [["square.jpg"]],
      "a video story": [["reel.mp4"]],
    });
    expect(plan.typical).toEqual(plan.shapes);
  });

  test("is put under everything with the post of several kinds, its richest", ({ expect }) => {
    expect(plan.richest.name).toBe("mixed media in order");
    expect(operationsOf(plan.richest)).toEqual(["publish", "upload", "status"]);
  });

  test("may lack a permalink for so long", ({ expect }) => {
    expect(plan.permalinkSeconds).toBe(3_600);
  });

  test("gets the alt texts of the files that take one, and leaves out the others", ({ expect }) => {
    expect(plan.altTexts.map(({ shape, end }) => [shape.name, end])).toEqual([
      ["an image", "arrive"],
      ["a video", "arrive in part"],
      ["images in order", "arrive"],
      ["mixed media in order", "arrive in part"],
      ["a reel", "are left out"],
      ["a story", "are left out"],
      ["a video story", "are left out"],
    ]);
  });

  test("must refuse what it does not declare", ({ expect }) => {
    expect(plan.absentTypes).toEqual(["tweet", "thread"]);
    expect(plan).toMatchObject({ isRemovable: false, renewedBy: null });
    expect(plan.wrongCounts).toEqual([
      { type: "post", count: 0 },
      { type: "post", count: 11 },
      { type: "reel", count: 0 },
      { type: "reel", count: 2 },
      { type: "story", count: 0 },
      { type: "story", count: 2 },
    ]);
    const ofReel = plan.wrongFiles.filter(({ type }) => type === "reel").map(({ file }) => file);
    expect(ofReel).toEqual([
      "notes.txt",
      "missing.jpg",
      "square.jpg",
      "landscape.jpg",
      "square.png",
      "photo.webp",
      "large.jpg",
      "square.heic",
      "anim.gif",
      "clip.mp4",
      "clip.mov",
      "clip.webm",
      "slides.pdf",
    ]);
    const sentenceOf = (type: string, file: string) =>
      plan.wrongFiles.find((wrong) => wrong.type === type && wrong.file === file)?.sentence;
    expect("square.jpg is a JPEG file; allowed here: MP4.").toMatch(sentenceOf("reel", "square.jpg") ?? /$^/);
    expect("clip.mp4 is 1280×720 pixels, a ratio of 1.78").toMatch(sentenceOf("reel", "clip.mp4") ?? /$^/);
    expect("photo.webp is a WebP file; allowed here: JPEG and MP4.").toMatch(sentenceOf("post", "photo.webp") ?? /$^/);
    // No kind excludes others there.
    expect(plan.wrongFiles.filter(({ sentence }) => sentence.source.includes("together"))).toEqual([]);
  });
});

test("a platform of videos alone is given videos alone", ({ expect }) => {
  const refresh: Renewal["refresh"] = async () => ({ kind: "failed", reason: "down", message: "Not now." });
  const has: Has = { renewal: { by: "access_token", minAgeSeconds: 86_400, refresh }, permalink: { shown: "never" } };
  const media = { min: 1, max: 1, of: { video: 1 }, alone: [] };
  const plan = planOf(declared({ post: { text, media, files: { video }, items: one } }, has), SAMPLES);
  expect(contents(plan.shapes)).toEqual({ "a video": [["clip.mp4"]] });
  expect(plan.absentTypes).toEqual(["reel", "story", "tweet", "thread"]);
  expect(plan).toMatchObject({ isRemovable: false, renewedBy: "access_token", permalinkSeconds: null });
});

test("a platform of texts alone is given no file, and refuses one", ({ expect }) => {
  const plan = planOf(declared({ post: { text, media: none, files: {}, items: one } }, { remove: true }), SAMPLES);
  expect(contents(plan.shapes)).toEqual({ "a text": [[]] });
  expect(plan.wrongFiles).toEqual([]);
  expect(plan.wrongCounts).toEqual([{ type: "post", count: 1 }]);
  expect(operationsOf(plan.richest)).toEqual(["publish"]);
  expect(plan).toMatchObject({ isRemovable: true, renewedBy: null, permalinkSeconds: 0 });
});

describe("threads", () => {
  const media = { min: 0, max: 4, of: { image: 4, video: 1 }, alone: ["video"] } as const;
  const post: TypeRules = { text, media, files: { image, video }, items: one };
  const plan = planOf(declared({ post, thread: { ...post, items: { min: 2, max: 25 } } }), SAMPLES);

  test("are given bare and with media, and are the richest", ({ expect }) => {
    expect(contents(plan.shapes.filter(({ type }) => type === "thread"))).toEqual({
      "a thread": [[], [], []],
      "a thread with media": [["square.jpg"], ["clip.mp4"]],
    });
    expect(plan.richest.name).toBe("a thread with media");
  });

  test("are as long as is declared", ({ expect }) => {
    const short = planOf(declared({ thread: { ...post, items: { min: 2, max: 2 } } }), SAMPLES);
    expect(short.shapes.map(({ items }) => items.length)).toEqual([2, 2]);
    const long = planOf(declared({ thread: { ...post, items: { min: 5, max: 9 } } }), SAMPLES);
    expect(long.shapes.map(({ items }) => items.length)).toEqual([5, 5]);
  });

  test("lose an answer at every item", ({ expect }) => {
    const lost = faultCasesOf(plan.richest).filter(({ faults }) => faults[0]?.kind === "accept_then_drop");
    expect(lost.map(({ faults }) => [faults[0]?.operation, faults[0]?.times])).toContainEqual(["publish", 2]);
  });
});

describe("shapes", () => {
  const media = { min: 0, max: 4, of: { image: 4, gif: 1 }, alone: ["gif"] } as const;
  const gif: FileRules = { mimes: ["image/gif"], maxBytes: MB };
  const files = { image: { mimes: ["image/jpeg", "image/webp"], maxBytes: MB }, gif };
  const post: TypeRules = { text, media: { ...media, of: { image: 2, gif: 1 } }, files, items: one };

  test("have one more for every format that is not met otherwise", ({ expect }) => {
    const { shapes } = planOf(declared({ post: { ...post, media: { ...media, of: { image: 1, gif: 1 } } } }), SAMPLES);
    expect(shapes.filter(({ isVariant }) => isVariant)).toMatchObject([
      { name: "an image as WEBP", items: [["photo.webp"]] },
    ]);
  });

  test("are few for a second name of the same thing", ({ expect }) => {
    const { shapes } = planOf(declared({ post, tweet: { ...post } }), SAMPLES);
    expect(shapes.filter(({ type }) => type === "tweet")).toMatchObject([
      { name: "a tweet", isVariant: true },
      { name: "a tweet of images in order", isVariant: true },
    ]);
  });

  test("are missed where no sample fits what is declared", ({ expect }) => {
    const long: FileRules = { ...video, minSeconds: 60 };
    const rules = {
      post: { text, media: { min: 0, max: 1, of: { video: 1 }, alone: [] }, files: { video: long }, items: one },
    };
    expect(() => planOf(declared(rules), SAMPLES)).toThrow("No sample fits what a post is declared to take: a video.");
  });
});

describe("what happens to a shape", () => {
  const named = (name: string, items: readonly (readonly string[])[]): Shape => ({ name, type: "post", items });

  test("is what can happen to its files", ({ expect }) => {
    const kinds = (shape: Shape) =>
      new Set(faultCasesOf(shape).flatMap(({ faults }) => faults.map((one) => one.operation)));
    expect(kinds(named("a text", [[]]))).toEqual(new Set(["publish", "status"]));
    expect(kinds(named("an image", [["square.jpg"]]))).toEqual(new Set(["publish", "upload", "status"]));
    const processing = (shape: Shape) =>
      faultCasesOf(shape).some(({ faults }) => faults[0]?.kind === "processing_failed");
    expect([processing(named("an image", [["square.jpg"]])), processing(named("a video", [["clip.mp4"]]))]).toEqual([
      false,
      true,
    ]);
  });

  test("is distinguished by its sentences", ({ expect }) => {
    const sentences = faultCasesOf(named("a video", [["clip.mp4"]])).map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
  });
});

test("what a platform refuses twice is sent again at once, all else when its lists have caught up", ({ expect }) => {
  const lists: Lists = {
    lagSeconds: 600,
    usualLagSeconds: 30,
    refusesRepeat: ({ items }, index) => items[index]?.media[0]?.kind === "image",
  };
  const patience = (files: readonly string[]) =>
    patienceSeconds(lists, { name: "any", type: "post", items: [files] }, SAMPLES);
  expect([patience([]), patience(["square.jpg"]), patience(["clip.mp4"])]).toEqual([600, 0, 600]);
});

describe("drawing", () => {
  const labels = fc.string({ maxLength: 20 });
  const lists = fc.uniqueArray(fc.integer(), { maxLength: 40 });

  test("one seed draws the same, so many, in their order", ({ expect }) => {
    fc.assert(
      fc.property(fc.integer(), labels, lists, fc.nat(45), (seed, label, list, count) => {
        const chosen = draw(seed, label, list, count);
        expect(chosen).toEqual(draw(seed, label, list, count));
        expect(chosen).toHaveLength(Math.min(count, list.length));
        expect(list.filter((value) => chosen.includes(value))).toEqual(chosen);
      }),
    );
  });

  test("over all seeds everything is drawn", ({ expect }) => {
    const list = Array.from({ length: 20 }, (_, index) => index);
    const met = new Set(Array.from({ length: 200 }, (_, seed) => draw(seed, "a label", list, 2)).flat());
    expect(met.size).toBe(list.length);
  });

  test("labels draw independently", ({ expect }) => {
    const list = Array.from({ length: 50 }, (_, index) => index);
    expect(draw(1, "one", list, 5)).not.toEqual(draw(1, "another", list, 5));
  });
});

test("samples are distinguished by their kind as by their name", ({ expect }) => {
  for (const { name, kind } of SAMPLES)
    expect(hasVideo({ name, type: "post", items: [[name]] })).toBe(kind === "video");
});
