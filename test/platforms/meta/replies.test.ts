import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { accessAs } from "../../../src/acting/acting.ts";
import { findActor } from "../../../src/channels/store.ts";
import { type ChannelId, idOf } from "../../../src/core/ids.ts";
import { createMeter } from "../../../src/core/meter.ts";
import type { Commenting, ReadComment } from "../../../src/platforms/commenting.ts";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { parseJson } from "../../../src/platforms/json.ts";
import type { PlatformPost } from "../../../src/platforms/publishing.ts";
import { createSend } from "../../../src/platforms/request.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { createDeps } from "../../../src/service/deps.ts";
import { ACCOUNTS, type Home, homeOn } from "../../contract/world.ts";
import { pageSizesIn } from "../../scripted-send.ts";
import { advance } from "../../support/clock.ts";
import { accountToken, FERN } from "../../support/instagram.ts";
import { graph } from "../../support/platform.ts";
import { bindings } from "../../support/queue.ts";
import { uniquely } from "../../support/random.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";

/**
 * Comments and messages of Meta's platforms against the simulated ones, where these have rules of their own.
 */

const NAMES = ["facebook", "instagram", "threads"] as const;
type Name = (typeof NAMES)[number];
const COMMENTS: Readonly<Record<Name, Commenting>> = {
  facebook: facebook.comments,
  instagram: instagram.comments,
  threads: threads.comments,
};
const MESSAGING = { facebook: facebook.messages, instagram: instagram.messages };
const CALM = { facebook_short_pages: false, instagram_short_pages: false, processing_ms: 0 };

const homes = new Map<Name, Home>();
beforeAll(async () => {
  for (const name of NAMES) homes.set(name, await homeOn(name));
});
afterEach(() => sandbox.settings(CALM));

async function contextOn(name: Name): Promise<AccountContext> {
  const { channel_id } = homes.get(name)?.channel ?? { channel_id: 0 };
  const deps = createDeps(bindings, { test: true }, createMeter());
  const access = await accessAs(deps, await findActor(deps.db, idOf<ChannelId>(channel_id)), "replies");
  if (access.kind !== "ready") throw new Error(JSON.stringify(access));
  return access.context;
}

const Made = z.looseObject({ id: z.string() });

async function livePost(name: Name): Promise<PlatformPost> {
  const post = { platform: name, account_id: ACCOUNTS[name][0], text: uniquely("A post") };
  const { id } = Made.parse(await sandbox.control("POST", "posts", post));
  return { id, secondaryId: null, permalink: null };
}

async function write(name: Name, post_id: string, text: string): Promise<string> {
  const comment = { platform: name, post_id, author: "ada.l", text };
  return Made.parse(await sandbox.control("POST", "comments", comment)).id;
}

async function page(name: Name, posts: readonly PlatformPost[], cursor: string | null = null) {
  const since = Date.now() - 3_600_000;
  const read = await COMMENTS[name].reading?.list(await contextOn(name), posts, { cursor, since });
  if (read?.kind !== "page") throw new Error(JSON.stringify(read));
  return read;
}

/** All pages; a few at most. */
async function list(name: Name, posts: readonly PlatformPost[]): Promise<readonly ReadComment[]> {
  const comments: ReadComment[] = [];
  let cursor: string | null = null;
  for (let left = 20; left > 0; left--) {
    const read: Awaited<ReturnType<typeof page>> = await page(name, posts, cursor);
    comments.push(...read.comments);
    cursor = read.next;
    if (cursor === null) return comments;
  }
  throw new Error("The list does not end.");
}

async function commentOn(name: Name, post: PlatformPost, id: string): Promise<ReadComment> {
  // Lists may be late.
  await advance(5000);
  const found = (await list(name, [post])).find((one) => one.id === id);
  if (!found) throw new Error("It is not listed.");
  return found;
}

/** Answers a comment, and looks the answer up as if it had been lost. */
async function answer(name: Name, post: PlatformPost, comment: ReadComment) {
  const [target, text, since] = [{ post, comment }, uniquely("Thanks"), Date.now()];
  const { prepare, create, find } = COMMENTS[name];
  let progress: Json = null;
  for (let left = 5; prepare && left > 0; left--) {
    const step = await prepare(await contextOn(name), target, text, progress);
    if (step.kind === "failed") throw new Error(step.message);
    progress = step.progress;
    if (step.kind === "ready") break;
    await advance(1000 * (step.afterSeconds ?? 0));
  }
  const made = await create(await contextOn(name), target, text, progress);
  await advance(10_000);
  const request = { text, since, taken: new Set<string>(), progress };
  return { made, found: await find(await contextOn(name), target, request) };
}

describe.for(NAMES)("%s", (name) => {
  test("an answer to an answer is found again", async () => {
    const post = await livePost(name);
    const theirs = await write(name, post.id, "Nice");
    await write(name, theirs, "Indeed");
    await advance(5000);
    const second = (await list(name, [post])).find(({ isTopLevel }) => !isTopLevel);
    if (!second) throw new Error("The answer is not listed.");
    const { made, found } = await answer(name, post, second);
    expect(made).toMatchObject({ kind: "published" });
    expect(found).toMatchObject({ kind: "found", id: "id" in made ? made.id : "" });
  });

  test("all comments are read of pages that break off early", async () => {
    await sandbox.settings({ facebook_short_pages: true, instagram_short_pages: true });
    const post = await livePost(name);
    const ids = [await write(name, post.id, "One"), await write(name, post.id, "Two")];
    ids.push(await write(name, ids[0] ?? "", "Three"));
    await advance(5000);
    expect((await list(name, [post])).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test("a post that is not there is refused for good", async () => {
    const { reading } = COMMENTS[name];
    const nowhere = { id: `${ACCOUNTS[name][0]}_1`, secondaryId: null, permalink: null };
    const read = await reading?.list(await contextOn(name), [nowhere], { cursor: null, since: 0 });
    expect(read).toMatchObject({ kind: "failed", reason: "rejected" });
  });
});

test("a cursor whose comment is gone begins the list again", async () => {
  await sandbox.settings({ facebook_short_pages: true });
  const post = await livePost("facebook");
  const ids = [await write("facebook", post.id, "One"), await write("facebook", post.id, "Two")];
  const first = await page("facebook", [post], (await page("facebook", [post])).next);
  expect(first.comments.map(({ id }) => id)).toEqual([ids[1]]);
  await sandbox.settings(CALM);
  const { credentials } = await contextOn("facebook");
  await sandbox.settings({ facebook_require_appsecret_proof: false });
  expect((await graph("DELETE", `/v27.0/${ids[1]}`, credentials.accessToken)).json).toEqual({ success: true });
  await sandbox.settings({ facebook_require_appsecret_proof: true });
  expect((await page("facebook", [post], first.next)).comments.map(({ id }) => id)).toEqual([ids[0]]);
});

describe.for(["facebook", "instagram"] as const)("a message on %s", (name) => {
  const { send, find } = MESSAGING[name];

  test("is sent once, and a repeat is proof of it", async () => {
    const post = await livePost(name);
    const comment = await commentOn(name, post, await write(name, post.id, "Send me the list"));
    const [to, text, since] = [{ post, comment }, uniquely("The list"), Date.now()];
    const context = await contextOn(name);
    expect(await find(context, to, { text, since, taken: new Set() })).toEqual({ kind: "absent" });
    const sent = await send(context, to, text);
    expect(sent).toEqual({ kind: "sent", id: expect.any(String) });
    expect(await find(context, to, { text, since, taken: new Set() })).toMatchObject({ kind: "found" });
    expect(await send(context, to, text)).toMatchObject({ kind: "duplicate" });
    const all = z
      .array(z.looseObject({ text: z.string() }))
      .parse(await sandbox.control("GET", `messages?platform=${name}`));
    expect(all.filter((one) => one.text === text)).toHaveLength(1);
  });

  test("is too late after a week, and nothing for the account itself", async () => {
    const post = await livePost(name);
    const comment = await commentOn(name, post, await write(name, post.id, "Send me the list"));
    const { made } = await answer(name, post, comment);
    const own = { ...comment, id: "id" in made ? made.id : "" };
    const refused = { kind: "failed", reason: "rejected" };
    expect(await send(await contextOn(name), { post, comment: own }, "x")).toMatchObject(refused);
    await advance(7 * 86_400_000);
    expect(await send(await contextOn(name), { post, comment }, "x")).toMatchObject(refused);
  });
});

describe.for(NAMES)("what %s sends of a comment", (name) => {
  const { webhooks } = { facebook, instagram, threads }[name];
  const to = { url: `https://hooks.test/${name}`, verifyToken: "our word" };

  test.for(["somebody's", "our own"])("is signed, and says of %s what is read of it", async (whose) => {
    expect(await webhooks.subscribe(await contextOn(name), to)).toEqual({ kind: "subscribed" });
    if (name === "threads") {
      const callback = { platform: name, callback_url: to.url, verify_token: to.verifyToken };
      await sandbox.control("POST", "webhooks", callback);
    }
    const post = await livePost(name);
    const theirs = await commentOn(name, post, await write(name, post.id, uniquely("Café 🍏?")));
    if (whose === "our own") await answer(name, post, theirs);
    await advance(5000);
    const read = (await list(name, [post])).find(({ isOwn }) => isOwn === (whose === "our own"));
    const sent = (await sandbox.webhooks()).filter(({ url }) => url === to.url);
    const { app } = await contextOn(name);
    const secrets = { app, verifyToken: to.verifyToken };
    const shown = [];
    for (const { body, headers } of sent) {
      const bytes = new TextEncoder().encode(body);
      expect(await webhooks.verify(bytes, new Headers(headers), secrets)).toBe(true);
      expect(await webhooks.verify(bytes.slice(1), new Headers(headers), secrets)).toBe(false);
      shown.push(...webhooks.parse(parseJson(body)).filter(({ comment }) => comment.id === read?.id));
    }
    expect(shown).toEqual([
      { accountId: ACCOUNTS[name][0], postId: post.id, comment: { ...read, createdAt: expect.any(Number) } },
    ]);
    expect(Math.abs((shown[0]?.comment.createdAt ?? 0) - (read?.createdAt ?? 0))).toBeLessThan(2000);
  });
});

test("with Instagram Login all is done as the account, on its own host", async () => {
  const send = createSend({ sandboxUrl: SANDBOX, fetch: (input, init) => env.SANDBOX.fetch(input, init) });
  const credentials = { accessToken: await accountToken(), refreshToken: null, expiresAt: null, scopes: [] };
  const account = { id: FERN, username: "fernandoak", attributes: { login: "instagram" } };
  const context = {
    send,
    app: { id: "", secret: "" },
    now: Date.now(),
    account,
    credentials,
    pageSizes: pageSizesIn(new Map()),
  };
  const made = await sandbox.control("POST", "posts", { platform: "instagram", account_id: FERN, text: "A post" });
  const post = { id: Made.parse(made).id, secondaryId: null, permalink: null };
  await write("instagram", post.id, "Still in stock?");
  const read = await instagram.comments.reading.list(context, [post], { cursor: null, since: 0 });
  if (read.kind !== "page" || !read.comments[0]) throw new Error(JSON.stringify(read));
  const target = { post, comment: read.comments[0] };
  expect(await instagram.comments.create(context, target, "Yes")).toMatchObject({ kind: "published" });
  expect(await instagram.messages.send(context, target, "Here it is")).toMatchObject({ kind: "sent" });
  expect(await instagram.messages.send(context, target, "Here it is")).toMatchObject({ kind: "duplicate" });
});
