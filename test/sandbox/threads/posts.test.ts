import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { send } from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  ACME,
  actingWith,
  api,
  calmThreads,
  clock,
  FERN,
  failing,
  idIn,
  LOST,
  threadsLogin,
} from "../../support/threads.ts";
import { HOUR } from "../../support/times.ts";

/** What the simulated Threads promises of posts, files, allowances and replies (threads.md §4.2). */

const { settings, media } = sandbox;

let token = "";
beforeAll(async () => {
  token = await threadsLogin();
});
beforeEach(calmThreads);

const acting = () => actingWith(token);
type Acting = ReturnType<typeof acting>;
const create: Acting["create"] = (params) => acting().create(params);
const text: Acting["text"] = (...given) => acting().text(...given);
const publish: Acting["publish"] = (id) => acting().publish(id);
const published: Acting["published"] = (...given) => acting().published(...given);
const status: Acting["status"] = (id) => acting().status(id);

describe("what a post may be", () => {
  test.for([
    ["500 characters", "a".repeat(500), 200],
    ["501 characters", "a".repeat(501), 400],
    ["emoji by their bytes", "😀".repeat(126), 400],
    ["nothing", " ", 400],
  ] as const)("%s", async ([, words, expected]) => {
    expect((await text(words)).status).toBe(expected);
  });

  const links = Array.from({ length: 6 }, (_, at) => `https://example.com/${at}`).join(" ");
  test.for([
    ["code", { code: "THREADS_API__LINK_LIMIT_EXCEEDED" }],
    ["message", { message: expect.stringContaining("THREADS_API__LINK_LIMIT_EXCEEDED") }],
    ["error_user_msg", { error_user_msg: expect.stringContaining("THREADS_API__LINK_LIMIT_EXCEEDED") }],
  ] as const)("six links are refused when it is made, by a name in %s", async ([place, error]) => {
    await settings({ threads_error_names: place });
    expect(await text(links)).toMatchObject({ status: 400, json: { error } });
    expect((await text(`${links.replace(/5$/, "1")}`)).status).toBe(200);
  });

  test.for(["a.b", "a&b", "", "a".repeat(51)])("the topic %j is none", async (topic_tag) => {
    expect(await text("Tagged", { topic_tag })).toMatchObject(failing(100));
  });

  test("a parameter that is not known is refused in a strict sandbox", async () => {
    expect(await text("Strict", { caption: "x" })).toMatchObject(failing(100));
  });

  test("a link attachment, a poll and publishing at once are for texts only", async () => {
    const image = { media_type: "IMAGE", image_url: media("square.jpg") };
    for (const more of [
      { link_attachment: "https://e.com" },
      { poll_attachment: "{}" },
      { auto_publish_text: "true" },
    ]) {
      expect(await create({ ...image, ...more })).toMatchObject(failing(100));
    }
  });
});

describe("files", () => {
  const image = (name: string, more = {}) => create({ media_type: "IMAGE", image_url: media(name), ...more });
  const video = (name: string, more = {}) => create({ media_type: "VIDEO", video_url: media(name), ...more });

  test("are fetched and checked: what is wrong is reported by the container", async () => {
    expect(await status(idIn(await image("photo.webp")))).toMatchObject({ status: "ERROR", error_message: "UNKNOWN" });
    expect(await status(idIn(await video("square.jpg")))).toMatchObject({ error_message: "FAILED_PROCESSING_VIDEO" });
    expect(await status(idIn(await video("nothing.mp4")))).toMatchObject({ error_message: "FAILED_DOWNLOADING_VIDEO" });
    expect(await image("nothing.jpg")).toMatchObject(failing(1, 2_207_052));
    const id = idIn(await image("photo.webp"));
    expect(await publish(id)).toMatchObject(LOST);
  });

  test("of a carousel are two to twenty, finished, and its own", async () => {
    const item = { is_carousel_item: "true" };
    const [a, b] = [idIn(await image("square.jpg", { ...item, alt_text: "A" })), idIn(await video("clip.mp4", item))];
    const carousel = (children: string) => create({ media_type: "CAROUSEL", children, text: uniquely("Album") });
    expect(await carousel(a)).toMatchObject(failing(100));
    expect(await carousel(`${a},${idIn(await image("square.jpg"))}`)).toMatchObject(failing(100));
    expect(await publish(a)).toMatchObject(failing(100));
    await settings({ processing_ms: 10_000 });
    const slow = idIn(await image("square.jpg", item));
    expect(await carousel(`${a},${slow}`)).toMatchObject(failing(9007, 2_207_027));
    await settings({ processing_ms: 0 });
    const post = idIn(await publish(idIn(await carousel(`${a},${b}`))));
    const read = await api("GET", post, token, { fields: "media_type,children{media_type,alt_text}" });
    expect(read.json).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
      children: { data: [{ media_type: "IMAGE", alt_text: "A" }, { media_type: "VIDEO" }] },
    });
  });
});

describe("allowances", () => {
  const LIMIT = "me/threads_publishing_limit";

  test.for([
    ["threads_posts_per_day", () => published(uniquely("One"))],
    [
      "threads_replies_per_day",
      async () => published(uniquely("A reply"), { reply_to_id: await published(uniquely("Root")) }),
    ],
  ] as const)("of %s are counted by themselves, and come back after a day", async ([name, act]) => {
    const account = z
      .object({ id: z.string() })
      .parse(await sandbox.control("POST", "accounts", { platform: "threads", name })).id;
    const before = token;
    token = await threadsLogin(account);
    await act();
    await settings({ [name]: 1 });
    await expect(act()).rejects.toThrow();
    const { json } = await api("GET", LIMIT, token, { fields: "quota_usage,config,reply_quota_usage,reply_config" });
    const key = name === "threads_posts_per_day" ? "config" : "reply_config";
    expect(json).toMatchObject({ data: [{ [key]: { quota_total: 1, quota_duration: 86_400 } }] });
    await clock(25 * HOUR);
    await act();
    token = before;
  });

  test("that are reached are a refusal of their own", async () => {
    await settings({ threads_posts_per_day: 0 });
    expect(await publish(idIn(await text(uniquely("Full"))))).toMatchObject(failing(9, 2_207_042));
  });

  test("are reported to those only who may use them", async () => {
    const less = await threadsLogin(FERN, "threads_basic,threads_content_publish");
    expect((await api("GET", LIMIT, less)).status).toBe(200);
    expect(await api("GET", LIMIT, less, { fields: "reply_quota_usage" })).toMatchObject(failing(10));
    expect(await api("GET", LIMIT, less, { fields: "delete_config" })).toMatchObject(failing(10));
  });

  test("of calls stand in headers, and end in a refusal", async () => {
    const answer = await api("GET", "me", token);
    expect(answer.headers.get("x-app-usage")).toContain("call_count");
    await settings({ threads_calls_per_hour: 1 });
    expect(await api("GET", "me", token)).toMatchObject(failing(17));
  });
});

describe("replies", () => {
  const Listed = z.object({
    data: z.array(z.looseObject({ id: z.string(), text: z.string().optional() })),
    paging: z.object({ cursors: z.object({ after: z.string() }) }).optional(),
  });
  const list = async (path: string, params: Record<string, string> = {}, by = token) =>
    Listed.parse((await api("GET", path, by, { fields: "id,text", ...params })).json);
  const ids = async (path: string, params: Record<string, string> = {}) =>
    (await list(path, params)).data.map(({ id }) => id);

  test("are not among the posts, but in a list of their own, with what they answer", async () => {
    const root = await published(uniquely("Root"));
    const reply = await published(uniquely("Reply"), { reply_to_id: root });
    expect(await ids("me/threads")).toContain(root);
    expect(await ids("me/threads")).not.toContain(reply);
    const { json } = await api("GET", "me/replies", token, { fields: "replied_to,root_post,is_reply" });
    expect(json).toMatchObject({
      data: expect.arrayContaining([{ id: reply, replied_to: { id: root }, root_post: { id: root }, is_reply: true }]),
    });
  });

  test("need a post that exists, and may have to wait for it", async () => {
    expect(await text("x", { reply_to_id: "18060000000009999" })).toMatchObject(failing(100, 33));
    await settings({ threads_reply_lag_ms: 5_000 });
    const root = await published(uniquely("New"));
    expect(await text("x", { reply_to_id: root })).toMatchObject(LOST);
    await clock(6_000);
    expect((await text("x", { reply_to_id: root })).status).toBe(200);
  });

  test("of others are read under own posts only, answered, and hidden there", async () => {
    const root = await published(uniquely("Talk"));
    const put = { platform: "threads", post_id: root, author: "Ada Lane", text: "Love it" };
    const reply = z.object({ id: z.string() }).parse(await sandbox.control("POST", "comments", put)).id;
    const words = uniquely("Thanks");
    const answer = await published(words, { reply_to_id: reply });
    expect(await ids(`${root}/replies`)).toEqual([reply]);
    expect(await ids(`${root}/conversation`)).toEqual([answer, reply]);
    expect(await ids(`${root}/conversation`, { reverse: "false" })).toEqual([reply, answer]);
    const comments = z
      .array(z.looseObject({ text: z.string() }))
      .parse(await sandbox.control("GET", "comments?platform=threads"));
    expect(comments.find((one) => one.text === words)).toMatchObject({ post_id: root, reply_to: reply });
    expect((await api("POST", `${reply}/manage_reply`, token, { hide: "true" })).json).toEqual({ success: true });
    expect((await api("GET", reply, token, { fields: "hide_status" })).json).toMatchObject({ hide_status: "HIDDEN" });
    expect(await api("POST", `${answer}/manage_reply`, token, { hide: "true" })).toMatchObject(failing(100));
    const other = await threadsLogin(ACME);
    expect(await api("GET", `${root}/conversation`, other)).toMatchObject(failing(100));
    expect(await api("POST", `${reply}/manage_reply`, other, { hide: "true" })).toMatchObject(failing(100, 33));
  });

  test("come by cursors alone", async () => {
    const root = await published(uniquely("Many"));
    const all = [await published("1", { reply_to_id: root }), await published("2", { reply_to_id: root })];
    const first = await list(`${root}/replies`, { limit: "1", reverse: "false" });
    expect(first).not.toHaveProperty("paging.next");
    const { after = "" } = first.paging?.cursors ?? {};
    const second = await list(`${root}/replies`, { limit: "1", reverse: "false", after });
    expect([first.data[0]?.id, second.data[0]?.id]).toEqual(all);
    const end = await list(`${root}/replies`, {
      limit: "1",
      reverse: "false",
      after: second.paging?.cursors.after ?? "",
    });
    expect(end).toEqual({ data: [] });
    expect(await api("GET", `${root}/replies`, token, { after, before: after })).toMatchObject(failing(100));
  });
});

describe("posts", () => {
  test("are listed late, read at once, and altered where a setting says so", async () => {
    await settings({ threads_listing_lag_ms: 60_000, threads_text_readback: "altered" });
    const mark = crypto.randomUUID();
    const id = await published(`Out  now #bikes ${mark}`);
    expect((await api("GET", id, token, { fields: "text,topic_tag" })).json).toMatchObject({
      text: `Out now ${mark}`,
      topic_tag: "bikes",
    });
    const seen = async () => (await api("GET", "me/threads", token, { fields: "text" })).text.includes(mark);
    expect(await seen()).toBe(false);
    await clock(61_000);
    expect(await seen()).toBe(true);
  });

  test("are deleted once, by their own profile, and leave the others of their chain", async () => {
    const [root, words] = [await published(uniquely("Gone")), uniquely("Stays")];
    await published(words, { reply_to_id: root });
    expect(await api("DELETE", root, await threadsLogin(ACME))).toMatchObject(failing(100, 33));
    expect((await api("DELETE", root, token)).json).toEqual({ success: true, deleted_id: root });
    expect(await api("DELETE", root, token)).toMatchObject(failing(100, 33));
    expect(await sandbox.postsWith(words)).toHaveLength(1);
  });

  test("can be reposted, which makes no post of its own to see", async () => {
    const words = uniquely("Again");
    const id = await published(words);
    const facade = idIn(await api("POST", `${id}/repost`, await threadsLogin(ACME)));
    expect((await api("GET", facade, token, { fields: "media_type,reposted_post" })).json).toMatchObject({
      media_type: "REPOST_FACADE",
      reposted_post: { id },
    });
    expect(await sandbox.postsWith(words)).toHaveLength(1);
  });

  test("stand behind their address", async () => {
    const words = uniquely("Address");
    const id = await published(words);
    const { permalink } = z
      .object({ permalink: z.string() })
      .parse((await api("GET", id, token, { fields: "permalink" })).json);
    expect(permalink).toMatch(/^https:\/\/www\.threads\.com\/@fernandoak\/post\/D\w+$/);
    expect((await send(permalink)).text).toContain(words);
  });
});
