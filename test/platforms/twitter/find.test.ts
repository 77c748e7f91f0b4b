import fc from "fast-check";
import { test } from "vitest";
import type { Content, FindRequest } from "../../../src/platforms/publishing.ts";
import { twitter } from "../../../src/platforms/twitter/index.ts";
import { likenessTo } from "../../../src/platforms/twitter/likeness.ts";
import { accountContext, content, image, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

const ROOT: FindRequest = { index: 0, previous: [], since: NOW - 10_000, taken: new Set() };
const SECOND: FindRequest = { ...ROOT, index: 1, previous: [{ id: "900", secondaryId: null, permalink: null }] };
const PICTURE = image("a.jpg");

const check = (what: Content, request: FindRequest, ...answers: readonly (Scripted | "lost")[]) => {
  const { send, calls } = scriptedSend(...answers);
  return { calls, outcome: twitter.posts.find(accountContext(send), what, { uploads: [] }, request) };
};
const tweet = (text: string, ...media: (typeof PICTURE)[]) => content("tweet", [text, ...media]);
const thread = (...texts: string[]) => content("thread", ...texts.map((text) => [text] as const));
const page = (data: readonly object[], meta: object = {}): Scripted => ({ body: { data, meta } });

/** A post as X lists it: the first of its conversation unless the extra says otherwise. */
const listed = (id: string, text: string, extra: object = {}) => ({
  id,
  text,
  created_at: new Date(NOW - 3000).toISOString(),
  conversation_id: id,
  ...extra,
});
const inReplyTo = (id: string, name = "referenced_posts") => ({
  conversation_id: "900",
  [name]: [{ type: "replied_to", id }],
});
const link = (url: string, expanded_url: string, extra: object = {}) => ({ url, expanded_url, ...extra });
const found = (id: string) => ({
  kind: "found",
  post: { id, secondaryId: null, permalink: `https://x.com/acme/status/${id}` },
});

const MEDIA = link("https://t.co/Me3", "https://x.com/acme/status/901/photo/1", { media_key: "3_1" });

const LINKS: readonly (readonly [name: string, own: string, expanded: string])[] = [
  ["a link to someone's photo", "https://x.com/bob/status/5/photo/1", "https://x.com/bob/status/5/photo/1"],
  ["a link to someone's photo, in short", "pic.x.com/Ab1", "http://pic.x.com/Ab1"],
  ["a link that X shortened before", "https://t.co/Zz9", "https://acme.example/whither"],
  ["a link", "Example.com", "http://example.com/"],
  ["a link with letters of its own", "https://münchen.de/bücher", "https://xn--mnchen-3ya.de/b%C3%BCcher"],
];
test.for(LINKS)(
  "a text that ends in %s is known again, with media and without",
  async ([, own, expanded], { expect }) => {
    const url = own.startsWith("https://t.co/") ? own : "https://t.co/Ab1";
    const bare = listed("901", `see ${url}`, { entities: { urls: [link(url, expanded)] } });
    expect(await check(tweet(`see ${own}`), ROOT, page([bare])).outcome).toEqual(found("901"));

    const entities = { urls: [link(url, expanded), MEDIA] };
    const rich = listed("901", `see ${url} ${MEDIA.url}`, { entities });
    expect(await check(tweet(`see ${own}`, PICTURE), ROOT, page([rich])).outcome).toEqual(found("901"));
  },
);

test("a link of the text is kept where X says that it shows media, and the one that X appended is not", async ({
  expect,
}) => {
  const own = "https://x.com/bob/status/5/photo/1";
  const urls = [link("https://t.co/Ab1", own, { media_key: "3_5" }), MEDIA];
  const post = listed("901", `see https://t.co/Ab1 ${MEDIA.url}`, { entities: { urls } });
  expect(await check(tweet(`see ${own}`, PICTURE), ROOT, page([post])).outcome).toEqual(found("901"));
});

test("a link to the media that no entity reports is dropped, but not one of the text", async ({ expect }) => {
  const plain = listed("901", "hello https://t.co/Me3");
  expect(await check(tweet("hello", PICTURE), ROOT, page([plain])).outcome).toEqual(found("901"));
  const ends = listed("901", "hello https://t.co/Zz9", {
    entities: { urls: [link("https://t.co/Zz9", "https://a.example/")] },
  });
  expect(await check(tweet("hello https://a.example", PICTURE), ROOT, page([ends])).outcome).toEqual(found("901"));
  expect(await check(tweet("hello https://t.co/Zz9", PICTURE), ROOT, page([ends])).outcome).toEqual(found("901"));
});

test("without media no link is dropped", async ({ expect }) => {
  const post = listed("901", "hello https://t.co/Me3", { entities: { urls: [MEDIA] } });
  expect(await check(tweet("hello"), ROOT, page([post])).outcome).toMatchObject({ kind: "unknown" });
  const { outcome } = check(tweet("hello https://x.com/acme/status/901/photo/1"), ROOT, page([post]));
  expect(await outcome).toEqual(found("901"));
});

test("white space, unseen characters and escapes make no other text", async ({ expect }) => {
  const post = listed("901", "Fish &amp; chips &lt;3\n\nto night");
  expect(await check(tweet("Fish & chips <3\n\n\n\nto\u200b night "), ROOT, page([post])).outcome).toEqual(
    found("901"),
  );
});

test("the whole of a long text is in its note, whatever that is called", async ({ expect }) => {
  const long = Array.from({ length: 80 }, (_, index) => `word${index}`).join(" ");
  const cut = { text: `${long.slice(0, 270)}…` };
  for (const name of ["note_post", "note_tweet"]) {
    const { outcome, calls } = check(tweet(long), ROOT, page([listed("901", cut.text, { [name]: { text: long } })]));
    expect(await outcome).toEqual(found("901"));
    expect(calls[0]?.query?.["post.fields"]).toContain("note_post");
  }
  // The beginning alone is no proof, in either way.
  expect(await check(tweet(long), ROOT, page([listed("901", cut.text)])).outcome).toMatchObject({ kind: "unknown" });
});

test("any text is known again after X has escaped it and shortened its links", ({ expect }) => {
  const media = fc.boolean();
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.webUrl(), media, (text, own, hasMedia) => {
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const shown = `${escaped} https://t.co/unlikely1${hasMedia ? ` ${MEDIA.url}` : ""}`;
      const links = [link("https://t.co/unlikely1", own), MEDIA];
      const likeness = likenessTo({ text: `${text} ${own}`, hasMedia });
      expect(likeness({ id: "901", text: shown, links, isCut: false })).toBe("same");
    }),
  );
});

const ALTERED: readonly (readonly [name: string, sent: string, shown: string])[] = [
  ["a word changed", "Our shop is open again from nine to five", "Our shop is open from nine to five"],
  ["its link reported in another form", "Look https://a.example/x", "Look https://t.co/Ab1"],
  ["nothing but a link that is not reported", "https://a.example/x", "https://t.co/Ab1"],
];
test.for(ALTERED)("a new post with %s may be ours: it is not absent", async ([, sent, text], { expect }) => {
  expect(await check(tweet(sent), ROOT, page([listed("901", text)])).outcome).toMatchObject({ kind: "unknown" });
});

test("another text, an older post, a repost and one that is taken are not ours", async ({ expect }) => {
  const data = [
    listed("901", "something else entirely"),
    listed("902", "hello", { created_at: new Date(NOW - 400_000).toISOString() }),
    listed("903", "hello", { referenced_posts: [{ type: "retweeted", id: "5" }] }),
    listed("904", "hello"),
  ];
  const request = { ...ROOT, taken: new Set(["904"]) };
  expect(await check(tweet("hello"), request, page(data)).outcome).toEqual({ kind: "absent" });
});

test("a post whose time is missing or unreadable is dated by its id", async ({ expect }) => {
  const idAt = (time: number) => ((BigInt(time) - 1_288_834_974_657n) << 22n).toString();
  const recent = idAt(NOW - 3000);
  const data = [
    listed(idAt(NOW - 400_000), "hello", { created_at: "?" }),
    listed(recent, "hello", { created_at: "?" }),
  ];
  expect(await check(tweet("hello"), ROOT, page(data)).outcome).toEqual(found(recent));
});

test.for(["referenced_tweets", "referenced_posts"])(
  "a thread item is found by text and parent in %s",
  async (name, { expect }) => {
    const old = { created_at: new Date(NOW - 400_000).toISOString() };
    const data = [
      listed("901", "more"),
      listed("902", "more", inReplyTo("1", name)),
      listed("903", "more", { ...inReplyTo("900", name), ...old }),
      listed("904", "more", inReplyTo("900", name)),
    ];
    const { outcome, calls } = check(thread("hello", "more"), SECOND, page(data));
    expect(await outcome).toEqual(found("904"));
    expect(calls[0]?.query?.start_time).toBe("2026-11-20T11:58:50.000Z");
  },
);

test("a thread item whose parent cannot be seen may be ours; one in another place is not", async ({ expect }) => {
  const item = (extra: object) => check(thread("hello", "more"), SECOND, page([listed("901", "more", extra)])).outcome;
  expect(await item({ conversation_id: undefined })).toMatchObject({ kind: "unknown" });
  expect(await item({ conversation_id: "900" })).toMatchObject({ kind: "unknown" });
  expect(await item({})).toEqual({ kind: "absent" });
  expect(await item(inReplyTo("1"))).toEqual({ kind: "absent" });
});

test("a first post is distinguished from a reply by its conversation", async ({ expect }) => {
  const post = (extra: object) => check(tweet("hello"), ROOT, page([listed("901", "hello", extra)])).outcome;
  expect(await post({})).toEqual(found("901"));
  expect(await post({ conversation_id: "5" })).toEqual({ kind: "absent" });
  expect(await post({ conversation_id: "5", edit_history_post_ids: ["5", "901"] })).toEqual(found("901"));
  expect(await post({ conversation_id: undefined })).toMatchObject({ kind: "unknown" });
});

const refusal = (name: string, value: string): Scripted => ({
  status: 400,
  body: {
    title: "Invalid Request",
    type: "https://api.x.com/2/problems/invalid-request",
    detail: "One or more parameters to your request was invalid.",
    errors: [{ message: `The query parameter [${name}] is not one of […]`, parameters: { [name]: [value] } }],
  },
});

test("X is queried in the spelling of its documentation, then in the older one, then without words", async ({
  expect,
}) => {
  const refusals = [refusal("post.fields", "created_at"), refusal("tweet.fields", "created_at")];
  const current = check(tweet("hello"), ROOT, page([listed("901", "hello")]));
  expect(await current.outcome).toEqual(found("901"));
  expect(current.calls[0]?.query).toMatchObject({
    "post.fields": "created_at,text,entities,conversation_id",
    expansions: "referenced_posts",
  });

  const former = check(
    thread("a", "more"),
    SECOND,
    ...refusals.slice(0, 1),
    page([listed("901", "more", inReplyTo("900"))]),
  );
  expect(await former.outcome).toEqual(found("901"));
  expect(former.calls[1]?.query?.["tweet.fields"]).toBe("created_at,text,entities,conversation_id,referenced_tweets");
  expect(former.calls[1]?.query).not.toHaveProperty("expansions");

  // Without fields an item says neither its links nor its place, and that proves nothing; its absence does.
  const id = "1990000000000000000";
  const least = check(tweet("hello"), ROOT, ...refusals, page([{ id: "2192250000000000000", text: "hello" }]));
  expect(await least.outcome).toMatchObject({ kind: "unknown" });
  expect(Object.keys(least.calls[2]?.query ?? {}).toSorted()).toEqual([
    "max_results",
    "pagination_token",
    "start_time",
  ]);
  expect(await check(tweet("hello"), ROOT, ...refusals, page([{ id, text: "hello" }])).outcome).toEqual({
    kind: "absent",
  });
  const never = check(tweet("hello"), ROOT, ...refusals, refusal("start_time", "…"));
  expect(await never.outcome).toMatchObject({ kind: "failed", reason: "rejected" });
});

test("a list that was not read to its end is no proof of absence, unless the post was in it", async ({ expect }) => {
  const pages = (text: string) => ["902", "903", "904"].map((id) => page([listed(id, text)], { next_token: `n${id}` }));
  const { outcome, calls } = check(tweet("hello"), ROOT, ...pages("quite another"));
  expect(await outcome).toMatchObject({ kind: "unknown" });
  expect(calls.map(({ query }) => query?.pagination_token)).toEqual([undefined, "n902", "n903"]);
  expect(await check(tweet("hello"), ROOT, ...pages("hello")).outcome).toMatchObject({ kind: "found" });
});

test("an empty list means absent; a partial error, a 5xx and a gateway's page mean nothing", async ({ expect }) => {
  const of = (answer: Scripted | "lost") => check(tweet("hello"), ROOT, answer).outcome;
  expect(await of({ body: { meta: { result_count: 0 } } })).toEqual({ kind: "absent" });
  expect(await of({ body: { errors: [{}] } })).toMatchObject({ kind: "unknown" });
  expect(await of({ status: 503 })).toMatchObject({ kind: "unknown" });
  expect(await of({ status: 400 })).toMatchObject({ kind: "unknown" });
  expect(await of({ status: 401 })).toMatchObject({ kind: "unknown" });
  expect(await of("lost")).toMatchObject({ kind: "unknown" });
});

test("X refuses the repeat of a plain text; media and links it may take twice", ({ expect }) => {
  const { lists } = twitter.posts;
  expect(lists.lagSeconds).toBe(600);
  expect(lists.refusesRepeat(tweet("hello"), 0)).toBe(true);
  expect(lists.refusesRepeat(tweet("hello example.com"), 0)).toBe(false);
  expect(lists.refusesRepeat(tweet("hello", PICTURE), 0)).toBe(false);
});
