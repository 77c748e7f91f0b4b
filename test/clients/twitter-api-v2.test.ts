import { Agent } from "node:http";
import { type ITwitterApiClientPlugin, TwitterApi } from "twitter-api-v2";
import { beforeAll, test } from "vitest";
import { consent, control, emptySandbox, REDIRECT, type SandboxServer, sample, served, X } from "./world.ts";

/**
 * `twitter-api-v2`, which knows no base URL: a plugin moves its requests, and the agent says that they are
 * plain HTTP.
 */

let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
});

function settingsOf(origin: string) {
  const toSandbox: ITwitterApiClientPlugin = {
    onBeforeRequest({ computedParams }) {
      computedParams.url.href = served(origin, computedParams.url);
    },
  };
  return { plugins: [toSandbox], httpAgent: new Agent() };
}

async function login(origin: string) {
  const app = new TwitterApi({ clientId: X.id, clientSecret: X.secret }, settingsOf(origin));
  const scope = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"];
  const link = app.generateOAuth2AuthLink(REDIRECT.twitter, { scope });
  const back = await consent(origin, link.url, { account: X.account });
  if (back.get("state") !== link.state) throw new Error("Another state came back.");
  const grant = { code: back.get("code") ?? "", codeVerifier: link.codeVerifier, redirectUri: REDIRECT.twitter };
  return { app, ...(await app.loginWithOAuth2(grant)) };
}

test("login, refresh and revoke", async ({ expect }) => {
  const { app, client, refreshToken, scope } = await login(server.origin);
  expect(scope).toContain("offline.access");
  expect((await client.v2.me()).data).toMatchObject({ id: X.account, username: "acmebikes" });
  const renewed = await app.refreshOAuth2Token(refreshToken ?? "");
  expect((await renewed.client.v2.me()).data.id).toBe(X.account);
  await app.revokeOAuth2Token(renewed.accessToken);
  await expect(renewed.client.v2.me()).rejects.toMatchObject({ code: 401 });
});

test.for(["old", "both"])(
  "upload, publish, read back, reply and delete: field names %s",
  async (dialect, { expect }) => {
    await control(server.origin, "settings", { twitter_dialect: dialect });
    const { client } = await login(server.origin);
    const image = await client.v2.uploadMedia(await sample(server.origin, "square.jpg"), { media_type: "image/jpeg" });
    await client.v2.createMediaMetadata(image, { alt_text: { text: "A square" } });
    const root = await client.v2.tweet(`An image (${dialect})`, { media: { media_ids: [image] } });

    const clip = await sample(server.origin, "clip.mp4");
    const options = { media_type: "video/mp4", media_category: "tweet_video" } as const;
    const video = await client.v2.uploadMedia(clip, options, Math.ceil(clip.length / 3));
    const reply = await client.v2.reply(`A video (${dialect})`, root.data.id, { media: { media_ids: [video] } });

    const timeline = await client.v2.userTimeline(X.account, {
      max_results: 5,
      "tweet.fields": ["created_at", "author_id", "referenced_tweets", "public_metrics"],
      expansions: ["attachments.media_keys", "referenced_tweets.id"],
      "media.fields": ["type", "alt_text", "duration_ms"],
    });
    const [newest] = timeline.tweets;
    expect(newest).toMatchObject({
      id: reply.data.id,
      author_id: X.account,
      referenced_tweets: [{ type: "replied_to", id: root.data.id }],
      public_metrics: { retweet_count: 0 },
      edit_history_tweet_ids: [reply.data.id],
    });
    expect(timeline.includes.media.map((one) => one.type).sort()).toEqual(["photo", "video"]);
    expect(timeline.includes.tweets[0]?.id).toBe(root.data.id);
    const single = await client.v2.singleTweet(root.data.id, { "tweet.fields": ["text", "attachments"] });
    expect(single.data.attachments?.media_keys).toHaveLength(1);

    for (const { data } of [reply, root]) expect((await client.v2.deleteTweet(data.id)).data.deleted).toBe(true);
    expect((await client.v2.tweets([root.data.id])).errors).toHaveLength(1);
  },
);

test("a refusal is the client's own error, with X's words in it", async ({ expect }) => {
  const { client } = await login(server.origin);
  const text = `Twice ${crypto.randomUUID()}`;
  await client.v2.tweet(text);
  await expect(client.v2.tweet(text)).rejects.toMatchObject({
    code: 403,
    data: { detail: expect.stringContaining("duplicate content") },
  });
});
