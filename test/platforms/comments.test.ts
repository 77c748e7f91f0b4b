import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { accessAs } from "../../src/acting/acting.ts";
import { findActor } from "../../src/channels/store.ts";
import { type ChannelId, idOf } from "../../src/core/ids.ts";
import { createMeter } from "../../src/core/meter.ts";
import type { Commenting, CommentTarget, ReadComment } from "../../src/platforms/commenting.ts";
import type { AccountContext, Json } from "../../src/platforms/context.ts";
import type { Capability } from "../../src/platforms/names.ts";
import type { PlatformPost } from "../../src/platforms/publishing.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { createDeps } from "../../src/service/deps.ts";
import { troubled } from "../contract/deliveries.ts";
import { commentableOn, type Home, NAMES, type Name, send, settings } from "../contract/world.ts";
import { advance } from "../support/clock.ts";
import { bindings, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";

/**
 * What the adapters that read comments promise of them, against the simulated platforms: what others write is
 * listed, answered under itself and nowhere else, found again, and whoever wrote it can be written to where
 * that is declared.
 */
const homes = troubled({ isWhole: true });
afterEach(() =>
  settings({ twitter_receives_dm: true, linkedin_comment_urns: "both", linkedin_comment_order: "newest" }),
);

const READING = NAMES.filter((name) => platforms[name]?.comments?.reading !== undefined);

const Stored = z.array(
  z.object({ id: z.string(), secondaryId: z.string().nullable(), permalink: z.string().nullable() }),
);
const Comments = z.array(
  z.looseObject({ id: z.string(), reply_to: z.string().nullable(), text: z.string(), author_id: z.string() }),
);

interface Live {
  readonly home: Home;
  readonly posts: readonly PlatformPost[];
}

async function published(name: Name): Promise<Live> {
  const home = homes.on(name);
  const { id } = await send(home, commentableOn(name));
  await queuesIdle();
  const row = await env.DB.prepare("SELECT platform_posts FROM posts WHERE id = ?").bind(id).first();
  return { home, posts: Stored.parse(JSON.parse(z.string().parse(row?.platform_posts))) };
}

async function contextOf({ channel }: Home, capability: Capability): Promise<AccountContext> {
  const deps = createDeps(bindings, { test: true }, createMeter());
  const access = await accessAs(deps, await findActor(deps.db, idOf<ChannelId>(channel.channel_id)), capability);
  if (access.kind !== "ready") throw new Error(JSON.stringify(access));
  return access.context;
}

const commentsOf = (name: Name): Commenting => {
  const { comments } = platforms[name] ?? {};
  if (!comments) throw new Error(`${name} has no comments.`);
  return comments;
};

/** A person's comment under the post. */
async function write({ home, posts }: Live, text: string, author = "Ana Reader"): Promise<void> {
  const post_id = posts[0]?.id ?? "";
  await sandbox.control("POST", "comments", { platform: home.channel.channel_type, post_id, author, text });
}

/** All that the adapter lists, page by page. */
async function list(live: Live, cursor: string | null = null): Promise<readonly ReadComment[]> {
  const { reading } = commentsOf(live.home.channel.channel_type);
  const context = await contextOf(live.home, "replies");
  const page = await reading?.list(context, live.posts, { cursor, since: Date.now() - 60 * MINUTE });
  if (page?.kind !== "page") throw new Error(JSON.stringify(page));
  const others = page.next === null ? [] : await list(live, page.next);
  const known = new Set(page.comments.map(({ id }) => id));
  return [...page.comments, ...others.filter(({ id }) => !known.has(id))];
}

const shownBy = async (name: Name) => Comments.parse(await sandbox.control("GET", `comments?platform=${name}`));

/** What the platform wants to be done before, waited for. */
async function prepared(home: Home, target: CommentTarget, text: string): Promise<Json> {
  const { prepare } = commentsOf(home.channel.channel_type);
  let progress: Json | null = null;
  for (let left = 20; prepare && left > 0; left--) {
    const outcome = await prepare(await contextOf(home, "replies"), target, text, progress);
    if (outcome.kind === "failed") throw new Error(JSON.stringify(outcome));
    progress = outcome.progress;
    if (outcome.kind === "ready") break;
    await advance(MINUTE);
  }
  return progress;
}

/** A person's comment, written and read. */
async function read(name: Name): Promise<{ readonly live: Live; readonly comment: ReadComment }> {
  const live = await published(name);
  await write(live, uniquely("What does it weigh?"));
  // Searches, and lists, may be late.
  await advance(15 * MINUTE);
  const [comment] = await list(live);
  if (!comment) throw new Error("It was not listed.");
  return { live, comment };
}

describe.for(READING)("%s", (name) => {
  test("declares that it can", () => {
    expect(platforms[name]?.capabilities.replies).toBeDefined();
  });

  test("no comments are an empty page", async () => {
    const live = await published(name);
    await advance(2 * MINUTE);
    expect(await list(live)).toEqual([]);
  });

  test("what others write is listed once each, with who and when", async () => {
    const live = await published(name);
    const texts = [uniquely("First & <best>"), uniquely("Second"), uniquely("Third")];
    for (const text of texts) await write(live, text);
    const at = Date.now();
    await advance(15 * MINUTE);
    const comments = await list(live);
    expect(comments.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
    const shown = (await shownBy(name)).filter(({ text }) => texts.includes(text));
    for (const { author, createdAt, isTopLevel, isOwn } of comments) {
      expect(shown.map(({ author_id }) => author_id)).toContain(author?.id);
      expect(Math.abs(createdAt - at)).toBeLessThan(MINUTE);
      expect([isTopLevel, isOwn]).toEqual([true, false]);
    }
  });

  test("an answer stands under the comment, and is found there only", async () => {
    const { live, comment } = await read(name);
    const { create, find } = commentsOf(name);
    const [post] = live.posts;
    if (!post) throw new Error("Nothing is live.");
    const text = uniquely("9.8 kg");
    const since = Date.now();
    const target = { post, comment };
    const progress = await prepared(live.home, target, text);
    const made = await create(await contextOf(live.home, "replies"), target, text, progress);
    if (made.kind !== "published") throw new Error(JSON.stringify(made));
    const shown = (await shownBy(name)).find((one) => one.text === text);
    expect(comment.id).toContain(shown?.reply_to ?? "nowhere");
    await advance(15 * MINUTE);
    const check = async (under: ReadComment | null, taken: readonly string[] = []) => {
      const request = { text, since, taken: new Set(taken), progress };
      return find(await contextOf(live.home, "replies"), { post, comment: under }, request);
    };
    expect(await check(comment)).toEqual({ kind: "found", id: made.id });
    expect(["absent", "unknown"]).toContain((await check(null)).kind);
    expect(["absent", "unknown"]).toContain((await check(comment, [made.id])).kind);
    // The account's own comments are never taken for another person's.
    expect((await list(live)).filter((one) => one.text === text && one.isOwn !== true)).toEqual([]);
  });
});

describe.for(NAMES.filter((name) => platforms[name]?.messages !== undefined))("%s", (name) => {
  test("a message reaches the author who wrote the comment, and is found again", async () => {
    const { live, comment } = await read(name);
    const { messages } = platforms[name] ?? {};
    const [post] = live.posts;
    if (!post || !messages) throw new Error("Nothing is live.");
    const [to, text, since] = [{ post, comment }, uniquely("Hi Ana"), Date.now()];
    const context = await contextOf(live.home, "messages");
    expect(await messages.find(context, to, { text, since, taken: new Set() })).toEqual({ kind: "absent" });
    const sent = await messages.send(context, to, text);
    expect(sent).toMatchObject({ kind: "sent" });
    const all = z.array(z.looseObject({ text: z.string(), recipient_id: z.string() }));
    const arrived = all
      .parse(await sandbox.control("GET", `messages?platform=${name}`))
      .filter((one) => one.text === text);
    expect(arrived).toMatchObject([{ recipient_id: comment.author?.id }]);
    const found = await messages.find(context, to, { text, since, taken: new Set() });
    expect(found.kind === "found" || messages.refusesRepeat).toBe(true);
  });
});

test("who takes no messages on X is a refusal for the person", async () => {
  const { live, comment } = await read("twitter");
  await settings({ twitter_receives_dm: false });
  const [post] = live.posts;
  const { messages } = platforms.twitter ?? {};
  const context = await contextOf(live.home, "messages");
  const sent = post && (await messages?.send(context, { post, comment }, "Hi"));
  expect(sent).toMatchObject({
    kind: "failed",
    reason: "rejected",
    message: expect.stringContaining("accept no messages"),
  });
});

test.for(["commentUrn", "$URN", "absent"])(
  "LinkedIn's comments can be answered with their URN in %s",
  async (names) => {
    await settings({ linkedin_comment_urns: names, linkedin_comment_order: "oldest" });
    const { live, comment } = await read("linkedin");
    const [post] = live.posts;
    if (!post) throw new Error("Nothing is live.");
    const context = await contextOf(live.home, "replies");
    const made = await commentsOf("linkedin").create(context, { post, comment }, "Thanks", null);
    expect(made).toMatchObject({
      kind: "published",
      id: expect.stringMatching(/^urn:li:comment:\(urn:li:activity:\d+,\d+\)$/),
    });
  },
);

test.for(["old", "both"])("X's replies are read in the %s names", async (dialect) => {
  await settings({ twitter_dialect: dialect });
  const { comment } = await read("twitter");
  expect(comment).toMatchObject({ isTopLevel: true, author: { name: "Ana Reader" } });
  await settings({ twitter_dialect: "new" });
});

test("an answer that YouTube holds back is unconfirmed for ever", async () => {
  const { live, comment } = await read("youtube");
  const [post] = live.posts;
  if (!post) throw new Error("Nothing is live.");
  const [target, text, since] = [{ post, comment }, uniquely("Thanks [held]"), Date.now()];
  const { create, find } = commentsOf("youtube");
  expect(await create(await contextOf(live.home, "replies"), target, text, null)).toMatchObject({ kind: "published" });
  await advance(30 * MINUTE);
  const request = { text, since, taken: new Set<string>(), progress: null };
  expect(await find(await contextOf(live.home, "replies"), target, request)).toMatchObject({ kind: "unknown" });
  await settings({ youtube_comments: "off" });
  const { reading } = commentsOf("youtube");
  const page = await reading?.list(await contextOf(live.home, "replies"), live.posts, { cursor: null, since: 0 });
  expect(page).toMatchObject({ reason: "rejected", message: expect.stringContaining("Comments are turned off") });
  await settings({ youtube_comments: "on" });
});

test("a person's channel on LinkedIn does not have what only pages have", async () => {
  const home = homes.on("linkedin");
  const ids = await home.project.connect("linkedin");
  const Views = z.array(z.object({ channel_id: z.number(), capabilities: z.array(z.object({ name: z.string() })) }));
  const { body } = await home.project.call("GET", "/social/get-channels?limit=100");
  const views = Views.parse(z.object({ channels: z.object({ data: z.unknown() }) }).parse(body).channels.data);
  const rows = await env.DB.prepare("SELECT id, account_id AS account FROM channels WHERE platform = 'linkedin'").all();
  const accounts = new Map(rows.results.map(({ id, account }) => [id, String(account)]));
  const own = views.filter(({ channel_id }) => ids.includes(channel_id));
  const seen = own.map(({ channel_id, capabilities }) => {
    return [
      /person|organization/.exec(accounts.get(channel_id) ?? "")?.[0],
      capabilities.some(({ name }) => name === "replies"),
    ];
  });
  expect(seen).toEqual(
    expect.arrayContaining([
      ["person", false],
      ["organization", true],
    ]),
  );
  expect(seen).not.toContainEqual(["person", true]);
});
