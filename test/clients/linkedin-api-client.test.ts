import { createRequire } from "node:module";
import { AuthClient, RestliClient } from "linkedin-api-client";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { consent, control, emptySandbox, LINKEDIN, REDIRECT, type SandboxServer, sample, served } from "./world.ts";

/**
 * LinkedIn's own `linkedin-api-client`. Its addresses are constants: interceptors of its HTTP library move
 * its requests, and nothing else of it is touched. Bytes it leaves to its user.
 */
interface Interceptable {
  readonly interceptors: { readonly request: { use(change: (config: { url?: string }) => { url?: string }): number } };
}

let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
  // The very module that the client has loaded.
  const http: Interceptable = createRequire(createRequire(import.meta.url).resolve("linkedin-api-client"))("axios");
  http.interceptors.request.use(toSandbox);
  await control(server.origin, "settings", { linkedin_comment_throttle_ms: 0 });
});

function toSandbox<C extends { url?: string }>(config: C): C {
  const url = config.url ?? "";
  return url.startsWith("https://") ? { ...config, url: served(server.origin, url) } : config;
}

const VERSION = { versionString: "202609" };
const SCOPES = [
  "openid",
  "profile",
  "w_member_social",
  "rw_organization_admin",
  "r_organization_social",
  "w_organization_social",
  "r_organization_social_feed",
  "w_organization_social_feed",
];

const auth = new AuthClient({
  clientId: LINKEDIN.id,
  clientSecret: LINKEDIN.secret,
  redirectUrl: REDIRECT.linkedin,
});

async function login() {
  const link = auth.generateMemberAuthorizationUrl(SCOPES, "some state");
  const back = await consent(server.origin, link, { member: LINKEDIN.member });
  if (back.get("state") !== "some state") throw new Error("Another state came back.");
  const token = await auth.exchangeAuthCodeForAccessToken(back.get("code") ?? "");
  const client = new RestliClient();
  client.axiosInstance.interceptors.request.use(toSandbox);
  return { token, client, own: { ...VERSION, accessToken: token.access_token } };
}

test("login, introspection, refresh, and who the member and their pages are", async ({ expect }) => {
  const { token, client, own } = await login();
  expect(token).toMatchObject({ expires_in: 5_184_000, refresh_token_expires_in: 31_536_000 });
  const known = await auth.introspectAccessToken(token.access_token);
  expect(known).toMatchObject({ data: { active: true, status: "active", client_id: LINKEDIN.id } });

  const me = await client.get({ resourcePath: "/userinfo", accessToken: token.access_token });
  expect(me.data).toMatchObject({ name: "Ana Ruiz", sub: expect.stringMatching(/^\w{10}$/) });
  const roles = await client.finder({
    ...own,
    resourcePath: "/organizationAcls",
    finderName: "roleAssignee",
    queryParams: { role: "ADMINISTRATOR", state: "APPROVED", start: 0, count: 100 },
  });
  expect(roles.data.elements).toMatchObject([{ organization: LINKEDIN.page }, {}]);
  const page = await client.get({ ...own, resourcePath: "/organizations/{id}", pathKeys: { id: 9001 } });
  expect(page.data).toMatchObject({ localizedName: "Acme Bikes", vanityName: "acme-bikes" });

  const renewed = await auth.exchangeRefreshTokenForAccessToken(token.refresh_token ?? "");
  expect(renewed.refresh_token).toBe(token.refresh_token);
  expect(renewed.access_token).not.toBe(token.access_token);
});

const Announced = z.object({ value: z.object({ image: z.string(), uploadUrl: z.string() }) });
const AnnouncedVideo = z.object({
  value: z.object({
    video: z.string(),
    uploadToken: z.string(),
    uploadInstructions: z.array(z.object({ uploadUrl: z.string(), firstByte: z.number(), lastByte: z.number() })),
  }),
});

function entity(commentary: string, content?: object) {
  return {
    author: LINKEDIN.page,
    commentary,
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
    ...(content === undefined ? {} : { content }),
  };
}

async function put(address: string, bytes: Buffer, headers: Record<string, string>): Promise<Response> {
  const body = new Uint8Array(bytes);
  const answer = await fetch(served(server.origin, address), { method: "PUT", body, headers });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return answer;
}

test("an image: upload, publish, read back, edit, comment, answer and delete", async ({ expect }) => {
  const { client, own } = await login();
  const announced = await client.action({
    ...own,
    resourcePath: "/images",
    actionName: "initializeUpload",
    data: { initializeUploadRequest: { owner: LINKEDIN.page } },
  });
  const { image, uploadUrl } = Announced.parse(announced.data).value;
  await put(uploadUrl, await sample(server.origin, "square.jpg"), { authorization: `Bearer ${own.accessToken}` });
  const ready = await client.get({ ...own, resourcePath: "/images/{id}", pathKeys: { id: image } });
  expect(ready.data).toMatchObject({ id: image, owner: LINKEDIN.page, status: "AVAILABLE" });

  const content = { media: { id: image, altText: "A square" } };
  const text = `New frames ${crypto.randomUUID()}`;
  const made = await client.create({ ...own, resourcePath: "/posts", entity: entity(`${text} #bikes`, content) });
  const urn = String(made.createdEntityId);
  expect(urn).toMatch(/^urn:li:(share|ugcPost):\d+$/);

  const one = { ...own, resourcePath: "/posts/{id}", pathKeys: { id: urn } };
  const read = await client.get({ ...one, queryParams: { viewContext: "AUTHOR" } });
  expect(read.data).toMatchObject({ id: urn, content, commentary: `${text} {hashtag|\\#|bikes}` });
  const list = await client.finder({
    ...own,
    resourcePath: "/posts",
    finderName: "author",
    queryParams: { author: LINKEDIN.page, count: 5, sortBy: "CREATED" },
  });
  expect(list.data.elements[0]).toMatchObject({ id: urn });
  await client.partialUpdate({
    ...own,
    resourcePath: "/posts/{id}",
    pathKeys: { id: urn },
    patchSetObject: { commentary: "Changed" },
  });
  expect((await client.get(one)).data).toMatchObject({
    commentary: "Changed",
    lifecycleStateInfo: { isEditedByAuthor: true },
  });

  const comments = { ...own, resourcePath: "/socialActions/{id}/comments", pathKeys: { id: urn } };
  const first = await client.create({
    ...comments,
    entity: { actor: LINKEDIN.page, object: urn, message: { text: "What (else)?" } },
  });
  const listed = await client.getAll(comments);
  const [comment] = z.array(z.looseObject({ commentUrn: z.string(), object: z.string() })).parse(listed.data.elements);
  expect(comment).toMatchObject({ id: first.createdEntityId, message: { text: "What (else)?" }, actor: LINKEDIN.page });
  expect(comment?.object).toMatch(/^urn:li:activity:/);
  await client.create({
    ...own,
    resourcePath: "/socialActions/{id}/comments",
    pathKeys: { id: comment?.commentUrn ?? "" },
    entity: {
      actor: LINKEDIN.page,
      object: comment?.object,
      parentComment: comment?.commentUrn,
      message: { text: "An answer" },
    },
  });
  const answers = await client.getAll({ ...comments, pathKeys: { id: comment?.commentUrn ?? "" } });
  expect(answers.data.elements).toMatchObject([{ message: { text: "An answer" }, parentComment: comment?.commentUrn }]);
  await client.delete({
    ...own,
    resourcePath: "/socialActions/{id}/comments/{comment}",
    pathKeys: { id: urn, comment: first.createdEntityId },
    queryParams: { actor: LINKEDIN.page },
  });
  expect((await client.getAll(comments)).data.elements).toEqual([]);

  expect((await client.delete(one)).status).toBe(204);
  await expect(client.get(one)).rejects.toMatchObject({ response: { status: 404, data: { code: "NOT_FOUND" } } });
});

test("a video in parts, and posts read by more URNs than an address holds", async ({ expect }) => {
  await control(server.origin, "settings", { linkedin_video_part_bytes: 40_000 });
  const { client, own } = await login();
  const clip = await sample(server.origin, "clip.mp4");
  const upload = { owner: LINKEDIN.page, fileSizeBytes: clip.length, uploadCaptions: false, uploadThumbnail: false };
  const announced = await client.action({
    ...own,
    resourcePath: "/videos",
    actionName: "initializeUpload",
    data: { initializeUploadRequest: upload },
  });
  const { video, uploadToken, uploadInstructions } = AnnouncedVideo.parse(announced.data).value;
  expect(uploadInstructions).toHaveLength(3);
  const uploadedPartIds: string[] = [];
  for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
    const part = await put(uploadUrl, clip.subarray(firstByte, lastByte + 1), {});
    uploadedPartIds.push(part.headers.get("etag") ?? "");
  }
  await client.action({
    ...own,
    resourcePath: "/videos",
    actionName: "finalizeUpload",
    data: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
  });
  const ready = await client.get({ ...own, resourcePath: "/videos/{id}", pathKeys: { id: video } });
  expect(ready.data).toMatchObject({ status: "AVAILABLE", duration: expect.any(Number) });
  const content = { media: { id: video, title: "A clip" } };
  const made = await client.create({ ...own, resourcePath: "/posts", entity: entity("A video", content) });

  const urn = String(made.createdEntityId);
  const ids = [
    urn,
    ...Array.from({ length: 120 }, (_, at) => `urn:li:share:${7_500_000_000_000_000_000n + BigInt(at)}`),
  ];
  const batch = await client.batchGet({ ...own, resourcePath: "/posts", ids });
  expect(batch.data.results).toMatchObject({ [urn]: { content } });
  expect(Object.keys(batch.data.errors)).toHaveLength(120);
});

test("a refusal is the client's own error, with LinkedIn's words in it", async ({ expect }) => {
  const { client, own } = await login();
  const twice = { ...own, resourcePath: "/posts", entity: entity(`Twice ${crypto.randomUUID()}`) };
  const { createdEntityId } = await client.create(twice);
  await expect(client.create(twice)).rejects.toMatchObject({
    response: { status: 422, data: { message: `Content is a duplicate of ${createdEntityId}` } },
  });
  const old = { ...twice, versionString: "202306" };
  await expect(client.create(old)).rejects.toMatchObject({
    response: {
      status: 426,
      data: { code: "NONEXISTENT_VERSION", message: "Requested version 20230601 is not active" },
    },
  });
});
