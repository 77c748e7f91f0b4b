import { describe, test } from "vitest";
import type { Json } from "../../../src/platforms/context.ts";
import type { Content } from "../../../src/platforms/publishing.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";
import { list } from "../meta/graph-answers.ts";

/** What of a profile's posts is taken for the one whose answer was lost. */

const { posts } = threads;
const own = (id: string, madeAt = NOW - 5000) => ({
  files: [],
  own: { id, madeAt, readyAt: NOW - 1000, lostAt: null, isPublished: false, attempts: 1 },
});
const PROGRESS: Json = { items: [own("1784")] };
const CHAIN_PROGRESS: Json = { items: [own("1784"), own("1785")] };
const state = (status: string): Scripted => ({ body: { id: "1784", status } });
const GONE: Scripted = { status: 400, body: { error: { code: 100, error_subcode: 33, message: "No", type: "X" } } };
const LOST: Scripted = {
  status: 400,
  body: { error: { code: 24, error_subcode: 4_279_009, message: "No", type: "X" } },
};
const DENIED: Scripted = { status: 403, body: { error: { code: 10, message: "No", type: "X" } } };

const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, "+0000");
const post = (id: string, text: string | null, more: Readonly<Record<string, unknown>> = {}, at = NOW + 1000) => ({
  id,
  ...(text === null ? {} : { text }),
  timestamp: time(at),
  media_type: "TEXT_POST",
  is_quote_post: false,
  permalink: `https://www.threads.com/@fern/post/${id}`,
  ...more,
});
const paged = (after: string, ...data: readonly object[]): Scripted => {
  return { body: { data, paging: { cursors: { before: "b", after } } } };
};

async function find(
  what: Content,
  stored: Json,
  answers: readonly (Scripted | "lost")[],
  more: { readonly taken?: readonly string[]; readonly parent?: string; readonly since?: number } = {},
) {
  const { send, calls } = scriptedSend(...answers);
  const { taken = [], parent, since = NOW } = more;
  const previous = parent === undefined ? [] : [{ id: parent, secondaryId: null, permalink: null }];
  const request = { index: previous.length, previous, since, taken: new Set(taken) };
  return { outcome: await posts.find(accountContext(send), what, stored, request), calls };
}

const TEXT = content("post", ["New frames are in #bikes"]);
const CHAIN = content("thread", ["One of many words here"], ["Two of many words here"]);
const SAME = "New frames are in #bikes";

test("of several it is the nearest in time; those of others are left out", async ({ expect }) => {
  const all = list(post("3", SAME, {}, NOW + MINUTE), post("2", SAME, {}, NOW + 2000), post("1", SAME, {}, NOW + 1000));
  expect((await find(TEXT, PROGRESS, [state("PUBLISHED"), all])).outcome).toMatchObject({ post: { id: "1" } });
  const taken = ["1", "2"];
  expect((await find(TEXT, PROGRESS, [state("PUBLISHED"), all], { taken })).outcome).toMatchObject({
    post: { id: "3" },
  });
});

test("it is not older than its container, but perhaps than the latest call", async ({ expect }) => {
  const answers = [state("PUBLISHED"), list(post("1", SAME, {}, NOW - 2 * MINUTE))];
  expect((await find(TEXT, PROGRESS, answers)).outcome).toMatchObject({ kind: "unknown" });
  const long: Json = { items: [own("1784", NOW - 3 * MINUTE)] };
  expect((await find(TEXT, long, answers)).outcome).toMatchObject({ kind: "found" });
});

test.for([
  ["FINISHED", "absent"],
  ["IN_PROGRESS", "absent"],
  ["EXPIRED", "absent"],
  ["ERROR", "absent"],
  ["PUBLISHED", "unknown"],
  ["SOMETHING_NEW", "unknown"],
] as const)("a container that is %s, and no post: %s", async ([status, kind], { expect }) => {
  expect((await find(TEXT, PROGRESS, [state(status), list()])).outcome).toMatchObject({ kind });
});

test.for([
  ["gone", GONE],
  ["lost", LOST],
] as const)(
  "of a container that is %s nothing is known: the list decides, else a person",
  async ([, answer], { expect }) => {
    expect((await find(TEXT, PROGRESS, [answer, list()])).outcome).toMatchObject({ kind: "unknown" });
    expect((await find(TEXT, PROGRESS, [answer, list(post("1", SAME))])).outcome).toMatchObject({ kind: "found" });
  },
);

test.for([
  ["the container", ["lost"]],
  ["the list", [state("FINISHED"), "lost"]],
  ["the list's second page", [state("FINISHED"), paged("A", post("1", "Other")), { status: 502 }]],
] as const)("a reading of %s that fails is no word", async ([, answers], { expect }) => {
  expect((await find(TEXT, PROGRESS, answers)).outcome).toMatchObject({ kind: "failed", reason: "down" });
});

describe("lists", () => {
  test("are read by cursors to their end", async ({ expect }) => {
    const pages = [paged("A", post("2", "Other")), paged("B", post("1", SAME)), list()];
    const { outcome, calls } = await find(TEXT, PROGRESS, [state("PUBLISHED"), ...pages]);
    expect(outcome).toMatchObject({ post: { id: "1" } });
    expect(calls.slice(1).map(({ query }) => query?.after)).toEqual([undefined, "A", "B"]);
  });

  test("that go on after five pages prove nothing", async ({ expect }) => {
    const pages = ["A", "B", "C", "D", "E"].map((after) => paged(after, post(after, "Other")));
    expect((await find(TEXT, PROGRESS, [state("FINISHED"), ...pages])).outcome).toMatchObject({ kind: "unknown" });
  });
});

describe("what resembles ours", () => {
  test.for([
    ["the same but its topic", post("1", "New frames are in"), "found"],
    ["the same text on an image", post("1", SAME, { media_type: "IMAGE" }), "absent"],
    ["the same text in a quote", post("1", SAME, { is_quote_post: true }), "absent"],
    ["a similar text", post("1", "New frames are in now bikes"), "unknown"],
    ["another text", post("1", "Closed on Monday"), "absent"],
    ["a time that cannot be read", post("1", SAME, { timestamp: "soon" }), "found"],
    ["a kind that is not reported", post("1", SAME, { media_type: undefined }), "found"],
  ] as const)("%s: %s", async ([, shown, kind], { expect }) => {
    expect((await find(TEXT, PROGRESS, [state("FINISHED"), list(shown)])).outcome).toMatchObject({ kind });
  });

  test("a picture without a text is ours only if the container is published", async ({ expect }) => {
    const silent = content("thread", ["", image("a.jpg")]);
    const shown = list(post("1", null, { media_type: "IMAGE" }));
    expect((await find(silent, PROGRESS, [state("PUBLISHED"), shown])).outcome).toMatchObject({ kind: "found" });
    expect((await find(silent, PROGRESS, [state("FINISHED"), shown])).outcome).toMatchObject({ kind: "unknown" });
  });
});

describe("a later item of a thread", () => {
  const reply = (id: string, text: string, parent: string | null) =>
    post(id, text, parent === null ? {} : { replied_to: { id: parent } });
  const check = (shown: object, status = "FINISHED") =>
    find(CHAIN, CHAIN_PROGRESS, [state(status), list(shown)], { parent: "1806" });

  test("is found among the replies, by the post that it answers", async ({ expect }) => {
    const others = list(reply("3", "Two of many words here", "999"), reply("2", "Two of many words here", "1806"));
    const { outcome, calls } = await find(CHAIN, CHAIN_PROGRESS, [state("FINISHED"), others], { parent: "1806" });
    expect(outcome).toMatchObject({ kind: "found", post: { id: "2" } });
    expect(calls[0]?.url).toBe("https://graph.threads.net/v1.0/1785");
    expect(calls[1]?.url).toBe("https://graph.threads.net/v1.0/me/replies");
    expect(calls[1]?.query?.fields).toContain("replied_to");
  });

  test("that answers something else is another; one whose parent is not reported is ours if one is published", async ({
    expect,
  }) => {
    expect((await check(reply("2", "Two of many words here", "999"))).outcome).toMatchObject({ kind: "absent" });
    const bare = reply("2", "Two of many words here", null);
    expect((await check(bare)).outcome).toMatchObject({ kind: "unknown" });
    expect((await check(bare, "PUBLISHED")).outcome).toMatchObject({ kind: "found" });
  });

  test("that may not be looked up ends unconfirmed, and the connection goes on", async ({ expect }) => {
    const { outcome } = await find(CHAIN, CHAIN_PROGRESS, [state("FINISHED"), DENIED], { parent: "1806" });
    expect(outcome).toMatchObject({ kind: "unknown" });
  });
});

test("without its container nothing is known of a post", async ({ expect }) => {
  const { outcome, calls } = await find(TEXT, {}, []);
  expect([outcome, calls]).toMatchObject([{ kind: "unknown" }, []]);
});
