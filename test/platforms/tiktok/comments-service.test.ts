import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { accessAs } from "../../../src/acting/acting.ts";
import { findActor } from "../../../src/channels/store.ts";
import { type ChannelId, idOf } from "../../../src/core/ids.ts";
import { platforms } from "../../../src/platforms/registry.ts";
import { createDeps } from "../../../src/service/deps.ts";
import worker from "../../../src/worker.ts";
import { calm, type Home } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { quiet, requests } from "../../support/between.ts";
import { fieldsOf, type Page } from "../../support/browser.ts";
import { advance } from "../../support/clock.ts";
import {
  begun,
  type Connection,
  callbackOf,
  choose,
  decide,
  expectPage,
  press,
  statusOf,
} from "../../support/connecting.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { BAKERY, BIKES, calmTiktok, unique } from "../../support/tiktok.ts";
import { calmBusiness, newComment } from "../../support/tiktok-business.ts";
import { HOUR, MINUTE } from "../../support/times.ts";
import { call, createPost, findPost, newBrowser, ORIGIN, projectWith } from "../../support/world.ts";

/**
 * Comments on TikTok from the front door to the feed: a second login on the connect pages gives the grant for
 * them.
 */

const BOTH = ["tiktok", "tiktok:comments"];

const calmAll = async () => {
  await calmTiktok();
  await calmBusiness();
};
beforeEach(calmAll);
afterEach(async () => {
  quiet();
  await calm();
});

const homeOf = async (account?: string) =>
  projectWith("tiktok", account ?? (await newAccount("tiktok")), { further: ["comments"] });

const Channels = z.object({
  channels: z.object({
    data: z.array(
      z.object({
        channel_id: z.number(),
        health: z.string(),
        capabilities: z.array(z.object({ name: z.string(), health: z.string(), reason: z.string().nullable() })),
      }),
    ),
  }),
});

async function channelsOf({ project }: Pick<Home, "project">) {
  return Channels.parse((await project.call("GET", "/social/get-channels")).body).channels.data;
}

/** What the only channel of the project can do, by name. */
async function healthOf(home: Pick<Home, "project">): Promise<Record<string, string>> {
  const [channel, ...others] = await channelsOf(home);
  expect(others).toEqual([]);
  return Object.fromEntries((channel?.capabilities ?? []).map(({ name, health }) => [name, health]));
}

const NO_ADS = { ads: "reconnect_needed" };
/** What the first login gives. */
const PUBLISHING = { publish: "connected", insights: "connected" };
const ALL_WELL = { ...PUBLISHING, comments: "connected", replies: "connected", ...NO_ADS };
const NO_COMMENTS = { comments: "reconnect_needed", replies: "reconnect_needed" };
const PUBLISHING_ONLY = { ...PUBLISHING, ...NO_COMMENTS, ...NO_ADS };

/** Whether it is the consent page of the second login. */
const asComments = ({ url }: Page) => new URL(url).searchParams.get("client_key") === "sandbox-tiktok-business";
/** Goes through TikTok's own login, as the account; the page after is the second consent. */
const throughFirst = async (browser: ReturnType<typeof newBrowser>, connection: Connection, account = BAKERY) =>
  decide(browser, await choose(browser, connection, BOTH), "allow", [account]);

describe("the further login", () => {
  test("is offered beneath TikTok, not selected; without it no more is requested", async () => {
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    const further = fieldsOf(page).filter(({ value }) => value.includes(":"));
    expect(further).toMatchObject([
      { value: "tiktok:comments", checked: false },
      { value: "tiktok:ads", checked: false },
    ]);
    const end = await decide(browser, await choose(browser, connection, ["tiktok"]), "allow", [BAKERY]);
    expectPage(expect, end, 200, "Connected");
    expect(await healthOf(connection)).toEqual(PUBLISHING_ONLY);
    const [channel] = await channelsOf(connection);
    expect(channel?.capabilities[1]?.reason).toBe(
      "Connect Harbour Bakery (tiktok) again, with “Answer comments too” selected, to write comments with it.",
    );
  });

  test("comes after the first one, and until then the session is pending", async () => {
    const { connection, browser } = await begun("https://app.example/done");
    const consent = await throughFirst(browser, connection);
    expect([consent.status, asComments(consent)]).toEqual([200, true]);
    const requested = new URL(consent.url).searchParams;
    expect(requested.get("redirect_uri")).toBe(`${ORIGIN}/connect/callback/tiktok/comments/`);
    expect((await statusOf(connection)).body).toMatchObject({ connect_status: "pending", channel_ids: null });
    const end = await decide(browser, consent, "allow", [BAKERY]);
    const [channel, ...others] = await channelsOf(connection);
    expect(others).toEqual([]);
    expect(end.url).toContain(`?channel_id=${channel?.channel_id}&`);
    expect(end.url).toContain("&platform=tiktok&status=success");
    expect((await statusOf(connection)).body).toMatchObject({
      connect_status: "success",
      platform: "tiktok",
      channel_id: channel?.channel_id,
      account_name: "Harbour Bakery",
    });
    expect(await healthOf(connection)).toEqual(ALL_WELL);
  });

  test("as another account changes nothing, is reported by both names, and can be tried again", async () => {
    const { connection, browser } = await begun();
    const wrong = await decide(browser, await throughFirst(browser, connection), "allow", [BIKES]);
    expectPage(expect, wrong, 403, "TikTok comments are not connected");
    expect(wrong.html).toContain("as @acmebikes, but the connected account is @harbourbakery");
    const { body } = await statusOf(connection);
    expect(body).toMatchObject({ connect_status: "failed", platform: "tiktok", channel_ids: [expect.any(Number)] });
    expect(await healthOf(connection)).toEqual(PUBLISHING_ONLY);
    const again = await press(browser, wrong, "/next");
    expectPage(expect, await decide(browser, again, "allow", [BAKERY]), 200, "Connected");
    expect(await healthOf(connection)).toEqual(ALL_WELL);
  });

  test("that is denied leaves publishing connected: go on without, or tick it again", async () => {
    const { connection, browser } = await begun();
    const denied = await decide(browser, await throughFirst(browser, connection), "deny");
    expectPage(expect, denied, 403, "Access was not allowed at TikTok, so its comments are not connected.");
    const overview = await browser.go(connection.connect_url);
    const ticked = fieldsOf(overview).filter(({ type, checked }) => type === "checkbox" && checked);
    expect(ticked.map(({ value }) => value)).toEqual(["tiktok:comments"]);
    // The account is connected here already: only the second login is gone through.
    const consent = await browser.submit(overview);
    expect(asComments(consent)).toBe(true);
    const deniedAgain = await decide(browser, consent, "deny");
    const end = await press(browser, deniedAgain, "/next", "without");
    expectPage(expect, end, 200, "Connected");
    expect((await statusOf(connection)).body).toMatchObject({
      connect_status: "success",
      channel_id: expect.any(Number),
    });
    expect(await healthOf(connection)).toEqual(PUBLISHING_ONLY);
  });

  test("goes with its platform: selected alone it adds that, and is removed with it", async () => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["tiktok:comments", "twitter"]);
    expect(new URL(consent.url).searchParams.get("client_key")).toBe("sandbox-tiktok-key");
    const denied = await decide(browser, consent, "deny");
    expectPage(expect, denied, 403, "TikTok is not connected");
    expect((await press(browser, denied, "/next", "without")).url).toContain("/x.com/");
  });

  test("comes back once, to its own browser and address only", async () => {
    const { connection, browser } = await begun();
    const callback = await callbackOf(browser, await throughFirst(browser, connection));
    expectPage(expect, await newBrowser().go(callback), 403, "belongs to another browser");
    const elsewhere = callback.replace("/callback/tiktok/comments/", "/callback/tiktok");
    expectPage(expect, await browser.go(elsewhere), 400, "was already used");
    expectPage(expect, await browser.go(callback.replace("/comments/", "/messages/")), 404, "Page not found");
    expectPage(expect, await browser.go(callback), 200, "Connected");
    expectPage(expect, await browser.go(callback), 400, "was already used");
  });

  test("lacking a scope is reported by its name", async () => {
    const { connection, browser } = await begun();
    const page = await browser.submit(
      await throughFirst(browser, connection),
      ({ name, value }) => (name === "scope" ? value !== "user.info.username" : undefined),
      { name: "decision", value: "allow" },
    );
    expectPage(expect, page, 400, "user.info.username");
  });

  test("can be added to a channel that was connected without it, which keeps its id", async () => {
    const { project, channel } = await projectWith("tiktok", BAKERY);
    expect(await healthOf({ project })).toEqual(PUBLISHING_ONLY);
    expect(await project.connect("tiktok", [BAKERY], ["comments"])).toEqual([channel.channel_id]);
    expect(await healthOf({ project })).toEqual(ALL_WELL);
    // And stays when the first login is renewed alone.
    await project.connect("tiktok", [BAKERY]);
    expect(await healthOf({ project })).toEqual(ALL_WELL);
  });

  test("is not offered where the operator has no app for it", async () => {
    const operator = { "X-Operator-Key": env.OPERATOR_KEY };
    const body = { project: unique("Live"), live: true };
    const { token } = z
      .object({ token: z.string() })
      .parse((await call("POST", "/internal/tokens", { headers: operator, body })).body);
    const started = await call("POST", "/social/connect-channel", { token, body: { userId: "u" } });
    const { connect_url } = z.object({ connect_url: z.string() }).parse(started.body);
    const own = { TIKTOK_CLIENT_KEY: "key", TIKTOK_CLIENT_SECRET: "secret" };
    const business = { TIKTOK_BUSINESS_APP_ID: "id", TIKTOK_BUSINESS_APP_SECRET: "secret" };
    const offered = async (apps: object) => {
      const context = createExecutionContext();
      const answer = await worker.fetch(new Request(connect_url), { ...bindings, ...apps }, context);
      await waitOnExecutionContext(context);
      const fields = fieldsOf({ html: await answer.text(), url: connect_url });
      return fields.filter(({ disabled, value }) => !disabled && value.startsWith("tiktok")).map(({ value }) => value);
    };
    expect(await offered(own)).toEqual(["tiktok"]);
    expect(await offered(business)).toEqual([]);
    expect(await offered({ ...own, ...business })).toEqual(BOTH);
    const ads = { TIKTOK_ADS_APP_ID: "id", TIKTOK_ADS_APP_SECRET: "secret" };
    expect(await offered({ ...own, ...ads })).toEqual(["tiktok", "tiktok:ads"]);
  });
});

/** Publishes a video and returns its id at TikTok. */
async function published({ project, channel }: Home, more: object = {}) {
  const text = unique("A video");
  const body = { caption_text: text, media_urls: [media("reel.mp4")], ...more };
  const id = await createPost(project, channel, body);
  await queuesIdle();
  const [live] = await sandbox.postsWith(text);
  return { id, videoId: live?.id ?? "" };
}

const Comments = z.array(
  z.looseObject({ post_id: z.string(), reply_to: z.string().nullable(), text: z.string(), author: z.string() }),
);
const commentsUnder = async (videoId: string) =>
  Comments.parse(await sandbox.control("GET", "comments?platform=tiktok")).filter(({ post_id }) => post_id === videoId);

const Result = z.object({ post: z.object({ first_comment_result: z.looseObject({ state: z.string() }).nullable() }) });
const resultOf = async ({ project }: Home, id: number) =>
  Result.parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post.first_comment_result;

describe("comments", () => {
  test("the first one waits for the post's own id, and goes under it; without the grant it is warned about", async () => {
    await sandbox.settings({ tiktok_moderation_ms: 10 * MINUTE });
    const home = await homeOf();
    const first_comment = unique("First");
    const { id, videoId } = await published(home, { first_comment });
    expect(await findPost(home.project, id)).toMatchObject({ STATUS: "published" });
    expect([await resultOf(home, id), await commentsUnder(videoId)]).toMatchObject([{ state: "pending" }, []]);
    for (let minute = 0; minute < 60 && (await commentsUnder(videoId)).length === 0; minute += 5) {
      await advance(5 * MINUTE);
      await cron();
      await queuesIdle();
    }
    expect(await commentsUnder(videoId)).toMatchObject([{ text: first_comment, reply_to: null }]);
    expect(await resultOf(home, id)).toMatchObject({ state: "published" });

    const { project, channel } = await projectWith("tiktok", await newAccount("tiktok"));
    const draft = { ...channel, post_type: "reel", publish_mode: "draft", caption_text: "x" };
    const answer = await project.call("POST", "/social/create-post", {
      body: { ...draft, media_urls: [media("reel.mp4")], first_comment: "x" },
    });
    expect(answer.body).toMatchObject({ warnings: [expect.stringContaining("with “Answer comments too” selected")] });
  });

  test("of others are read and answered as the account, a day later with renewed credentials too", async () => {
    const home = await homeOf();
    const { videoId } = await published(home);
    for (const wait of [0, 25 * HOUR]) {
      await advance(wait);
      await cron();
      await queuesIdle();
      const question = unique("Where are you?");
      const commentId = await newComment(videoId, question);
      const { context, comments } = await asService(home);
      const live = { id: videoId, secondaryId: null, permalink: null };
      const page = await comments.reading?.list(context, [live], { cursor: null, since: Date.now() - HOUR });
      if (page?.kind !== "page") throw new Error(JSON.stringify(page));
      const requested = page.comments.find(({ text }) => text === question);
      expect(requested).toMatchObject({ id: commentId, author: { name: "lea" }, isTopLevel: true, isOwn: false });
      if (!requested) throw new Error("The question is not listed.");
      const target = { post: live, comment: requested };
      expect(await comments.create(context, target, "Here!", null)).toMatchObject({ kind: "published" });
      const shown = (await commentsUnder(videoId)).find(({ reply_to }) => reply_to === commentId);
      expect(shown).toMatchObject({ text: "Here!" });
      const request = { text: "Here!", since: Date.now(), taken: new Set<string>(), progress: null };
      expect(await comments.find(context, target, request)).toMatchObject({ kind: "found" });
    }
    expect(await healthOf(home)).toEqual(ALL_WELL);
  });

  test("stop when TikTok ends that login, and publishing goes on", async () => {
    const home = await homeOf();
    await sandbox.fault("tiktok", "reply", "revoke_token");
    const { id } = await published(home, { first_comment: unique("First") });
    await queuesIdle(HOUR);
    expect(await resultOf(home, id)).toMatchObject({ state: "failed", error_code: "reconnect_needed" });
    expect(await healthOf(home)).toEqual(PUBLISHING_ONLY);
    const { id: next } = await published(home);
    expect(await findPost(home.project, next)).toMatchObject({ STATUS: "published" });
  });

  test("disconnecting ends both logins at TikTok, and forgets both", async () => {
    const home = await homeOf();
    quiet();
    const answer = await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
    expect(answer.status).toBe(200);
    await queuesIdle(MINUTE);
    const ended = requests("/revoke/").map((request) => new URL(request.split(" ")[1] ?? "").pathname);
    expect(ended.toSorted()).toEqual([
      "/business-api.tiktok.com/open_api/v1.3/tt_user/oauth2/revoke/",
      "/open.tiktokapis.com/v2/oauth/revoke/",
    ]);
    const kept = await env.DB.prepare(
      "SELECT count(*) AS n FROM grants WHERE channel_id = ? AND credentials IS NOT NULL",
    )
      .bind(home.channel.channel_id)
      .first("n");
    expect(kept).toBe(0);
  });
});

/** The adapter and the channel's context, as a job of the service has them. */
async function asService({ channel }: Home) {
  const deps = createDeps(bindings, {});
  const access = await accessAs(deps, await findActor(deps.db, idOf<ChannelId>(channel.channel_id)), "replies");
  const comments = platforms.tiktok?.comments;
  if (access.kind !== "ready" || !comments) throw new Error(JSON.stringify(access));
  return { context: access.context, comments };
}
