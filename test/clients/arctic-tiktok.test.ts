import { generateCodeVerifier, OAuth2RequestError, TikTok } from "arctic";
import { afterAll, beforeAll, test } from "vitest";
import { z } from "zod";
import { consent, control, emptySandbox, REDIRECT, type SandboxServer, sample, served, TIKTOK } from "./world.ts";

/**
 * TikTok publishes no client for what people post (its `tiktok-business-api-sdk-official` is for ads), and
 * no other is much used. So a login, its renewal and its end are those of `arctic`, whose addresses are
 * constants: only `fetch` is moved. What comes in between is written by hand, after TikTok's own examples.
 */
const SCOPES = ["user.info.basic", "user.info.profile", "video.publish", "video.list", "user.info.stats"];
const API = "https://open.tiktokapis.com/v2";

let server: SandboxServer;
const reach = globalThis.fetch;
beforeAll(async () => {
  server = await emptySandbox();
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith("https://")) return reach(request);
    return reach(new Request(served(server.origin, request.url), request));
  };
  // As it writes its challenge for every platform.
  const none = { tiktok_moderation_ms: 0, tiktok_listing_lag_ms: 0 };
  await control(server.origin, "settings", { tiktok_challenges: "either", ...none });
});
afterAll(() => {
  globalThis.fetch = reach;
});

const client = new TikTok(TIKTOK.key, TIKTOK.secret, REDIRECT.tiktok);

async function login() {
  const verifier = generateCodeVerifier();
  const back = await consent(server.origin, client.createAuthorizationURL("some state", verifier, SCOPES).href, {
    account: TIKTOK.account,
  });
  if (back.get("state") !== "some state") throw new Error("Another state came back.");
  return client.validateAuthorizationCode(back.get("code") ?? "", verifier);
}

const Envelope = z.object({ data: z.record(z.string(), z.unknown()), error: z.object({ code: z.string() }) });

async function call(token: string, path: string, body?: unknown) {
  const answer = await fetch(`${API}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json; charset=UTF-8" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data, error } = Envelope.parse(await answer.json());
  return { code: error.code, data };
}

test("login, renewal, and the end of it all", async ({ expect }) => {
  const tokens = await login();
  expect(tokens.scopes().join().split(",")).toEqual(SCOPES);
  const renewed = await client.refreshAccessToken(tokens.refreshToken());
  expect(renewed.refreshToken()).not.toBe(tokens.refreshToken());
  // Refused with status 200, which the client takes for an answer without a token.
  const dead = await client.refreshAccessToken(tokens.refreshToken());
  expect(dead.data).toMatchObject({ error: "invalid_grant" });
  expect(() => dead.accessToken()).toThrow();

  const me = () => call(renewed.accessToken(), "user/info/?fields=open_id,username");
  expect(await me()).toEqual({
    code: "ok",
    data: { user: { open_id: TIKTOK.account, username: "harbourbakery" } },
  });
  await client.revokeToken(renewed.accessToken());
  expect(await me()).toMatchObject({ code: "access_token_invalid" });
});

test("a wrong secret is reported as such", async ({ expect }) => {
  const other = new TikTok(TIKTOK.key, "another", REDIRECT.tiktok);
  await expect(other.refreshAccessToken("rft.x")).rejects.toThrow(OAuth2RequestError);
});

test("between login and end: what the account allows, a video, its outcome, and the list", async ({ expect }) => {
  const token = (await login()).accessToken();
  const { data: info } = await call(token, "post/publish/creator_info/query/", {});
  const [privacy_level] = z.array(z.string()).parse(info.privacy_level_options);
  const file = await sample(server.origin, "reel.mp4");
  const opened = await call(token, "post/publish/video/init/", {
    post_info: { title: "By hand", privacy_level, disable_duet: false, disable_comment: false, disable_stitch: false },
    source_info: { source: "FILE_UPLOAD", video_size: file.length, chunk_size: file.length, total_chunk_count: 1 },
  });
  const { publish_id, upload_url } = z.object({ publish_id: z.string(), upload_url: z.string() }).parse(opened.data);
  const headers = { "content-type": "video/mp4", "content-range": `bytes 0-${file.length - 1}/${file.length}` };
  const sent = await fetch(upload_url, { method: "PUT", headers, body: new Uint8Array(file) });
  expect(sent.status).toBe(201);
  expect(await call(token, "post/publish/status/fetch/", { publish_id })).toMatchObject({
    data: { status: "PUBLISH_COMPLETE", uploaded_bytes: file.length },
  });
  expect(await call(token, "video/list/?fields=id,title,share_url", { max_count: 20 })).toMatchObject({
    data: { videos: [{ title: "By hand", share_url: expect.stringContaining("/@harbourbakery/video/") }] },
  });
});
