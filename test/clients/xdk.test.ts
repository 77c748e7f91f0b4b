import { Client, generateCodeChallenge, generateCodeVerifier, OAuth2 } from "@xdevplatform/xdk";
import { afterAll, beforeAll, test, vi } from "vitest";
import { consent, control, emptySandbox, REDIRECT, type SandboxServer, sample, served, X } from "./world.ts";

/**
 * `@xdevplatform/xdk`: its client takes a base URL, its login calls X by name, so that `fetch` is moved for
 * that host.
 */

let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
  const send = globalThis.fetch;
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) =>
    send(
      typeof input === "string" && input.startsWith("https://api.x.com/") ? served(server.origin, input) : input,
      init,
    ),
  );
});
afterAll(() => void vi.unstubAllGlobals());

async function login(): Promise<Client> {
  const oauth = new OAuth2({
    clientId: X.id,
    clientSecret: X.secret,
    redirectUri: REDIRECT.twitter,
    scope: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  });
  const verifier = generateCodeVerifier();
  await oauth.setPkceParameters(verifier, await generateCodeChallenge(verifier));
  const back = await consent(server.origin, await oauth.getAuthorizationUrl("a-state"), { account: X.account });
  const token = await oauth.exchangeCode(back.get("code") ?? "", verifier);
  const renewed = await oauth.refreshToken(token.refresh_token);
  return new Client({ accessToken: renewed.access_token, baseUrl: `${server.origin}/api.x.com` });
}

const idOf = (answer: { data?: { id?: string } }): string => {
  if (answer.data?.id === undefined) throw new Error(`No id in ${JSON.stringify(answer)}`);
  return answer.data.id;
};

async function uploadVideo(client: Client): Promise<string> {
  const bytes = await sample(server.origin, "clip.mp4");
  const half = Math.ceil(bytes.length / 2);
  const id = idOf(
    await client.media.initializeUpload({
      mediaType: "video/mp4",
      mediaCategory: "tweet_video",
      totalBytes: bytes.length,
    }),
  );
  for (const [segmentIndex, part] of [bytes.subarray(0, half), bytes.subarray(half)].entries()) {
    await client.media.appendUpload(id, { media: part.toString("base64"), segmentIndex });
  }
  await client.media.finalizeUpload(id);
  const status = await client.media.getUploadStatus(id, { command: "STATUS" });
  if (status.data?.processingInfo?.state !== "succeeded") throw new Error(`The video is ${JSON.stringify(status)}`);
  return id;
}

test.for(["new", "both"])(
  "login, upload, publish, read back, reply and delete: field names %s",
  async (dialect, { expect }) => {
    await control(server.origin, "settings", { twitter_dialect: dialect });
    const client = await login();
    expect((await client.users.getMe({ userFields: ["username"] })).data).toMatchObject({ id: X.account });

    const bytes = await sample(server.origin, "square.jpg");
    const image = idOf(await client.media.upload({ media: bytes.toString("base64"), mediaCategory: "tweet_image" }));
    await client.media.createMetadata({ id: image, metadata: { altText: { text: "A square" } } });
    const root = idOf(await client.posts.create({ text: `An image (${dialect})`, media: { mediaIds: [image] } }));
    const reply = idOf(
      await client.posts.create({
        text: `A video (${dialect})`,
        media: { mediaIds: [await uploadVideo(client)] },
        reply: { inReplyToTweetId: root },
      }),
    );

    const timeline = await client.users.getPosts(X.account, {
      maxResults: 5,
      postFields: ["created_at", "text", "entities", "conversation_id", "public_metrics", "article_title"],
      expansions: ["referenced_posts", "author_id", "attachments.media_keys"],
      mediaFields: ["type", "duration_ms"],
    });
    expect(timeline.data?.[0]).toMatchObject({
      id: reply,
      authorId: X.account,
      conversationId: root,
      referencedPosts: [{ type: "replied_to", id: root }],
      editHistoryPostIds: [reply],
      publicMetrics: { repostCount: 0 },
    });
    expect(timeline.includes).toMatchObject({ posts: [{ id: root }], users: [{ id: X.account }] });
    expect((await client.posts.getById(root, { postFields: ["text"] })).data).toMatchObject({ id: root });

    for (const id of [reply, root]) expect((await client.posts.delete(id)).data).toEqual({ deleted: true });
    expect((await client.posts.getByIds([root])).errors).toHaveLength(1);
  },
);
