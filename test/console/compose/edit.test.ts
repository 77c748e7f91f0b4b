import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import type { PlatformName } from "../../../src/platforms/names.ts";
import type { Page } from "../../support/browser.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media } from "../../support/sandbox.ts";
import { calmTiktok } from "../../support/tiktok.ts";
import { createPost, type Project } from "../../support/world.ts";
import { CONSOLE_URL, callsOf, newEmail, signedIn } from "../console-browser.ts";
import { postsOf, send, text, type Values, valuesOf, type Writer, writer } from "./writer.ts";

/** Posts that are opened in the composer again. */

interface Editing extends Writer {
  readonly post: number;
}

async function editing(platform: PlatformName, body: Readonly<Record<string, unknown>>): Promise<Editing> {
  const here = await writer(platform);
  const channel = { channel_type: platform, channel_id: here.channels[0] ?? 0 } as const;
  return { ...here, post: await createPost(here.project, channel, body) };
}

const open = ({ browser, id, post }: Pick<Editing, "browser" | "id" | "post">) =>
  browser.go(`${CONSOLE_URL}/projects/${id}/posts/${post}/edit`);
const save = (here: Pick<Editing, "browser">, page: Page, values: Values, to = "/edit") =>
  send(here.browser, page, values, { form: "/edit", to });

async function stored(project: Project, post: number): Promise<Readonly<Record<string, unknown>>> {
  const answer = await project.call("GET", `/social/post/${post}?include=content`);
  return z.object({ post: z.record(z.string(), z.unknown()) }).parse(answer.body).post;
}

/** What an edit must leave as it is. */
const contentOf = ({ updated_at: _, revision: __, ...post }: Readonly<Record<string, unknown>>) => post;

const FULL = {
  caption_text: "Saffron buns.",
  media_urls: [media("square.jpg")],
  alt_texts: ["A bun"],
  hash_tags: "buns, saffron",
  first_comment: "From nine.",
  declared: { made_with_ai: true, paid_partnership: false },
  external_id: "order-1",
  metadata: { a: "b" },
};

const CASES: readonly (readonly [PlatformName, Readonly<Record<string, unknown>>])[] = [
  ["facebook", { ...FULL, publish_mode: "draft" }],
  ["facebook", { ...FULL, publish_mode: "scheduled", schedule_time: "2027-07-01 10:00", time_zone: "America/Lima" }],
  ["facebook", { ...FULL, publish_mode: "queued" }],
  ["instagram", { ...FULL, publish_mode: "draft", options: { collaborators: ["a.b", "c"], location_id: "104" } }],
  [
    "twitter",
    {
      post_type: "thread",
      caption_text: undefined,
      media_urls: undefined,
      twitter_threads: [
        { message: "One", media_urls: [media("square.jpg")], alt_texts: ["First"] },
        { message: "Two\n\nwith lines", media_urls: [media("square.png")], alt_texts: ["Second"] },
        { message: "Three" },
      ],
      publish_mode: "draft",
    },
  ],
  [
    "youtube",
    {
      caption_text: "A video.",
      media_urls: [media("reel.mp4")],
      post_type: "reel",
      post_extra: { title: "Buns", category: 26, privacyStatus: "unlisted" },
      publish_mode: "draft",
    },
  ],
];

describe("a post in the composer again", () => {
  test.for(CASES)("has every field: %s %o", async ([platform, body], { expect }) => {
    const here = await editing(platform, body);
    const before = await stored(here.project, here.post);
    const page = await open(here);
    expect([page.status, callsOf(page) <= 3]).toEqual([200, true]);
    const saved = await save(here, page, {});
    expect(text(saved)).toContain("Nothing was changed.");
    expect(await stored(here.project, here.post)).toEqual(before);
    const reworded = await save(here, await open(here), { first_comment: "Until six." });
    expect(text(reworded)).toMatch(/Saved: First comment\./);
    expect(contentOf(await stored(here.project, here.post))).toEqual({
      ...contentOf(before),
      first_comment: "Until six.",
      first_comment_result: { state: "pending", comment_id: null, error: null, error_code: null },
    });
  });

  test("changes the same post, and makes no second one, however often it is sent", async ({ expect }) => {
    const here = await editing("facebook", { ...FULL, publish_mode: "draft" });
    const page = await open(here);
    const values = {
      caption_text: "Cinnamon buns.",
      hash_tags: "",
      first_comment: "",
      declared: ["own_brand"],
      media_url: [media("square.png"), media("square.jpg")],
      alt_text: ["New", "A bun"],
      publish_mode: "scheduled",
      schedule_time: "2027-07-01T10:00",
    };
    const answers = await Promise.all([1, 2].map(() => save(here, page, values)));
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(await postsOf(here)).toMatchObject([
      {
        post_id: here.post,
        STATUS: "scheduled",
        caption_text: "Cinnamon buns.",
        scheduled_at: "2027-07-01T08:00:00.000+00:00",
        first_comment: null,
        declared: { paid_partnership: false, own_brand: true },
        alt_texts: ["New", "A bun"],
      },
    ]);
    expect(await stored(here.project, here.post)).toMatchObject({ hash_tags: [], external_id: "order-1" });
  });

  test("publishes a draft once", async ({ expect }) => {
    const here = await editing("facebook", { caption_text: "Now.", publish_mode: "draft" });
    const page = await open(here);
    const answers = await Promise.all([1, 2].map(() => save(here, page, { publish_mode: "now" })));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    await queuesIdle();
    expect((await postsOf(here)).map(({ STATUS }) => STATUS)).toEqual(["published"]);
    const late = await save(here, page, { caption_text: "Too late." });
    expect([late.status, text(late)]).toEqual([422, expect.stringContaining("only draft, scheduled and queued")]);
    expect(text(late)).toContain("Too late.");
  });

  test("that someone else changed is not overwritten: the difference is shown, and the rest is merged", async ({
    expect,
  }) => {
    const here = await editing("facebook", { ...FULL, publish_mode: "draft" });
    const page = await open(here);
    const change = { caption_text: "Theirs.", first_comment: "Their comment." };
    await here.project.call("PUT", `/social/update-post/${here.post}`, { body: change });
    const refused = await save(here, page, { caption_text: "Mine." });
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining("was changed meanwhile")]);
    const report = load(refused.html)("[aria-label='What was changed']").text().replace(/\s+/g, " ");
    expect(report).toMatch(/Text ?Before ?Saffron buns\. ?Now ?Theirs\..*First comment ?Before ?From nine/);
    const values = Object.fromEntries(valuesOf(refused, "/edit"));
    expect([values.caption_text, values.first_comment]).toEqual(["Mine.", "Their comment."]);
    expect(await stored(here.project, here.post)).toMatchObject(change);
    await save(here, refused, {});
    expect(await stored(here.project, here.post)).toMatchObject({ ...change, caption_text: "Mine." });
  });

  test("moves in its queue meanwhile, and still takes another text", async ({ expect }) => {
    const here = await editing("facebook", { caption_text: "First.", publish_mode: "queued" });
    const page = await open(here);
    const channel = { channel_type: "facebook", channel_id: here.channels[0] ?? 0 } as const;
    await createPost(here.project, channel, { caption_text: "Before it.", publish_mode: "share_next" });
    expect(text(await save(here, page, { caption_text: "Reworded." }))).toContain("Saved: Text.");
    expect(await stored(here.project, here.post)).toMatchObject({ STATUS: "queued", caption_text: "Reworded." });
  });

  test("says what update-post says, and keeps what was written", async ({ expect }) => {
    const here = await editing("twitter", { caption_text: "Short.", publish_mode: "draft" });
    const long = "word ".repeat(100).trim();
    const refused = await save(here, await open(here), { caption_text: long });
    const path = `/social/update-post/${here.post}`;
    const said = await here.project.call("PUT", path, { body: { caption_text: long } });
    expect([refused.status, text(refused)]).toEqual([
      422,
      expect.stringContaining(z.object({ message: z.string() }).parse(said.body).message),
    ]);
    expect(refused.html).toContain(long);
    const checked = await save(here, await open(here), {}, "/edit/check");
    expect([text(checked), text(checked).includes("repeats post")]).toEqual([
      expect.stringContaining("can be published as it is"),
      false,
    ]);
  });
});

describe("a post with a request for approval", () => {
  test("that was sent back waits again once it is rewritten; the earlier revision is not approved", async ({
    expect,
  }) => {
    const here = await writer("facebook");
    const author = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    const channel = { channel_type: "facebook", channel_id: here.channels[0] ?? 0 } as const;
    const post = await createPost(here.project, channel, { caption_text: "First try.", publish_mode: "draft" });
    const wanted = { publish_mode: "scheduled", schedule_time: "2027-07-01 10:00", time_zone: "Europe/Berlin" };
    await here.project.call("POST", `/social/request-approval/${post}`, { body: wanted });
    const seen = z.object({ approval: z.object({ revision: z.number() }) });
    const { revision } = seen.parse(await stored(here.project, post)).approval;
    const mine = { browser: author, id: here.id, post };
    const page = await open(mine);
    expect(text(page)).toContain("it must be approved as it is then");
    const values = Object.fromEntries(valuesOf(page, "/edit"));
    expect([values.publish_mode, values.schedule_time]).toEqual(["scheduled", "2027-07-01T10:00"]);
    expect(text(await save(mine, page, { caption_text: "Second try." }))).toContain("waits for approval");
    const approve = (body: object) => here.project.call("POST", `/social/approve-post/${post}`, { body });
    expect((await approve({ revision })).status).toBe(422);
    const { revision: now } = seen.parse(await stored(here.project, post)).approval;
    await here.project.call("POST", `/social/send-back-post/${post}`, { body: { revision: now, note: "Shorter." } });
    const again = await open(mine);
    expect(text(again)).toContain("Sent back with this note: Shorter.");
    await save(mine, again, { caption_text: "Third." });
    expect(await stored(here.project, post)).toMatchObject({
      STATUS: "draft",
      caption_text: "Third.",
      approval: { state: "waiting", wanted: { publish_mode: "scheduled" } },
    });
  });

  test("is published by an editor who does without it; an author changes no post that is scheduled", async ({
    expect,
  }) => {
    const here = await editing("facebook", { caption_text: "Mine.", publish_mode: "draft" });
    const author = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    const mine = { browser: author, id: here.id, post: here.post };
    await save(mine, await open(mine), { publish_mode: "scheduled", schedule_time: "2027-07-01T10:00" });
    const page = await open(here);
    expect(Object.fromEntries(valuesOf(page, "/edit")).approval).toBe("wait");
    await save(here, page, { approval: [] });
    expect(await stored(here.project, here.post)).toMatchObject({ STATUS: "scheduled", caption_text: "Mine." });
    expect(text(await open(mine))).toContain("Only an editor changes a post that is scheduled or queued.");
    await save(here, await open(here), { approval: "wait" });
    expect(await stored(here.project, here.post)).toMatchObject({ STATUS: "draft", approval: { state: "waiting" } });
  });
});

test("a post for TikTok is opened on TikTok's page, with its choices", async ({ expect }) => {
  await calmTiktok();
  const options = { privacy_level: "MUTUAL_FOLLOW_FRIENDS", comments: true, duets: false, stitches: false };
  const here = await editing("tiktok", {
    caption_text: "A video.",
    media_urls: [media("reel.mp4")],
    publish_mode: "draft",
    post_type: "reel",
    options: { ...options, cover_ms: 500, consent_given: true },
    declared: { own_brand: true },
  });
  const page = await open(here);
  expect([page.status, callsOf(page) <= 3]).toEqual([200, true]);
  await save(here, page, { caption_text: "Another film." });
  expect(await stored(here.project, here.post)).toMatchObject({
    caption_text: "Another film.",
    options: { ...options, cover_ms: 500, consent_given: true },
    declared: { own_brand: true },
  });
});
