import sdk from "facebook-nodejs-business-sdk";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { consent, emptySandbox, INSTAGRAM, REDIRECT, type SandboxServer, served } from "./world.ts";

/**
 * Meta's business SDK on Instagram's objects, from login to deletion. Nothing but its base URL is touched.
 */

const { FacebookAdsApi, IGComment, IGMedia, IGUser, User } = sdk;
type Api = InstanceType<typeof FacebookAdsApi>;

let server: SandboxServer;
let api: Api;
let account: InstanceType<typeof IGUser>;
beforeAll(async () => {
  server = await emptySandbox();
  Object.defineProperty(FacebookAdsApi, "GRAPH", { get: () => `${server.origin}/graph.facebook.com` });
  api = await login();
  account = new IGUser(INSTAGRAM.account, {}, null, api);
});

const Token = z.object({ access_token: z.string() });
const scope = [
  "pages_show_list",
  "pages_read_engagement",
  "instagram_basic",
  "instagram_content_publish",
  "instagram_manage_comments",
  "instagram_manage_contents",
].join(",");

/** With the person's long token; the SDK has no login, so the exchange is its plain call. */
async function login(): Promise<Api> {
  const app = { client_id: INSTAGRAM.id, client_secret: INSTAGRAM.secret };
  const query = new URLSearchParams({
    client_id: INSTAGRAM.id,
    redirect_uri: REDIRECT.instagram,
    response_type: "code",
    state: "s",
    scope,
  });
  const address = `https://www.facebook.com/v24.0/dialog/oauth?${query}`;
  const back = await consent(server.origin, address, { account: INSTAGRAM.account });
  const own = new FacebookAdsApi(`${INSTAGRAM.id}|${INSTAGRAM.secret}`, "en_US", false);
  const exchange = async (params: object) =>
    Token.parse(await own.call("GET", ["oauth", "access_token"], { ...app, ...params })).access_token;
  const short = await exchange({ redirect_uri: REDIRECT.instagram, code: back.get("code") });
  const long = await exchange({ grant_type: "fb_exchange_token", fb_exchange_token: short });
  const user = new FacebookAdsApi(long, "en_US", false);
  const pages = await new User("me", {}, null, user).getAccounts(["id", "instagram_business_account{id,username}"]);
  const linked = pages.map((page) => page._data);
  if (!JSON.stringify(linked).includes(`"username":"fernandoak"`))
    throw new Error(`Not found: ${JSON.stringify(linked)}`);
  return user;
}

const media = (name: string) => `${server.origin}/_media/${name}`;
const dataOf = (nodes: readonly { readonly _data: unknown }[]) => nodes.map((node) => node._data);

test("an image: container, status, publish, read back, comment, answer, hide and delete", async ({ expect }) => {
  const caption = `By the SDK ${crypto.randomUUID()}`;
  const container = await account.createMedia([], { image_url: media("square.jpg"), caption, alt_text: "A square" });
  const status = await new IGMedia(container.id, {}, null, api).get(["status_code", "status"]);
  expect(status._data).toMatchObject({ status_code: "FINISHED" });
  const made = await account.createMediaPublish([], { creation_id: container.id });
  const [newest] = await account.getMedia(["id", "caption", "permalink", "media_type", "alt_text"], { limit: 5 });
  expect(newest?._data).toMatchObject({ id: made.id, caption, media_type: "IMAGE", alt_text: "A square" });
  const [limit] = await account.getContentPublishingLimit(["quota_usage", "config"]);
  expect(limit?._data).toMatchObject({ config: { quota_total: 100, quota_duration: 86_400 } });

  const post = new IGMedia(made.id, {}, null, api);
  const comment = await post.createComment([], { message: "The first" });
  const own = new IGComment(comment.id, {}, null, api);
  await own.createReply([], { message: "An answer" });
  expect(dataOf(await post.getComments(["text", "username"]))).toMatchObject([{ text: "The first" }]);
  expect(dataOf(await own.getReplies(["text"]))).toMatchObject([{ text: "An answer" }]);
  expect(await own.delete([])).toMatchObject({ success: true });
  expect(await post.delete([])).toMatchObject({ success: true, deleted_id: made.id });
  await expect(post.get(["id"])).rejects.toMatchObject({ status: 400 });
});

test("a carousel of an image and a video, a reel by resumable upload, a story", async ({ expect }) => {
  const children = await Promise.all([
    account.createMedia([], { image_url: media("landscape.jpg"), is_carousel_item: true }),
    account.createMedia([], { media_type: "VIDEO", video_url: media("clip.mp4"), is_carousel_item: true }),
  ]);
  const caption = `Both ${crypto.randomUUID()}`;
  const whole = await account.createMedia([], {
    media_type: "CAROUSEL",
    children: children.map(({ id }) => id),
    caption,
  });
  const album = await account.createMediaPublish(["id", "media_type"], { creation_id: whole.id });
  expect(album._data).toMatchObject({ media_type: "CAROUSEL_ALBUM" });
  const parts = await new IGMedia(album.id, {}, null, api).getChildren(["media_type"]);
  expect(dataOf(parts)).toMatchObject([{ media_type: "IMAGE" }, { media_type: "VIDEO" }]);

  const Session = z.object({ id: z.string(), uri: z.string() });
  const session = Session.parse(
    (await account.createMedia([], { media_type: "REELS", upload_type: "resumable" }))._data,
  );
  const bytes = await (await fetch(media("reel.mp4"))).arrayBuffer();
  const token = z.object({ accessToken: z.string() }).parse(api).accessToken;
  const headers = { Authorization: `OAuth ${token}`, offset: "0", file_size: String(bytes.byteLength) };
  const uploaded = await fetch(served(server.origin, session.uri), { method: "POST", headers, body: bytes });
  expect(await uploaded.json()).toMatchObject({ success: true });
  const reel = await account.createMediaPublish(["id", "media_product_type"], { creation_id: session.id });
  expect(reel._data).toMatchObject({ media_product_type: "REELS" });

  const story = await account.createMedia([], { media_type: "STORIES", image_url: media("square.jpg") });
  const shown = await account.createMediaPublish([], { creation_id: story.id });
  expect(dataOf(await account.getStories(["id"]))).toContainEqual(expect.objectContaining({ id: shown.id }));
  for (const { id } of [album, reel, shown]) {
    expect(await new IGMedia(id, {}, null, api).delete([])).toMatchObject({ success: true });
  }
});

test("what is refused comes as an error of the SDK, with code and subcode", async ({ expect }) => {
  const wrong = account.createMedia([], { image_url: media("square.png"), caption: "A PNG" });
  await expect(wrong).rejects.toMatchObject({ response: { code: 36001, error_subcode: 2207005 } });
});
