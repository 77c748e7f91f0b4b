import { ThreadsApiError, ThreadsAuthenticatedApiClient, ThreadsPublicApiClient } from "threads-graph-api";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { uniquely } from "../support/random.ts";
import { consent, control, emptySandbox, REDIRECT, type SandboxServer, THREADS } from "./world.ts";

/**
 * `threads-graph-api`, whose clients take a base URL: login, containers of every kind, publishing, reading,
 * replies. It sends multipart forms. Longer tokens, profiles' own replies and deletion it leaves to its user.
 */
let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
});

const base = () => `${server.origin}/graph.threads.net`;
const media = (name: string) => `${server.origin}/_media/${name}`;
const SCOPES = ["threads_basic", "threads_content_publish", "threads_delete", "threads_read_replies"];

async function login() {
  const open = new ThreadsPublicApiClient(base());
  const scopes = [...SCOPES, "threads_manage_replies"];
  const link = open.createAuthorizationUrl(THREADS.id, REDIRECT.threads, scopes, "a-state");
  const back = await consent(server.origin, link, { account: THREADS.account });
  if (back.get("state") !== "a-state") throw new Error("Another state came back.");
  const code = back.get("code") ?? "";
  const { access_token } = await open.exchangeAuthorizationCode(THREADS.id, THREADS.secret, REDIRECT.threads, code);
  const query = { grant_type: "th_exchange_token", client_secret: THREADS.secret, access_token };
  const answer = await fetch(`${base()}/access_token?${new URLSearchParams(query)}`);
  const token = z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
  return { token, client: new ThreadsAuthenticatedApiClient(token, THREADS.account, base()) };
}

type Made = Parameters<ThreadsAuthenticatedApiClient["createMediaContainer"]>[0];

async function publish(client: ThreadsAuthenticatedApiClient, params: Made): Promise<string> {
  const { id: creationId } = await client.createMediaContainer(params);
  return (await client.publish({ creationId })).id;
}

test("login, and who it is", async ({ expect }) => {
  const { client } = await login();
  const profile = await client.getUserProfile({ id: "me", fields: ["id", "username", "threads_biography"] });
  expect(profile).toMatchObject({ id: THREADS.account, username: "fernandoak" });
});

test("a text, an image, a video and a carousel are published and read back", async ({ expect }) => {
  const { client } = await login();
  const text = uniquely("Text");
  const carousel = async () => {
    const items: readonly Made[] = [
      { mediaType: "IMAGE", imageUrl: media("square.jpg"), isCarouselItem: true },
      { mediaType: "VIDEO", videoUrl: media("clip.mp4"), isCarouselItem: true },
    ];
    const children: string[] = [];
    for (const item of items) children.push((await client.createMediaContainer(item)).id);
    return publish(client, { mediaType: "CAROUSEL", children, text });
  };
  const ids = [
    await publish(client, { mediaType: "TEXT", text }),
    await publish(client, { mediaType: "IMAGE", imageUrl: media("square.jpg"), text }),
    await publish(client, { mediaType: "VIDEO", videoUrl: media("clip.mp4"), text }),
    await carousel(),
  ];
  const kinds = [];
  for (const id of ids) {
    const post = await client.getMediaObject({ id, fields: ["id", "text", "media_type", "permalink", "shortcode"] });
    expect(post).toMatchObject({ id, text, permalink: `https://www.threads.com/@fernandoak/post/${post.shortcode}` });
    kinds.push(post.media_type);
  }
  expect(kinds).toEqual(["TEXT_POST", "IMAGE", "VIDEO", "CAROUSEL_ALBUM"]);
  const list = await client.getUserThreads({ id: "me", fields: ["id"], limit: 4 });
  expect(list.data.map(({ id }) => id)).toEqual(ids.toReversed());
  const limit = await client.getUserThreadsPublishingLimit({ id: "me", fields: ["reply_quota_usage", "reply_config"] });
  expect(limit.data[0]?.reply_config).toEqual({ quota_total: 1000, quota_duration: 86_400 });
});

test("replies: a chain of one's own, one to another person, hidden, and deletion", async ({ expect }) => {
  const { client, token } = await login();
  const root = await publish(client, { mediaType: "TEXT", text: uniquely("Root") });
  const next = await publish(client, { mediaType: "TEXT", text: "And on", replyToId: root });
  const comment = { platform: "threads", post_id: root, author: "Ada Lane", text: "Love it" };
  const { id: reply } = z.object({ id: z.string() }).parse(await control(server.origin, "comments", comment));
  const thanks = await publish(client, { mediaType: "TEXT", text: "Thanks", replyToId: reply });

  const direct = await client.getReplies({ id: root, fields: ["id", "text", "username", "is_reply_owned_by_me"] });
  expect(direct.data).toMatchObject([
    { id: reply, username: "ada.lane", is_reply_owned_by_me: false },
    { id: next, username: "fernandoak", is_reply_owned_by_me: true },
  ]);
  const all = await client.getConversation({ id: root, fields: ["id"], reverse: false });
  expect(all.data.map(({ id }) => id)).toEqual([next, reply, thanks]);
  expect(await client.manageReply({ id: reply, hide: true })).toEqual({ success: true });
  const hidden = await client.getReplies({ id: root, fields: ["id", "hide_status"] });
  expect(hidden.data[0]).toMatchObject({ id: reply, hide_status: "HIDDEN" });

  const query = new URLSearchParams({ access_token: token });
  const deleted = await fetch(`${base()}/v1.0/${root}?${query}`, { method: "DELETE" });
  expect(await deleted.json()).toEqual({ success: true, deleted_id: root });
  await expect(client.getMediaObject({ id: root })).rejects.toThrow(ThreadsApiError);
});

test("a refusal is the client's own error, with Threads' words in it", async ({ expect }) => {
  const { client } = await login();
  const tooLong = client.createMediaContainer({ mediaType: "TEXT", text: "a".repeat(501) });
  await expect(tooLong).rejects.toThrow("at most 500 characters");
  await expect(client.publish({ creationId: "17840000000099999" })).rejects.toThrow("does not exist");
  const open = new ThreadsPublicApiClient(base());
  const wrong = open.exchangeAuthorizationCode(THREADS.id, THREADS.secret, REDIRECT.threads, "no code");
  await expect(wrong).rejects.toThrow();
});
