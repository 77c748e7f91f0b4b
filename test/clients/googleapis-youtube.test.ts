import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { auth, youtube, type youtube_v3 } from "@googleapis/youtube";
import { beforeAll, test } from "vitest";
import { consent, emptySandbox, GOOGLE, REDIRECT, type SandboxServer, sample, served } from "./world.ts";

/**
 * `@googleapis/youtube`, the part of `googleapis` for YouTube. Its option for another address drops what
 * precedes the path: an interceptor moves its requests instead.
 */

let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
});

const SCOPES = ["youtube.upload", "youtube.readonly", "youtube.force-ssl"].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

function newClient(origin: string) {
  const client = new auth.OAuth2({
    clientId: GOOGLE.id,
    clientSecret: GOOGLE.secret,
    redirectUri: REDIRECT.youtube,
  });
  client.transporter.interceptors.request.add({
    async resolved(request) {
      // Its answer to a 401 sends the request that was moved already.
      if (!request.url.href.startsWith(origin)) request.url = new URL(served(origin, request.url));
      return request;
    },
  });
  return client;
}

async function login(origin: string) {
  const client = newClient(origin);
  const codeVerifier = randomBytes(48).toString("base64url");
  const link = client.generateAuthUrl({
    access_type: "offline",
    prompt: "consent",
    scope: SCOPES,
    state: "s",
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    // The type is an enum of a package that this one does not hand on.
    ...JSON.parse('{"code_challenge_method":"S256"}'),
  });
  const back = await consent(origin, link, { account: GOOGLE.channel });
  const { tokens } = await client.getToken({ code: back.get("code") ?? "", codeVerifier });
  client.setCredentials(tokens);
  const api = youtube({ version: "v3", auth: client });
  return { client, tokens, api };
}

async function upload(api: youtube_v3.Youtube, origin: string, title: string): Promise<string> {
  const file = await sample(origin, "clip.mp4");
  const requestBody = {
    snippet: { title, description: "By Google's own client", tags: ["bakery"], categoryId: "22" },
    status: { privacyStatus: "unlisted", selfDeclaredMadeForKids: false },
  };
  const media = { mimeType: "video/mp4", body: Readable.from([file]) };
  const call = { part: ["snippet", "status"], requestBody, media };
  const inserted = await api.videos.insert(call);
  const { id } = inserted.data;
  if (!id) throw new Error("No id came back.");
  return id;
}

test("login, renewal and revocation", async ({ expect }) => {
  const { client, tokens, api } = await login(server.origin);
  expect(tokens).toMatchObject({ token_type: "Bearer", scope: SCOPES.join(" "), refresh_token: expect.any(String) });
  const mine = { part: ["id", "snippet", "contentDetails"], mine: true };
  expect((await api.channels.list(mine)).data.items?.[0]?.id).toBe(GOOGLE.channel);
  const { credentials } = await client.refreshAccessToken();
  expect(credentials.refresh_token).toBe(tokens.refresh_token);
  expect(credentials.access_token).not.toBe(tokens.access_token);
  await client.revokeCredentials();
  // It forgets what it revokes.
  client.setCredentials(tokens);
  await expect(client.refreshAccessToken()).rejects.toMatchObject({
    message: expect.stringContaining("invalid_grant"),
  });
});

test("upload, read back, thumbnail, list, change and delete", async ({ expect }) => {
  const { api } = await login(server.origin);
  const id = await upload(api, server.origin, "Opening day");
  const parts = ["snippet", "status", "contentDetails", "processingDetails", "fileDetails"];
  const [video] = (await api.videos.list({ part: parts, id: [id] })).data.items ?? [];
  expect(video).toMatchObject({
    id,
    snippet: { title: "Opening day", tags: ["bakery"], categoryId: "22" },
    status: { uploadStatus: "processed", privacyStatus: "unlisted" },
    contentDetails: { duration: "PT5S" },
    processingDetails: { processingStatus: "succeeded" },
    fileDetails: { fileSize: String((await sample(server.origin, "clip.mp4")).length) },
  });

  const body = Readable.from([await sample(server.origin, "square.jpg")]);
  const media = { mimeType: "image/jpeg", body };
  const set = await api.thumbnails.set({ videoId: id, media });
  expect(set.data.items?.[0]?.default?.url).toContain("/_blob/");

  const [channel] = (await api.channels.list({ part: ["contentDetails"], mine: true })).data.items ?? [];
  const playlistId = channel?.contentDetails?.relatedPlaylists?.uploads ?? "";
  const listed = await api.playlistItems.list({ part: ["snippet", "contentDetails"], playlistId, maxResults: 50 });
  expect(listed.data.items?.[0]?.contentDetails?.videoId).toBe(id);

  const snippet = { title: "Opening day, again", categoryId: "22" };
  const changed = await api.videos.update({ part: ["snippet"], requestBody: { id, snippet } });
  // The whole part was sent, so what it leaves out is erased.
  expect(changed.data.snippet).toMatchObject({ title: "Opening day, again", description: "" });

  expect((await api.videos.delete({ id })).status).toBe(204);
  expect((await api.videos.list({ part: ["id"], id: [id] })).data.items).toEqual([]);
  await expect(api.videos.delete({ id })).rejects.toMatchObject({ status: 404 });
});

test("comment, reply, list, moderate and delete", async ({ expect }) => {
  const { api } = await login(server.origin);
  const videoId = await upload(api, server.origin, "With comments");
  const thread = await api.commentThreads.insert({
    part: ["snippet"],
    requestBody: { snippet: { videoId, topLevelComment: { snippet: { textOriginal: "First!" } } } },
  });
  const parentId = thread.data.id ?? "";
  const reply = await api.comments.insert({
    part: ["snippet"],
    requestBody: { snippet: { parentId, textOriginal: "Thank you & welcome" } },
  });
  const threads = await api.commentThreads.list({
    part: ["snippet", "replies"],
    videoId,
    textFormat: "plainText",
    order: "time",
  });
  expect(threads.data.items?.[0]).toMatchObject({
    id: parentId,
    snippet: { totalReplyCount: 1, topLevelComment: { snippet: { textOriginal: "First!" } } },
    replies: { comments: [{ id: reply.data.id, snippet: { textDisplay: "Thank you & welcome" } }] },
  });
  await api.comments.setModerationStatus({ id: [reply.data.id ?? ""], moderationStatus: "heldForReview" });
  expect((await api.comments.list({ part: ["snippet"], parentId })).data.items).toEqual([]);
  expect((await api.comments.delete({ id: parentId })).status).toBe(204);
  expect((await api.commentThreads.list({ part: ["id"], videoId })).data.items).toEqual([]);
  await api.videos.delete({ id: videoId });
});

test("a refusal is the client's own error, with YouTube's reason in it", async ({ expect }) => {
  const { api } = await login(server.origin);
  await expect(upload(api, server.origin, "not <allowed>")).rejects.toMatchObject({
    status: 400,
    response: { data: { error: { errors: [{ reason: "invalidTitle", domain: "youtube.video" }] } } },
  });
});
