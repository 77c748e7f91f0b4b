import { describe, test } from "vitest";
import type { Json } from "../../../src/platforms/context.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import type { PostType } from "../../../src/platforms/names.ts";
import type { PlatformPost } from "../../../src/platforms/publishing.ts";
import type { Media } from "../../../src/platforms/rules.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";
import { list, refused, time } from "../meta/graph-answers.ts";

/** The outcome of calls whose answer was lost; permalinks and removal. */

const { posts, comments } = instagram;
const IG = { id: "17841", username: "acme", attributes: { login: "facebook" } };

const status = (status_code: string): Scripted => ({ body: { id: "c", status_code } });
const counted = (quota_usage: number): Scripted => ({
  body: { data: [{ quota_usage, config: { quota_total: 100, quota_duration: 86_400 } }] },
});
const item = (id: string, caption: string | null, more: object = {}) => ({
  id,
  ...(caption === null ? {} : { caption }),
  timestamp: time(1000),
  permalink: `https://www.instagram.com/p/${id}/`,
  media_type: "IMAGE",
  media_product_type: "FEED",
  ...more,
});

const progress = (count: number, former: readonly string[] = [], more: object = {}): Json => ({
  containers: Array.from({ length: count }, (_, index) => ({
    id: `c${index}`,
    madeAt: NOW,
    isFinished: true,
    ...more,
  })),
  unreachable: 0,
  remakes: 0,
  returns: 0,
  former: [...former],
});

interface Asked {
  readonly type?: PostType;
  readonly files?: readonly Media[];
  readonly text?: string;
  readonly taken?: readonly string[];
  readonly former?: readonly string[];
  readonly container?: object;
}

async function find(
  { type = "post", files = [image("a.jpg")], text = "Hello world", taken = [], former, container }: Asked,
  ...answers: readonly (Scripted | "lost")[]
) {
  const { send, calls } = scriptedSend(...answers);
  const stored = progress(files.length > 1 ? files.length + 1 : 1, former, container);
  const request = { index: 0, previous: [], since: NOW, taken: new Set(taken) };
  const outcome = await posts.find(accountContext(send, IG), content(type, [text, ...files]), stored, request);
  return { outcome, calls };
}

const found = (id: string) => ({
  kind: "found",
  post: { id, secondaryId: null, permalink: `https://www.instagram.com/p/${id}/` },
});
const OURS = item("1", "Hello world");
const BY_HAND = item("2", "Something else entirely");

describe("a container that was published", () => {
  const PUBLISHED = status("PUBLISHED");

  test("is the post of its caption, kind and time; the list is read from a minute before the act", async ({
    expect,
  }) => {
    const { outcome, calls } = await find({}, PUBLISHED, list(BY_HAND, OURS));
    expect(outcome).toEqual(found("1"));
    expect(calls[1]).toMatchObject({
      url: "https://graph.facebook.com/v27.0/17841/media",
      query: { since: Math.floor((NOW - MINUTE) / 1000) },
    });
  });

  test("before the latest call is looked up since the container was made", async ({ expect }) => {
    const container = { madeAt: NOW - 10 * MINUTE, isPublished: true };
    const { outcome, calls } = await find(
      { container },
      PUBLISHED,
      list(item("1", "Hello world", { timestamp: time(-5 * MINUTE) })),
    );
    expect(outcome).toEqual(found("1"));
    expect(calls[1]?.query).toMatchObject({ since: Math.floor((NOW - 11 * MINUTE) / 1000) });
  });

  test("also where white space and invisible characters were changed", async ({ expect }) => {
    const sent = "Hello \u200bworld\n\nand all";
    expect((await find({ text: sent }, PUBLISHED, list(item("1", "Hello world and all")))).outcome).toEqual(found("1"));
  });

  test.for([
    ["is listed with another caption", list(BY_HAND)],
    ["is listed with a similar one", list(item("1", "Hello world …"))],
    ["is not listed", list()],
    ["was listed before the act", list(item("1", "Hello world", { timestamp: time(-2 * MINUTE) }))],
    ["is another post's of this service", list(item("taken", "Hello world"))],
    ["is of another kind", list(item("1", "Hello world", { media_type: "VIDEO", media_product_type: "REELS" }))],
  ] as const)("and that %s is live, somewhere: never absent", async ([, answer], { expect }) => {
    const { outcome } = await find({ taken: ["taken"] }, PUBLISHED, answer);
    expect(outcome).toMatchObject({ kind: "unknown", message: expect.stringContaining("does not list it yet") });
  });

  test("of two alike the one nearest to the act is ours", async ({ expect }) => {
    const later = item("later", "Hello world", { timestamp: time(20 * MINUTE) });
    expect((await find({}, PUBLISHED, list(later, OURS))).outcome).toEqual(found("1"));
  });

  test("a carousel has as many files; a reel is a video", async ({ expect }) => {
    const files = [image("a.jpg"), video("b.mp4")];
    const album = (count: number, id: string) =>
      item(id, "Hello world", {
        media_type: "CAROUSEL_ALBUM",
        children: { data: Array.from({ length: count }, (_, index) => ({ id: `${index}` })) },
      });
    expect((await find({ files }, PUBLISHED, list(album(3, "2"), album(2, "1")))).outcome).toEqual(found("1"));
    const reel = item("1", "Hello world", { media_type: "VIDEO", media_product_type: "REELS" });
    expect(
      (await find({ files: [video("b.mp4")] }, PUBLISHED, list(OURS, { ...reel, id: "3" }))).outcome,
    ).toMatchObject({
      post: { id: "3" },
    });
    // A field that is absent is no evidence against it.
    const bare = { id: "1", caption: "Hello world", timestamp: time(0), permalink: "https://www.instagram.com/p/1/" };
    expect((await find({ files }, PUBLISHED, list(bare))).outcome).toEqual(found("1"));
  });

  test("after another was made in its place: it is found all the same", async ({ expect }) => {
    const { outcome, calls } = await find({ former: ["old"] }, status("FINISHED"), PUBLISHED, list(OURS));
    expect(outcome).toEqual(found("1"));
    expect(calls[1]?.url).toContain("/old");
  });
});

describe("a container that is ready", () => {
  const READY = status("FINISHED");

  test("was not published when nothing like it is listed and nothing was counted", async ({ expect }) => {
    const { outcome, calls } = await find({}, READY, list(), counted(0));
    expect(outcome).toEqual({ kind: "absent" });
    expect(calls[2]?.query).toMatchObject({ since: Math.floor((NOW - MINUTE) / 1000) });
  });

  test("or when all that was counted is listed, as a post or as a story", async ({ expect }) => {
    expect((await find({}, READY, list(BY_HAND), counted(1))).outcome).toEqual({ kind: "absent" });
    const story = item("s", null);
    expect((await find({}, READY, list(BY_HAND), counted(2), list(story))).outcome).toEqual({ kind: "absent" });
    expect((await find({}, READY, list(BY_HAND), counted(3), list(story))).outcome).toMatchObject({ kind: "unknown" });
  });

  test("may be the one that is listed alike, by a call that is still under way", async ({ expect }) => {
    for (const caption of ["Hello world", "Hello world …"]) {
      expect((await find({}, READY, list(item("1", caption)))).outcome).toMatchObject({ kind: "unknown" });
    }
  });

  test.for([
    ["the count cannot be read", [list(), "lost"], { kind: "failed", reason: "down" }],
    ["the list cannot be read", ["lost"], { kind: "failed", reason: "down" }],
    [
      "the list goes on",
      Array.from({ length: 4 }, (_, at) => ({
        body: { data: [BY_HAND], paging: { cursors: { after: `${at}` }, next: "https://graph.facebook.com/next" } },
      })),
      { kind: "unknown" },
    ],
  ] as const)("is no proof where %s", async ([, answers, expected], { expect }) => {
    expect((await find({}, READY, ...answers)).outcome).toMatchObject(expected);
  });
});

describe("a container of which less is known", () => {
  test.for(["EXPIRED", "ERROR"])(
    "%s: it was not published, and nothing like it is listed",
    async (code, { expect }) => {
      expect((await find({}, status(code), list(BY_HAND))).outcome).toEqual({ kind: "absent" });
      expect((await find({}, status(code), list(OURS))).outcome).toMatchObject({ kind: "unknown" });
    },
  );

  test.for([
    ["still being processed", status("IN_PROGRESS")],
    ["in a state that nobody knows", status("SOMETHING_NEW")],
  ] as const)("%s: nobody knows", async ([, answer], { expect }) => {
    expect((await find({}, answer, list())).outcome).toMatchObject({ kind: "unknown" });
    expect((await find({}, answer, list(OURS))).outcome).toMatchObject({ kind: "unknown" });
  });

  test.for([
    [100, 33],
    [10, undefined],
  ] as const)("unreadable (%i): the list alone decides", async ([code, subcode], { expect }) => {
    const unreadable = refused(code, subcode);
    expect((await find({}, unreadable, list(OURS))).outcome).toEqual(found("1"));
    expect((await find({}, unreadable, list())).outcome).toMatchObject({ kind: "unknown" });
  });

  test("unreachable: it is looked up again", async ({ expect }) => {
    expect((await find({}, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await find({}, refused(4, 2207051))).outcome).toMatchObject({
      kind: "failed",
      reason: "throttled",
      retryAfterSeconds: 10_800,
    });
  });
});

describe("a story", () => {
  const story = (id: string) => item(id, null, { media_product_type: "STORY" });
  const requested: Asked = { type: "story", taken: ["taken"] };

  test("is found when it is the one new story, in a list of its own", async ({ expect }) => {
    const { outcome, calls } = await find(requested, status("PUBLISHED"), list(story("taken"), story("1")));
    expect(outcome).toEqual(found("1"));
    expect(calls[1]?.url).toContain("/17841/stories");
  });

  test.for([
    ["two are new", "PUBLISHED", list(story("1"), story("2"))],
    ["none is there yet", "PUBLISHED", list()],
    ["it may not be published", "FINISHED", list(story("1"))],
  ] as const)("is not reported where %s", async ([, code, answer], { expect }) => {
    expect((await find(requested, status(code), answer)).outcome).toMatchObject({ kind: "unknown" });
  });
});

describe("permalinks", () => {
  const LIVE: PlatformPost = { id: "180", secondaryId: null, permalink: null };
  const read = async (...answers: readonly (Scripted | "lost")[]) => {
    const { permalink } = posts;
    if (permalink.shown !== "at_once") throw new Error("It is reported at once.");
    return permalink.read(accountContext(scriptedSend(...answers).send, IG), LIVE);
  };

  test("are read of the post, or of the list where that cannot be read", async ({ expect }) => {
    const reported = { kind: "found", post: { ...LIVE, permalink: "https://www.instagram.com/p/180/" } };
    const link = { id: "180", permalink: "https://www.instagram.com/p/180/" };
    expect(await read({ body: link })).toEqual(reported);
    expect(await read(refused(100, 33), list(BY_HAND, link))).toEqual(reported);
  });

  test("may be missing for a while", async ({ expect }) => {
    expect(await read({ body: { id: "180" } })).toEqual({ kind: "not_yet" });
    expect(await read(refused(100, 33), list())).toMatchObject({ kind: "failed" });
  });
});

describe("removal", () => {
  const LIVE: PlatformPost = { id: "180", secondaryId: null, permalink: null };
  async function remove(type: PostType, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await posts.remove?.(accountContext(send, IG), type, LIVE), calls };
  }
  const GONE = refused(100, 33);

  test("of what is not found is done only when the list lacks it too", async ({ expect }) => {
    expect((await remove("post", GONE, list({ id: "180" }))).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await remove("post", GONE, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await remove("story", GONE, list())).calls[1]?.url).toContain("/stories");
  });

  test.for([
    ["a fatal error", refused(-1, 2207085), { reason: "down" }],
    ["a kind that is not deleted", refused(-1, 2207073), { reason: "rejected", code: "unsupported_by_platform" }],
    // The channel publishes all the same.
    ["a permission that is missing", refused(200), { reason: "rejected" }],
    ["a dead token", refused(190, 463), { reason: "token_expired" }],
  ] as const)("is refused by %s", async ([, answer, expected], { expect }) => {
    expect((await remove("post", answer)).outcome).toMatchObject({ kind: "failed", ...expected });
  });

  test("is not pretended for an account of Instagram Login", async ({ expect }) => {
    const { send, calls } = scriptedSend();
    const context = accountContext(send, { ...IG, attributes: { login: "instagram" } });
    const outcome = await posts.remove?.(context, "post", LIVE);
    expect(outcome).toMatchObject({ kind: "failed", code: "unsupported_by_platform" });
    expect(calls).toEqual([]);
  });
});

describe("a comment whose answer was lost", () => {
  const LIVE: PlatformPost = { id: "180", secondaryId: null, permalink: null };
  const comment = (id: string, more: object = {}) => ({
    id,
    text: "The first",
    timestamp: time(1000),
    username: "acme",
    ...more,
  });
  async function check(...answers: readonly (Scripted | "lost")[]) {
    const request = { text: "The first", since: NOW, taken: new Set(["taken"]), progress: null };
    return comments.find(accountContext(scriptedSend(...answers).send, IG), { post: LIVE, comment: null }, request);
  }

  test.for([
    ["by the account's name", comment("1")],
    ["by the account's id", comment("1", { username: undefined, from: { id: "17841" } })],
    ["with white space changed", comment("1", { text: " The  first\n" })],
  ] as const)("is found %s", async ([, one], { expect }) => {
    expect(await check(list(comment("taken"), one))).toEqual({ kind: "found", id: "1" });
  });

  test.for([
    ["nothing is there", []],
    ["only another's is there", [comment("1", { username: "somebody" })]],
    ["only another text is there", [comment("1", { text: "Another" })]],
    ["only an older one is there", [comment("1", { timestamp: time(-2 * MINUTE) })]],
    ["only what is taken is there", [comment("taken")]],
  ] as const)("is absent where %s", async ([, items], { expect }) => {
    expect(await check(list(...items))).toEqual({ kind: "absent" });
  });

  test("is not reported where its author is not shown, or the list does not end", async ({ expect }) => {
    expect(await check(list(comment("1", { username: undefined })))).toMatchObject({ kind: "unknown" });
    const more = (at: number): Scripted => ({
      body: { data: [comment("x", { text: "y" })], paging: { cursors: { after: `${at}` }, next: "https://x" } },
    });
    expect(await check(more(1), more(2), more(3), more(4))).toMatchObject({ kind: "unknown" });
    expect(await check("lost")).toMatchObject({ kind: "failed", reason: "down" });
  });
});
