import { test } from "vitest";
import type { AccountContext, Json } from "../../src/platforms/context.ts";
import { linkedin } from "../../src/platforms/linkedin/index.ts";
import type { Content } from "../../src/platforms/publishing.ts";
import { accountContext, content, image, NO_PROGRESS, NOW, type Scripted, scriptedSend } from "../scripted-send.ts";

/** What of a page's posts is taken for the one whose answer was lost. */

const PAGE = "urn:li:organization:9001";
const MINUTE = 60_000;
const { posts } = linkedin;

function contextOf(send: AccountContext["send"], id = PAGE, scopes: readonly string[] = ["r_organization_social"]) {
  const context = accountContext(send, { id });
  return { ...context, credentials: { ...context.credentials, scopes } };
}

const numberAt = (ms: number, low = 0) => String((BigInt(ms) << 22n) + BigInt(low));

function post(commentary: string, more: Readonly<Record<string, unknown>> = {}, at = NOW + 1000) {
  return { id: `urn:li:share:${numberAt(at)}`, author: PAGE, commentary, createdAt: at, content: {}, ...more };
}
const list = (...elements: readonly object[]): Scripted => ({ body: { paging: {}, elements } });

const uploaded = (...ids: readonly string[]): Json => ({
  uploads: ids.map((id) => ({ state: "done", id, parts: [], token: "", expiresAt: 0, at: 0, restarts: 0 })),
});

async function find(
  what: Content,
  progress: Json,
  answers: readonly (Scripted | "lost")[],
  taken: readonly string[] = [],
  context = contextOf,
) {
  const { send, calls } = scriptedSend(...answers);
  const request = { index: 0, previous: [], since: NOW, taken: new Set(taken) };
  return { outcome: await posts.find(context(send), what, progress, request), calls };
}

const TEXT = content("post", ["New (frames) are in #bikes"]);
const SHOWN = "New \\(frames\\) are in {hashtag|\\#|bikes}";

test("a text is found among the posts in the making too, newest first", async ({ expect }) => {
  const own = post(SHOWN);
  const { outcome, calls } = await find(TEXT, NO_PROGRESS, [list(post("Another one"), own)]);
  const permalink = `https://www.linkedin.com/feed/update/${own.id}/`;
  expect(outcome).toEqual({ kind: "found", post: { id: own.id, secondaryId: null, permalink } });
  expect(calls[0]).toMatchObject({
    url: "https://api.linkedin.com/rest/posts",
    query: { q: "author", author: PAGE, sortBy: "CREATED", viewContext: "AUTHOR" },
    headers: { "x-restli-method": "FINDER", "linkedin-version": "202609", "x-restli-protocol-version": "2.0.0" },
  });
});

test.for([
  ["older than the attempt", post(SHOWN, {}, NOW - 2 * MINUTE)],
  ["of another author", post(SHOWN, { author: "urn:li:organization:9002" })],
  ["with a file", post(SHOWN, { content: { media: { id: "urn:li:image:1" } } })],
  ["with another text", post("Something else altogether")],
] as const)("a post %s is another one", async ([, other], { expect }) => {
  expect((await find(TEXT, NO_PROGRESS, [list(other)])).outcome).toEqual({ kind: "absent" });
});

test.for([
  ["the same text, cut", post("New ")],
  ["nearly the same text", post("New \\(frames\\) are in now")],
  ["a taken post's time in its number", post(SHOWN, { id: `urn:li:share:${numberAt(NOW + 1000, 7)}` })],
] as const)("%s: nobody can tell", async ([, one], { expect }) => {
  const taken = [`urn:li:ugcPost:${numberAt(NOW + 1000, 5)}`];
  expect((await find(TEXT, NO_PROGRESS, [list(one)], taken)).outcome).toMatchObject({ kind: "unknown" });
});

test.for([
  ["by its URN", (id: string) => id],
  ["by its number as another kind", (id: string) => id.replace("share", "ugcPost")],
] as const)("a post that another of ours has taken, %s, is not adopted", async ([, takenAs], { expect }) => {
  const one = post(SHOWN);
  expect((await find(TEXT, NO_PROGRESS, [list(one)], [takenAs(one.id)])).outcome).toEqual({ kind: "absent" });
});

test.for([
  ["a single file", { media: { id: "urn:li:image:2" } }],
  ["one of several", { multiImage: { images: [{ id: "urn:li:image:9" }, { id: "urn:li:image:2" }] } }],
] as const)("%s of ours proves a post, whatever its text", async ([, shown], { expect }) => {
  const what = content("post", ["Two", image("1.jpg"), image("2.jpg")]);
  const own = post("Cut", { content: shown });
  const { outcome } = await find(what, uploaded("urn:li:image:1", "urn:li:image:2"), [list(post("Two"), own)]);
  expect(outcome).toMatchObject({ kind: "found", post: { id: own.id } });
});

test("with files of ours, the same text alone proves nothing", async ({ expect }) => {
  const what = content("post", ["One", image("1.jpg")]);
  const { outcome } = await find(what, uploaded("urn:li:image:1"), [list(post("One"))]);
  expect(outcome).toEqual({ kind: "absent" });
});

const many = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) => post(`Other ${at}`, {}, from - at));

test("the list is read page by page, as far back as the attempt", async ({ expect }) => {
  const first = list(...many(50, NOW + 5000));
  const { outcome, calls } = await find(TEXT, NO_PROGRESS, [first, list(...many(50, NOW - MINUTE + 10))]);
  expect(outcome).toEqual({ kind: "absent" });
  expect(calls.map(({ query }) => query?.start)).toEqual([0, 50]);
});

test("more new posts than are looked through say nothing", async ({ expect }) => {
  const pages = Array.from({ length: 10 }, () => list(...many(50, NOW + 5000)));
  expect((await find(TEXT, NO_PROGRESS, pages)).outcome).toMatchObject({ kind: "unknown" });
});

test("a person's posts can never be read: the outcome says so without a call", async ({ expect }) => {
  const person = (send: AccountContext["send"]) => contextOf(send, "urn:li:person:zX81", ["w_member_social"]);
  const { outcome, calls } = await find(TEXT, NO_PROGRESS, [], [], person);
  expect(outcome).toMatchObject({ kind: "unreadable", message: expect.stringContaining("a person's own posts") });
  expect(calls).toEqual([]);
});

test("with the scope that is closed to most, a person's posts are read like a page's", async ({ expect }) => {
  const author = "urn:li:person:zX81";
  const person = (send: AccountContext["send"]) => contextOf(send, author, ["w_member_social", "r_member_social"]);
  const { outcome } = await find(TEXT, NO_PROGRESS, [list(post(SHOWN, { author }))], [], person);
  expect(outcome).toMatchObject({ kind: "found" });
});

test.for([
  ["a list that may not be read", { status: 403, body: { status: 403, code: "ACCESS_DENIED" } }, { kind: "unknown" }],
  ["a list that fails", { status: 500, body: { status: 500, message: "x" } }, { kind: "failed", reason: "down" }],
  ["no answer", "lost", { kind: "failed", reason: "down" }],
  ["a page of a gateway", { status: 200, body: "<html>" }, { kind: "failed", reason: "down" }],
] as const)("%s does not say that nothing is there", async ([, answer, outcome], { expect }) => {
  expect((await find(TEXT, NO_PROGRESS, [answer])).outcome).toMatchObject(outcome);
});

test("what was uploaded and is forgotten cannot be looked for", async ({ expect }) => {
  const what = content("post", ["One", image("1.jpg")]);
  expect((await find(what, NO_PROGRESS, [])).outcome).toMatchObject({ kind: "unreadable" });
});
