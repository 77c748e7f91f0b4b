import { afterEach, beforeAll, describe, test } from "vitest";
import {
  calm,
  createAnswer,
  flaws,
  Homes,
  media,
  NAMES,
  type Name,
  outcomeOf,
  type Shape,
  send,
} from "./contract-world.ts";
import { queuesIdle } from "./support/queue.ts";

/** Files that a platform does not take: the post fails with a sentence that names the file, and nothing is live. */
const homes = new Homes();
beforeAll(() => homes.connect());
afterEach(calm);

type Wrong = readonly [file: string, sentence: RegExp, type?: Shape["type"] | undefined, others?: readonly string[]];

const EVERYWHERE: readonly Wrong[] = [
  ["notes.txt", /^notes\.txt is neither an image nor a video/],
  ["missing.jpg", /^missing\.jpg could not be read: .*404/],
  ["large.jpg", /^large\.jpg has 5\.21 MB; at most [45] MB are allowed\.$/],
  ["notes.txt", /^notes\.txt is neither/, undefined, ["square.jpg"]],
  ["clip.mp4", /^clip\.mp4: a video cannot be posted together with images\.$/, undefined, ["square.jpg"]],
];

const OWN: Readonly<Record<Name, readonly Wrong[]>> = {
  facebook: [
    ["photo.webp", /^photo\.webp is a WebP file; allowed here: JPEG, PNG, BMP and TIFF\.$/],
    ["square.jpg", /^square\.jpg is a JPEG file; allowed here: MP4\.$/, "reel"],
    ["clip.mp4", /^clip\.mp4 .*(ratio|pixels|lasts)/, "reel"],
    ["anim.gif", /^anim\.gif is a GIF file; allowed here: /, "story"],
    ["large.jpg", /^large\.jpg has 5\.21 MB/, "story"],
  ],
  twitter: [
    ["anim.gif", /^anim\.gif: a GIF cannot be posted together with images\.$/, "tweet", ["square.jpg"]],
    ["large.jpg", /^large\.jpg has 5\.21 MB; at most 5 MB are allowed\.$/, "tweet"],
  ],
};

describe.for(NAMES)("%s", (name) => {
  test.for([...EVERYWHERE, ...OWN[name]])(
    "%s fails with %s (%s, after %j)",
    async ([file, sentence, type = "post", others = []], { expect }) => {
      const shape: Shape = { name: file, type, items: [[...others, file]], isSilent: type === "story" };
      const sent = await send(homes.on(name), shape);
      await queuesIdle();
      const outcome = await outcomeOf(sent);
      expect(flaws(sent, outcome)).toEqual([]);
      expect(outcome).toMatchObject({ state: "failed", live: [] });
      expect(outcome.error).toMatch(sentence);
    },
  );

  test("more files than fit are refused at once", async ({ expect }) => {
    const media_urls = Array.from({ length: 11 }, () => media("square.jpg"));
    const answer = await createAnswer(homes.on(name), { caption_text: "many", media_urls });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("11 media files given");
  });
});

test("a wrong file of a thread is told with its item, and nothing of the thread is live", async ({ expect }) => {
  const shape: Shape = { name: "thread", type: "thread", items: [["square.jpg"], ["notes.txt"]] };
  const sent = await send(homes.on("twitter"), shape);
  await queuesIdle();
  const outcome = await outcomeOf(sent);
  expect(outcome).toMatchObject({ state: "failed", live: [] });
  expect(outcome.error).toContain("notes.txt");
});
