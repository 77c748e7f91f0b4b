import { test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { likeness } from "../../../src/platforms/facebook/likeness.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend, video } from "../../scripted-send.ts";

/** The outcome of a publishing call whose answer was lost: texts, photos and stories. */
const { posts } = facebook;
const LOOK = { index: 0, previous: [], since: NOW - 10_000, taken: new Set<string>() };
const NOTHING = { photos: [], video: null };
const OURS = { application: { id: "app", name: "Belfry" } };
const PHOTO = { type: "photo", media_type: "photo", target: { id: "77" } };

interface Shown {
  readonly seconds?: number;
  readonly attachments?: readonly unknown[];
  readonly application?: { readonly id: string };
}

/** A post as Facebook lists it; our own by default, made so many seconds from now. */
const shown = (id: string, message: string | undefined, { seconds = -5, attachments, ...rest }: Shown = {}) => ({
  id,
  message,
  created_time: new Date(NOW + seconds * 1000).toISOString().replace(".000Z", "+0000"),
  permalink_url: `https://www.facebook.com/${id}`,
  ...(attachments ? { attachments: { data: attachments } } : {}),
  ...("application" in rest ? rest : OURS),
});

/** A page of a list; `next` as Graph writes it, with the token in it. */
const page = (data: readonly unknown[], after?: string): Scripted => ({
  body: {
    data,
    paging: after
      ? {
          cursors: { before: "B", after },
          next: `https://graph.facebook.com/v27.0/104/x?access_token=TOKEN&after=${after}`,
        }
      : { cursors: { before: "B", after: "LAST" } },
  },
});

const found = (id: string) => ({
  kind: "found",
  post: { id, secondaryId: null, permalink: `https://www.facebook.com/${id}` },
});

function findText(text: string, ...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(...answers);
  return { calls, outcome: posts.find(accountContext(send), content("post", [text]), NOTHING, LOOK) };
}

test("a lost text is found by its text, but not one that is older, taken or shows a file", async ({ expect }) => {
  const data = [
    shown("104_1", "hello", { seconds: -300 }),
    shown("104_2", "hello"),
    shown("104_4", "hello", { seconds: -8, attachments: [PHOTO] }),
  ];
  const { send, calls } = scriptedSend(page(data), page(data));
  const context = accountContext(send);
  expect(await posts.find(context, content("post", ["hello"]), NOTHING, LOOK)).toEqual(found("104_2"));
  expect(calls[0]?.query).toMatchObject({ since: NOW / 1000 - 70, limit: 100 });
  const request = { ...LOOK, taken: new Set(["104_2"]) };
  expect(await posts.find(context, content("post", ["hello"]), NOTHING, request)).toEqual({ kind: "absent" });
});

test.for([
  ["another app's", { application: { id: "555" } }],
  ["one made by hand", { application: undefined }],
] as const)("%s is not ours, whatever it says", async ([, by], { expect }) => {
  const data = [{ ...shown("104_2", "hello"), ...by }];
  expect(await findText("hello", page(data)).outcome).toEqual({ kind: "absent" });
  const { calls, outcome } = findText("hello", page([...data, shown("104_3", "hello", { seconds: -9 })]));
  expect(await outcome).toEqual(found("104_3"));
  expect(calls[0]?.query?.fields).toContain("application{id}");
});

test("of two that are alike, the one made nearest to the attempt is ours", async ({ expect }) => {
  const data = [
    shown("104_1", "hello", { seconds: 60 }),
    shown("104_2", "hello"),
    shown("104_3", "hello", { seconds: -50 }),
  ];
  expect(await findText("hello", page(data)).outcome).toEqual(found("104_2"));
});

test.for([
  ["white space", "Spring is here!\n\n  Come\tin.", "Spring is here! Come in."],
  ["line ends", "one\r\ntwo", "one\ntwo"],
  ["unseen characters", "Sp\u200bring\ufeff is\u00ad here", "Spring is here"],
  ["no-break spaces", "10\u00a0000\u202fkm", "10 000 km"],
  ["decomposed letters", "Cafe\u0301", "Café"],
  ["an expanded mention", "Thanks to @[555000111] for the tea", "Thanks to Fern & Oak for the tea"],
  ["a mention that brings its name", "Thanks @[555000111:1:Fern & Oak]!", "Thanks Fern & Oak!"],
  ["mentions beside each other", "With @[1] and @[2:1:Ada]\n\n#tea", "With Fern & Oak and Ada #tea"],
  ["a mention left as it is", "Thanks @[555000111]!", "Thanks @[555000111]!"],
] as const)("a text read back with other %s is recognised", async ([, sent, seen], { expect }) => {
  expect(await findText(sent, page([shown("104_2", seen)])).outcome).toEqual(found("104_2"));
});

const TEN = "Ten words make a text that people like to read";

test.for([
  ["a word changed", TEN, TEN.replace("people", "persons")],
  ["a sentence added", TEN, `${TEN} (see more)`],
  ["its link rewritten", `${TEN} https://example.com/a`, `${TEN} https://l.facebook.com/l.php?u=x`],
  ["another name for a mention", "Thanks @[1:1:Fern & Oak] for all the tea", "Thanks Fern and Oak Ltd for all the tea"],
  ["names only", "@[1] @[2]", "Fern & Oak Harbour Lights"],
  ["a name of endless length", "Thanks @[1]!", `Thanks ${"very ".repeat(30)}much!`],
  ["no text at all", "https://example.com/a", undefined],
] as const)("a new post of our app with %s may be ours: unknown, never absent", async ([, sent, seen], { expect }) => {
  expect(await findText(sent, page([shown("104_2", seen)])).outcome).toMatchObject({ kind: "unknown" });
  // An older one, or another app's, is not.
  for (const other of [{ seconds: -300 }, { application: { id: "555" } }]) {
    expect(await findText(sent, page([shown("104_2", seen, other)])).outcome).toEqual({ kind: "absent" });
  }
});

test("texts that only share a phrase do not keep each other waiting", async ({ expect }) => {
  const [a, b] = ["1b4e28ba-2fa1-4d1a-883f-0016d3cca427", "6fa459ea-ee8a-4ca4-894e-db77e160355e"];
  const other = page([shown("104_2", `Item 1 of ${b}`)]);
  expect(await findText(`Item 1 of ${a}`, other).outcome).toEqual({ kind: "absent" });
});

test("two texts that both fit a mention are not distinguished", async ({ expect }) => {
  const data = [shown("104_2", "Thanks Ada for the tea"), shown("104_3", "Thanks Bob for the tea")];
  expect(await findText("Thanks @[1] for the tea", page(data)).outcome).toMatchObject({ kind: "unknown" });
  const exact = likeness("Thanks @[1:1:Ada] for the tea", "Thanks Bob for the tea");
  expect(exact).toBe("similar");
});

test.for([
  ["share", { type: "share", media_type: "link" }],
  ["share of a video", { type: "video_share_youtube", media_type: "video" }],
  ["link", { media_type: "link" }],
  ["video without a type", { media_type: "video" }],
] as const)(
  "what facebook makes of a link in the text is no file of this service: %s",
  async ([, attachment], { expect }) => {
    const text = "See https://youtu.be/abc";
    const attachments = [{ ...attachment, target: { url: "https://youtu.be/abc" } }];
    expect(await findText(text, page([shown("104_2", text, { attachments })])).outcome).toEqual(found("104_2"));
  },
);

test("a link to a photo of Facebook's own may be shown as one: unknown", async ({ expect }) => {
  const text = "See https://www.facebook.com/photo/?fbid=77";
  const post = shown("104_2", text, { attachments: [PHOTO] });
  expect(await findText(text, page([post])).outcome).toMatchObject({ kind: "unknown" });
});

test("short and empty pages are not the end of a list", async ({ expect }) => {
  const { calls, outcome } = findText("hello", page([], "A1"), page([], "A2"), page([shown("104_2", "hello")]));
  expect(await outcome).toEqual(found("104_2"));
  expect(calls.map((call) => call.query?.after)).toEqual([undefined, "A1", "A2"]);
  expect(await findText("hello", page([], "A1"), page([])).outcome).toEqual({ kind: "absent" });
});

test("a list that goes on where we stopped has not been seen whole", async ({ expect }) => {
  const pages = Array.from({ length: 10 }, (_, index) => page([shown(`104_${index}`, "else")], `A${index}`));
  expect(await findText("hello", ...pages).outcome).toMatchObject({ kind: "unknown" });
  const last = page([shown("104_99", "hello")], "A9");
  expect(await findText("hello", ...pages.slice(0, 9), last).outcome).toEqual(found("104_99"));
  // A cursor that leads nowhere is no end either.
  expect(await findText("hello", page([], "A1"), page([], "A1")).outcome).toMatchObject({ kind: "unknown" });
});

test("a list that cannot be read says nothing", async ({ expect }) => {
  const refused = { status: 400, body: { error: { code: 100, type: "OAuthException", message: "no" } } };
  for (const answer of ["lost", { status: 500 }, { body: {} }, refused] as const) {
    const outcome = await findText("hello", page([], "A1"), answer).outcome;
    expect(["unknown", "failed"]).toContain(outcome.kind);
  }
});

const TWO = content("post", ["x", image("a.jpg"), image("b.jpg")]);
const album = {
  type: "album",
  media_type: "album",
  subattachments: { data: [{ target: { id: "21" } }, { target: { id: "22" } }] },
};

function findAlbum(...data: readonly unknown[]) {
  const { send } = scriptedSend(page(data));
  return posts.find(accountContext(send), TWO, { photos: ["21", "22"], video: null }, LOOK);
}

test("a lost photo post is found by its photos alone", async ({ expect }) => {
  const other = shown("104_5", "x", { attachments: [{ ...PHOTO, target: { id: "99" } }] });
  expect(await findAlbum(other, shown("104_6", "quite another text", { attachments: [album] }))).toEqual(
    found("104_6"),
  );
  expect(await findAlbum(other)).toEqual({ kind: "absent" });
});

test("our photo in a post that our app did not make is not adopted", async ({ expect }) => {
  const strange = { ...shown("104_6", "x", { attachments: [album] }), application: undefined };
  expect(await findAlbum(strange)).toMatchObject({ kind: "unknown" });
  expect(await findAlbum(strange, shown("104_7", "x", { attachments: [album] }))).toEqual(found("104_7"));
});

test("without the ids of what was uploaded nothing can be looked up", async ({ expect }) => {
  const { send, calls } = scriptedSend();
  for (const media of [TWO, content("story", ["", image("a.jpg")]), content("reel", ["", video("r.mp4")])]) {
    expect(await posts.find(accountContext(send), media, NOTHING, LOOK)).toMatchObject({ kind: "unknown" });
  }
  expect(calls).toEqual([]);
});

test("how late lists may be, and what Facebook itself refuses to take twice", ({ expect }) => {
  expect(posts.lists.lagSeconds).toBe(600);
  expect(posts.lists.refusesRepeat(TWO, 0)).toBe(true);
  expect(posts.lists.refusesRepeat(content("post", ["x"]), 0)).toBe(false);
  expect(posts.lists.refusesRepeat(content("post", ["x", video("f.mp4")]), 0)).toBe(false);
  expect(posts.lists.refusesRepeat(content("reel", ["x", video("r.mp4")]), 0)).toBe(false);
});

const STORY = content("story", ["", image("a.jpg")]);
const story = (post_id: string, media_id: string) => ({
  post_id,
  media_id,
  status: "published",
  url: `https://facebook.com/stories/104/${post_id}`,
});
const storyFound = {
  kind: "found",
  post: { id: "9902", secondaryId: null, permalink: "https://facebook.com/stories/104/9902" },
};
const refusedStatus = (message: string): Scripted => ({
  status: 400,
  body: { error: { code: 100, type: "OAuthException", message } },
});

function findStory(...answers: readonly Scripted[]) {
  const { send, calls } = scriptedSend(...answers);
  return { calls, outcome: posts.find(accountContext(send), STORY, { photos: ["21"], video: null }, LOOK) };
}

test("a lost story is found by its photo, on whichever page of the list", async ({ expect }) => {
  const { calls, outcome } = findStory(page([story("9901", "20")], "A1"), page([story("9902", "21")]));
  expect(await outcome).toEqual(storyFound);
  expect(calls.map((call) => call.query)).toMatchObject([{ status: '["PUBLISHED"]' }, { after: "A1" }]);
  expect(await findStory(page([story("9901", "20")])).outcome).toEqual({ kind: "absent" });
  const endless = Array.from({ length: 10 }, (_, index) => page([], `A${index}`));
  expect(await findStory(...endless).outcome).toMatchObject({ kind: "unknown" });
});

test("a status that is refused as a list is requested as a word", async ({ expect }) => {
  const refused = refusedStatus("(#100) Param status must be one of {PUBLISHED, ARCHIVED}");
  const { calls, outcome } = findStory(refused, page([], "A1"), page([story("9902", "21")]));
  expect(await outcome).toEqual(storyFound);
  expect(calls.map((call) => call.query?.status)).toEqual(['["PUBLISHED"]', "PUBLISHED", "PUBLISHED"]);
  const other = findStory(refusedStatus("(#100) Param since must be a date"));
  expect(await other.outcome).toMatchObject({ kind: "failed", reason: "rejected" });
});
