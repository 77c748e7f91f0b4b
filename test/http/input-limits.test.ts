import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { hasMarkPile, parseHashtags, withHashtags } from "../../src/core/text.ts";
import { hasTooManyValues } from "../../src/http/body.ts";
import { type ChannelRef, createPost, type Project, projectWith } from "../support/world.ts";

/** Input that costs much to weigh is refused by its length first, and says which length is allowed. */
let project: Project;
let channel: ChannelRef;
let waiting: number;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
  waiting = await createPost(project, channel, { ...SCHEDULED, caption_text: "waits" });
});

const SCHEDULED = { publish_mode: "scheduled", schedule_time: "2029-03-05 10:00", time_zone: "UTC" };
const Refusal = z.object({ code: z.string(), message: z.string(), errors: z.record(z.string(), z.array(z.string())) });

const MARKS = "\u0315\u0300";
const OVER = 1_000_000;
const thread = (message: string) => ({
  channel_type: "twitter",
  post_type: "thread",
  twitter_threads: [{ message: "first" }, { message }],
});

type Case = readonly [name: string, field: string, sentence: string, change: Readonly<Record<string, unknown>>];
const TEXTS: readonly Case[] = [
  ["a long caption", "caption_text", "100,000 characters", { caption_text: "a.".repeat(50_001) }],
  ["a caption of marks", "caption_text", "100 combining marks", { caption_text: `a${MARKS.repeat(49_000)}` }],
  ["long hashtags", "hash_tags", "5,000 characters", { hash_tags: "a ".repeat(OVER / 2) }],
  ["hashtags of marks", "hash_tags", "100 combining marks", { hash_tags: `a${MARKS.repeat(2_000)}` }],
  [
    "a long media address",
    "media_urls.0",
    "2,048 characters",
    { media_urls: [`https://a.example/${"a".repeat(OVER)}`] },
  ],
  ["many media", "media_urls", "35 entries", { media_urls: Array<string>(9_000).fill("") }],
  ["a long thread item", "twitter_threads.1.message", "40,000 characters", thread("a.".repeat(OVER / 2))],
  ["a thread item of marks", "twitter_threads.1.message", "100 combining marks", thread(`a${MARKS.repeat(15_000)}`)],
  [
    "a long thread",
    "twitter_threads",
    "100 entries",
    { ...thread(""), twitter_threads: Array(2_000).fill({ message: "a" }) },
  ],
  ["a long time zone", "time_zone", "64 characters", { ...SCHEDULED, time_zone: "A/".repeat(OVER / 2) }],
  ["a long time", "schedule_time", "YYYY-MM-DD HH:mm", { ...SCHEDULED, schedule_time: "2".repeat(OVER) }],
  ["a long title", "post_extra.title", "100 characters", { post_extra: { title: "a".repeat(OVER) } }],
];

const CREATING = ["create-post", "validate-post"].flatMap((operation) =>
  TEXTS.map(([name, ...rest]) => [name, operation, ...rest] as const),
);
test.for(CREATING)("%s is refused by %s", async ([, operation, field, sentence, change], { expect }) => {
  const body = { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [], ...change };
  const answer = await project.call("POST", `/social/${operation}`, { body });
  expect(answer.status).toBe(422);
  const { errors } = Refusal.parse(answer.body);
  expect(errors[field]?.[0]).toContain(sentence);
  expect(JSON.stringify(answer.body).length).toBeLessThan(3_000);
});

test.for(TEXTS.filter(([, field]) => field !== "post_extra.title"))(
  "%s is refused by update-post",
  async ([, field, sentence, change], { expect }) => {
    const creating = ["publish_mode", "channel_type", "post_type"];
    const body = Object.fromEntries(Object.entries(change).filter(([name]) => !creating.includes(name)));
    const answer = await project.call("PUT", `/social/update-post/${waiting}`, { body });
    expect(answer.status).toBe(422);
    expect(Refusal.parse(answer.body).errors[field]?.[0]).toContain(sentence);
  },
);

test.for([
  ["a long redirectUrl", "redirectUrl", "2,048 characters", { redirectUrl: `${"a.".repeat(OVER / 2)}:1` }],
  ["a long userId", "userId", "255 characters", { userId: "a".repeat(OVER) }],
] as const)("%s is refused by connect-channel", async ([, field, sentence, change], { expect }) => {
  const answer = await project.call("POST", "/social/connect-channel", { body: { userId: "u", ...change } });
  expect(answer.status).toBe(422);
  expect(Refusal.parse(answer.body).errors[field]?.[0]).toContain(sentence);
});

test("a long Idempotency-Key is refused", async ({ expect }) => {
  const headers = { "Idempotency-Key": "k".repeat(10_000) };
  const body = { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [] };
  const answer = await project.call("POST", "/social/create-post", { body, headers });
  expect(answer.status).toBe(422);
  expect(Refusal.parse(answer.body).errors["Idempotency-Key"]?.[0]).toContain("255 characters");
});

test("a body of very many or very deep values is refused before it is parsed", async ({ expect }) => {
  const bodies = [
    `{"media_urls":[${"1,".repeat(500_000)}1]}`,
    `{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`,
    `{"a":[${"{},".repeat(300_000)}{}]}`,
    `{"a":["\\\\",${'"\\",\\"",'.repeat(90_000)}""]}`,
    `{"caption_text":null,"x":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}`,
  ];
  for (const raw of bodies) {
    for (const [method, path] of [
      ["POST", "create-post"],
      ["PUT", `update-post/${waiting}`],
      ["POST", "connect-channel"],
    ] as const) {
      const answer = await project.call(method, `/social/${path}`, { raw });
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid_request" } });
      expect(JSON.stringify(answer.body)).toContain("10,000 values");
    }
  }
});

test("only what stands outside of texts is counted as a value", ({ expect }) => {
  const commas = ",[{".repeat(30_000);
  expect(hasTooManyValues(JSON.stringify({ caption_text: `${commas}\\"${commas}\\` }))).toBe(false);
  expect(hasTooManyValues(JSON.stringify({ list: Array(9_990).fill('a"b\\') }))).toBe(false);
  expect(hasTooManyValues(JSON.stringify({ list: Array(10_010).fill('a"b\\') }))).toBe(true);
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}null${"}".repeat(levels)}`;
  expect(hasTooManyValues(nested(100))).toBe(false);
  expect(hasTooManyValues(nested(101))).toBe(true);
  expect(hasTooManyValues(`[${Array(500).fill(nested(50)).join(",")}]`)).toBe(true);
  expect(hasTooManyValues(`[${Array(100).fill(nested(50)).join(",")}]`)).toBe(false);
});

test("hundreds of unknown fields are reported in an answer of a bounded length", async ({ expect }) => {
  const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${"long".repeat(40)}${index}`, 1]));
  const answer = await project.call("PUT", `/social/update-post/${waiting}`, { body });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body).length).toBeLessThan(33_000);
});

test.for(["constructor", "__proto__", "toString"])(
  "a field called %s is refused like any other",
  async (name, { expect }) => {
    const answer = await project.call("PUT", `/social/update-post/${waiting}`, { raw: `{"${name}":1}` });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(`${name} must not be sent: only caption_text, `);
  },
);

test("a thread of more text than anybody posts is refused by its length, before anything weighs it", async ({
  expect,
}) => {
  const piece = (text: string) => text.repeat(20_000).slice(0, 39_500);
  for (const letters of ["a.a ", "あ".repeat(2), "http://a.com "]) {
    const items = Array.from({ length: letters.startsWith("あ") ? 8 : 25 }, (_, index) => ({
      message: `${piece(letters)}${index}`,
    }));
    const body = {
      channel_type: "threads",
      channel_id: 1,
      post_type: "thread",
      publish_mode: "now",
      twitter_threads: items,
    };
    for (const [method, path] of [
      ["POST", "create-post"],
      ["POST", "validate-post"],
      ["PUT", `update-post/${waiting}`],
    ] as const) {
      const sent = method === "PUT" ? { twitter_threads: items } : body;
      const answer = await project.call(method, `/social/${path}`, { body: sent });
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid_request" } });
      expect(JSON.stringify(answer.body)).toContain(
        "twitter_threads must have at most 100,000 characters altogether, not ",
      );
    }
  }
});

test("a run of marks is found wherever it stands, and as long as it is", ({ expect }) => {
  const mark = fc.constantFrom("\u0301", "\u0315", "\u{1e944}", "\ufe0f");
  const other = fc.constantFrom("a", "😀", "あ", "\ud83d", "\udc00");
  const run = fc
    .tuple(fc.integer({ min: 1, max: 130 }), mark, other)
    .map(([count, one, end]) => one.repeat(count) + end);
  fc.assert(
    fc.property(fc.string({ maxLength: 250 }), fc.array(run, { maxLength: 5 }), (before, runs) => {
      const text = before + runs.join("");
      const longest = Math.max(0, ...(text.match(/\p{M}+/gu) ?? []).map(({ length }) => length));
      expect(hasMarkPile(text)).toBe(longest > 100);
    }),
    { numRuns: 500 },
  );
});

test("texts of any kind that are accepted are read in a time that grows with their length", ({ expect }) => {
  // Ten times as long as a caption may be: with a cost that grows with the square, this test would run for
  // minutes.
  const pile = `a${MARKS.repeat(500_000)}`;
  expect(hasMarkPile(pile)).toBe(true);
  expect(hasMarkPile(`a${"\u0315".repeat(101)}`)).toBe(true);
  expect(hasMarkPile(`${"\u0315".repeat(100)}a${"\u0315".repeat(100)}`)).toBe(false);
  const piles = `a${MARKS.repeat(50)}`.repeat(20_000);
  expect(hasMarkPile(piles)).toBe(false);
  expect(withHashtags(piles, ["a"])).toHaveLength(piles.length + 4);
  expect(withHashtags(pile, [])).toBe(pile);
  expect(withHashtags("#a".repeat(500_000), ["b"])).toHaveLength(1_000_004);
  expect(withHashtags(`#${"a".repeat(100_000)}`, ["b"])).toHaveLength(100_005);
  expect(parseHashtags("#".repeat(1_000_000)).tags).toEqual([]);
  expect(parseHashtags("a ".repeat(500_000)).tags).toEqual(["a"]);
});
