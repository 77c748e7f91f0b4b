import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Commented, commentResult, shownComments, untilPublished } from "../../contract/comments.ts";
import { formsOf } from "../../support/browser.ts";
import { isAccountField } from "../../support/person.ts";
import { queuesIdle } from "../../support/queue.ts";
import { eventsOf } from "../../support/queueing.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { type ChannelRef, createPost, newBrowser, PAGES, Project, projectWith } from "../../support/world.ts";

/**
 * `first_comment` at the front door: where it is accepted, changed, refused and shown. That it is written
 * once: contract-comments.
 */
let project: Project;
let page: ChannelRef<"facebook">;
let x: ChannelRef<"twitter">;
beforeAll(async () => {
  ({ project, channel: page } = await projectWith("facebook"));
  const [id = 0] = await project.connect("twitter", ["2244990001"]);
  x = { channel_type: "twitter", channel_id: id };
});

const PLAIN = { post_type: "post", media_urls: [], publish_mode: "now" };

const Answer = z.object({ warnings: z.array(z.string()).default([]), data: z.object({ post_id: z.number() }) });

async function create(channel: ChannelRef, body: Record<string, unknown>) {
  const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...PLAIN, ...body } });
  return { ...answer, ...Answer.partial().parse(answer.body) };
}

/** As the helpers of the contract suite know a post. */
function commented(channel: ChannelRef<"facebook" | "twitter">, id: number, text: string): Commented {
  const shape = { name: "a text", type: "post", items: [[]] } as const;
  return { sent: { home: { project, channel }, id, shape, mark: text, before: new Set() }, text };
}

const Refusal = z.object({ code: z.string(), errors: z.record(z.string(), z.array(z.string())) });

test("what a comment may not be is refused by its field", async () => {
  const refusals: readonly (readonly [ChannelRef, unknown, string])[] = [
    [page, "  ", "first_comment must not be blank."],
    [page, 7, "first_comment must be a string, not a number."],
    [page, "x".repeat(8_001), "first_comment must have at most 8,000 characters, not 8,001."],
    [x, "日".repeat(141), "first_comment must have at most 280 characters as X counts them, not 282."],
    [x, "$ACME $ZZZ", "first_comment must have at most one cashtag on X, not $ACME, $ZZZ."],
  ];
  for (const [channel, first_comment, sentence] of refusals) {
    const { status, body } = await create(channel, { caption_text: "x", first_comment });
    expect([status, Refusal.parse(body).errors]).toEqual([422, { first_comment: [sentence] }]);
  }
  const checked = await project.call("POST", "/social/validate-post", {
    body: { ...x, ...PLAIN, caption_text: "x", first_comment: "x".repeat(281) },
  });
  expect([checked.status, Refusal.parse(checked.body).code]).toEqual([422, "content_invalid"]);
});

test("a post costs no more with one: two D1 calls, one queue send", async () => {
  const { headers } = await create(page, { caption_text: crypto.randomUUID(), first_comment: "First" });
  const timing = headers.get("Server-Timing") ?? "";
  expect(timing).toContain('d1;desc="calls=2 ');
  expect(timing).toContain('queue;desc="sends=1"');
});

test("under a story there is none: a warning, and nothing else", async () => {
  const text = crypto.randomUUID();
  const body = { post_type: "story", caption_text: "x", media_urls: [media("square.jpg")], first_comment: text };
  const { warnings, data } = await create(page, body);
  expect(warnings).toEqual(["`first_comment` is left out: this service cannot comment under a story on facebook."]);
  await queuesIdle();
  const story = commented(page, data?.post_id ?? 0, text);
  expect(await shownComments(story)).toEqual([]);
  expect(await commentResult(story)).toEqual({
    STATUS: "published",
    first_comment: null,
    first_comment_result: null,
  });
  const checked = await project.call("POST", "/social/validate-post", {
    body: { ...page, ...PLAIN, ...body },
  });
  expect(checked).toMatchObject({
    status: 200,
    body: { first_comment: null, warnings: expect.arrayContaining(warnings ?? []) },
  });
});

test("validate-post shows it", async () => {
  const body = { ...page, ...PLAIN, caption_text: crypto.randomUUID() };
  const check = (extra: object) => project.call("POST", "/social/validate-post", { body: { ...body, ...extra } });
  expect((await check({ first_comment: "First" })).body).toMatchObject({ valid: true, first_comment: "First" });
  expect((await check({})).body).toMatchObject({ first_comment: null });
});

test("update-post adds, changes and removes it, and the timeline reports the old and the new", async () => {
  const id = await createPost(project, page, { caption_text: crypto.randomUUID(), publish_mode: "draft" });
  const update = async (body: object) => (await project.call("PUT", `/social/update-post/${id}`, { body })).body;
  expect(await update({ first_comment: "One" })).toMatchObject({ changed: ["first_comment"] });
  expect(await update({ first_comment: "One" })).toMatchObject({ changed: [] });
  expect(await update({ hash_tags: "bikes" })).toMatchObject({ changed: ["hash_tags"] });
  expect(await update({ first_comment: "x".repeat(8_001) })).toMatchObject({ code: "content_invalid" });
  expect((await commentResult(commented(page, id, "One"))).first_comment).toBe("One");
  expect(await update({ first_comment: null })).toMatchObject({ changed: ["first_comment"] });
  const text = crypto.randomUUID();
  expect(await update({ first_comment: text, publish_mode: "now" })).toMatchObject({
    changed: ["publish_mode", "first_comment"],
  });
  await queuesIdle();
  expect(await shownComments(commented(page, id, text))).toHaveLength(1);
  const changes = (await eventsOf(project, id)).flatMap(({ detail }) =>
    detail && "changes" in detail ? [detail.changes] : [],
  );
  expect(changes).toMatchObject([
    { first_comment: { from: null, to: "One" } },
    { hash_tags: {} },
    { first_comment: { from: "One", to: null } },
    { first_comment: { from: null, to: text } },
  ]);
});

test("under a thread it stands under the first item", async () => {
  const [mark, text] = [crypto.randomUUID(), crypto.randomUUID()];
  const items = [{ message: `1 ${mark}` }, { message: `2 ${mark}` }];
  const body = { post_type: "thread", caption_text: "", twitter_threads: items, first_comment: text };
  const id = await createPost(project, x, body);
  await queuesIdle();
  const live = await sandbox.postsWith(mark);
  const first = live.find((post) => post.text.startsWith("1 "));
  expect(await shownComments(commented(x, id, text))).toEqual([{ id: expect.any(String), under: first?.id }]);
});

test("one that repeats an item of the thread is refused by X as a duplicate, and never taken for that item", async () => {
  const mark = crypto.randomUUID();
  const items = [{ message: `1 ${mark}` }, { message: `2 ${mark}` }];
  const body = { post_type: "thread", caption_text: "", twitter_threads: items, first_comment: `2 ${mark}` };
  const id = await createPost(project, x, body);
  await queuesIdle();
  expect(await commentResult(commented(x, id, ""))).toMatchObject({
    STATUS: "published",
    first_comment_result: { state: "failed", comment_id: null, error_code: "duplicate" },
  });
  expect(await sandbox.postsWith(mark)).toHaveLength(2);
});

test("of a post that fails none is published, and both say why", async () => {
  const text = crypto.randomUUID();
  const body = { caption_text: crypto.randomUUID(), media_urls: [media("notes.txt")], first_comment: text };
  const id = await createPost(project, page, body);
  await queuesIdle();
  expect(await commentResult(commented(page, id, text))).toMatchObject({
    STATUS: "failed",
    first_comment_result: {
      state: "failed",
      error_code: "media_invalid",
      error: expect.stringContaining("post failed"),
    },
  });
  expect(await shownComments(commented(page, id, text))).toEqual([]);
});

test("a page that was connected without the permission: the post is published, the comment says what is missing", async () => {
  const bare = await Project.create();
  const started = await bare.call("POST", "/social/connect-channel", { body: { userId: "user-1" } });
  const { connect_url } = z.object({ connect_url: z.string() }).parse(started.body);
  await connectWithout(connect_url, "pages_manage_engagement");
  const Channels = z.object({
    channels: z.object({
      data: z.array(z.object({ channel_id: z.number(), health: z.string(), capabilities: z.array(z.unknown()) })),
    }),
  });
  const [channel] = Channels.parse((await bare.call("GET", "/social/get-channels")).body).channels.data;
  const reason = expect.stringContaining("was connected without pages_manage_engagement. Connect");
  expect(channel).toMatchObject({
    health: "connected",
    capabilities: expect.arrayContaining([{ name: "comments", health: "reconnect_needed", reason }]),
  });
  const text = crypto.randomUUID();
  const body = { channel_type: "facebook", channel_id: channel?.channel_id, ...PLAIN, caption_text: text };
  const answer = await bare.call("POST", "/social/create-post", { body: { ...body, first_comment: `First ${text}` } });
  const { warnings, data } = Answer.parse(answer.body);
  expect(warnings).toEqual([
    expect.stringMatching(/^`first_comment` will not be published while .* without pages_manage_engagement\. Connect/),
  ]);
  await queuesIdle();
  const read = await bare.call("GET", `/social/post/${data.post_id}?include=content`);
  expect(read.body).toMatchObject({
    post: {
      STATUS: "published",
      first_comment: `First ${text}`,
      first_comment_result: { state: "failed", error_code: "permission_missing", error: reason },
    },
  });
  const found = (await eventsOf(bare, data.post_id)).find(({ type }) => type === "post.comment_failed");
  expect(found).toMatchObject({
    message: expect.stringMatching(/^The first comment was not published: /),
    detail: { error_code: "permission_missing", cause: null },
  });
});

/** The hosted pages, with one permission unticked at Facebook. */
async function connectWithout(url: string, scope: string): Promise<void> {
  const browser = newBrowser();
  let at = await browser.go(url);
  for (let turn = 0; turn < 10; turn++) {
    const form = formsOf(at).find(({ method }) => method === "POST");
    if (at.status !== 200 || !form) return;
    const allow = form.buttons.find(({ name, value }) => name === "decision" && value === "allow");
    const isTicked = ({ name, value }: { name: string; value: string }) => {
      if (name === "platform") return value === "facebook";
      if (name === "scope") return value !== scope;
      return isAccountField(name) ? value === PAGES.fern : undefined;
    };
    at = await browser.send(form, isTicked, allow);
  }
}

test("a deleted post whose comment could not be found says that the comment may exist", async () => {
  const [mark, text] = [crypto.randomUUID(), crypto.randomUUID()];
  const id = await createPost(project, x, { caption_text: mark, first_comment: text });
  await untilPublished(commented(x, id, text));
  await sandbox.fault("twitter", "publish", "error", 1_000);
  await queuesIdle(172_800_000);
  await sandbox.fault("twitter", "publish", "error", 0);
  const { first_comment_result } = await commentResult(commented(x, id, text));
  expect(first_comment_result).toMatchObject({ state: "failed", error_code: "may_be_published" });
  await project.call("DELETE", `/social/delete-post/${id}`);
  await queuesIdle();
  expect(await sandbox.postsWith(mark)).toEqual([]);
  expect((await eventsOf(project, id)).at(-1)).toMatchObject({
    type: "post.removal_failed",
    message: "The post was deleted at the platform, but its first comment may still be live. Check the channel.",
    detail: { error_code: "may_be_published" },
  });
});

test("the timeline reports that it is published, and with which id", async () => {
  const text = crypto.randomUUID();
  const id = await createPost(project, page, { caption_text: crypto.randomUUID(), first_comment: text });
  await queuesIdle();
  const [shown] = await shownComments(commented(page, id, text));
  const events = await eventsOf(project, id);
  expect(events.map(({ type }) => type).slice(-2)).toEqual(["post.published", "post.commented"]);
  expect(events.at(-1)).toMatchObject({ detail: { comment_id: shown?.id } });
});

test("a channel that comments faster than its platform lets it waits, and says so", async () => {
  const { project: own, channel } = await projectWith("linkedin");
  const texts = [crypto.randomUUID(), crypto.randomUUID()];
  const ids = await Promise.all(
    texts.map((text) => createPost(own, channel, { caption_text: `Post ${text}`, first_comment: text })),
  );
  await queuesIdle();
  const found = (await Promise.all(ids.map((id) => eventsOf(own, id)))).flat();
  expect(found.filter(({ type }) => type === "post.commented")).toHaveLength(2);
  expect(found.filter(({ type }) => type === "post.waiting")).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/^The first comment waits: LinkedIn accepts about one comment a minute/),
      detail: expect.objectContaining({ error_code: "rate_limited" }),
    }),
  ]);
});
