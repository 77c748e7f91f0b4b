import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../support/queue.ts";
import { eventsOf } from "../support/queueing.ts";
import { sandbox } from "../support/sandbox.ts";
import type { FaultKind } from "./faults.ts";
import { crossed, DRAWN, drawn } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import {
  bodyOf,
  calm,
  contentOf,
  createAnswer,
  factsOf,
  flaws,
  Homes,
  hashOf,
  media,
  NAMES,
  outcomeOf,
  planFor,
  send,
  shapeOf,
  shapesOn,
} from "./world.ts";

/**
 * Files that a platform does not take: the post fails with a sentence that names the file, and nothing is
 * live. What files show, in words: it arrives, or is not passed over in silence. And a video of several
 * parts: read by ranges, never whole, sent part by part, and whole again at the platform.
 */
const homes = new Homes();
const BIG = "https://files.example.com/big.mp4";
const BYTES = 9 * 1024 * 1024;
const reach = globalThis.fetch;
let largestRead = 0;
let beforeRead = async () => {};

/** The sandbox's clip, made large by a box that players skip. */
async function bigVideo(bytes = BYTES): Promise<Uint8Array<ArrayBuffer>> {
  const clip = new Uint8Array(await (await env.SANDBOX.fetch(media("clip.mp4"))).arrayBuffer());
  const video = new Uint8Array(bytes);
  video.set(clip);
  const rest = new DataView(video.buffer, clip.byteLength);
  rest.setUint32(0, rest.byteLength);
  video.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  for (let at = clip.byteLength + 8; at < bytes; at += 997) video[at] = at % 251;
  return video;
}

let video = new Uint8Array();
beforeAll(async () => {
  await homes.connect();
  globalThis.fetch = async (input, init) => {
    if (input !== BIG) return reach(input, init);
    await beforeRead();
    const [, start = "0", end = "0"] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "") ?? [];
    const part = video.slice(Number(start), Number(end) + 1);
    largestRead = Math.max(largestRead, part.byteLength);
    const headers = { "content-range": `bytes ${start}-${Number(start) + part.byteLength - 1}/${video.byteLength}` };
    return new Response(part, { status: 206, headers });
  };
});
afterEach(calm);
afterAll(() => {
  globalThis.fetch = reach;
});

/** How many wrong files of a platform are tried in one run. */
const DRAWN_WRONG = 8;

describe.for(NAMES)("%s", (name) => {
  const { wrongFiles, wrongCounts } = planFor(name);

  test.for(
    crossed(`${name} wrong files`, wrongFiles, DRAWN_WRONG).map(
      (one) => [one.type, one.file, one.before, one] as const,
    ),
  )("a %s fails with %s (after %j)", async ([type, file, before, { sentence, code }]) => {
    const shape: Shape = { name: file, type, items: [[...before, file]] };
    // Otherwise a copy that fits is made of some (test/posts/publish/fitted-pictures.test.ts).
    const options = { ...Object(factsOf(name).required.options), fit: "strict" };
    const sent = await send(homes.on(name), shape, { options });
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome).toMatchObject({ state: "failed", code, live: [] });
    expect(outcome.error).toMatch(sentence);
  });

  test.for(wrongCounts.map(({ type, count }) => [type, count] as const))(
    "a %s of %i files is refused at once",
    async ([post_type, count]) => {
      const media_urls = Array.from({ length: count }, () => media("square.jpg"));
      const answer = await createAnswer(homes.on(name), { post_type, caption_text: "a number of files", media_urls });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toMatch(
        new RegExp(`media_urls must have [^.]* media files? [^.]*, not ${count}\\.`),
      );
    },
  );
});

const Described = z.looseObject({ alt_texts: z.array(z.string().nullable()) });
const ALT_TEXTS = NAMES.flatMap((name) =>
  planFor(name).altTexts.map(({ shape, end, taken }) => [name, shape.name, end, shape, taken] as const),
);

test.for(ALT_TEXTS)("%s, %s: alt texts of all its files %s", async ([name, , end, shape, taken]) => {
  const alt_texts = shape.items.flat().map((_, index) => `What file ${index + 1} shows`);
  const home = homes.on(name);
  const sent = await send(home, shape, { alt_texts });
  await queuesIdle();
  const outcome = await outcomeOf(sent);
  expect(flaws(sent, outcome)).toEqual([]);
  expect(outcome.state).toBe("published");
  const arrived = alt_texts.map((text, index) => (taken[index] ? text : null));
  expect(outcome.live.map((post) => Described.parse(post).alt_texts)).toEqual([arrived]);
  const fields = taken.flatMap((isTaken, index) => (isTaken ? [] : [`alt_texts.${index}`]));
  const left = (await eventsOf(home.project, sent.id)).filter(({ type }) => type === "post.left_out");
  expect(left.map(({ detail }) => detail)).toEqual(
    end === "arrive" ? [] : [{ fields: end === "are left out" ? ["alt_texts"] : fields }],
  );
  const shown = await createAnswer(home, { ...bodyOf(shape, crypto.randomUUID()), alt_texts, publish_mode: "draft" });
  expect(shown.warnings).toEqual(
    end === "are left out" ? ["`alt_texts` is left out: posts of this type have no alt texts."] : [],
  );
});

const THREADS = shapesOn(({ typical }) => typical.filter(({ items }) => items.flat().length > 0 && items.length > 1));

test.for(THREADS)(
  "%s, %s: a wrong file is reported with its item, and nothing of the thread is live",
  async ([name, , shape]) => {
    const items = shape.items.map((files, index) => (index === 1 ? ["notes.txt"] : files));
    const sent = await send(homes.on(name), { ...shape, items });
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(outcome).toMatchObject({ state: "failed", live: [] });
    expect(outcome.error).toContain("notes.txt");
  },
);

const TROUBLE: readonly FaultKind[] = ["error", "rate_limit", "accept_then_drop", "accept_then_error"];
/** So many of them are tried in one run. */
const DRAWN_TROUBLE = 1;

const IN_PARTS = NAMES.flatMap((name) => factsOf(name).sendsParts.map((shape) => [name, shape] as const));

describe.for(IN_PARTS)("%s, %s", ([name, shape]) => {
  beforeAll(async () => {
    video = await bigVideo(factsOf(name).largeBytes);
  });

  async function expectWhole(onRead: () => Promise<void>): Promise<void> {
    const sent = await send(homes.on(name), shapeOf(name, shape), { media_urls: [BIG] });
    beforeRead = onRead;
    await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(outcome.error).toBeUndefined();
    expect(flaws(sent, outcome)).toEqual([]);
    const [file = ""] = outcome.live[0]?.media ?? [];
    expect(await contentOf(file)).toBe(await hashOf(video.buffer));
    expect(largestRead).toBeLessThanOrEqual(8 * 1024 * 1024);
  }

  test("a large file arrives whole, and is never whole in memory", () => expectWhole(async () => {}));

  test.for(drawn(`${name} ${shape} parts`, TROUBLE, DRAWN_TROUBLE))(
    `a large file arrives whole with %s in the middle of it (${DRAWN})`,
    async (trouble) => {
      let reads = 0;
      await expectWhole(async () => {
        reads += 1;
        // Two calls of the upload go well, and then not.
        if (reads === 4) await sandbox.fault(name, "upload", trouble, 2);
      });
      expect(reads).toBeGreaterThan(3);
    },
  );
});
