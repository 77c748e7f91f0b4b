import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { newAccount } from "../../support/accounts.ts";
import { advance } from "../../support/clock.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  api,
  BIKES,
  calmTiktok,
  initPhotos,
  initVideo,
  login,
  openVideo,
  publishPhotos,
  publishVideo,
  put,
  putAs,
  said,
  sampleBytes,
  settings,
  source,
  statusOf,
  unique,
} from "../../support/tiktok.ts";

/** What the simulated TikTok promises of publishing: chunks, fetched pictures, tasks and their ends. */

let token = "";
beforeAll(async () => {
  await calmTiktok();
  token = (await login()).access_token;
});
afterEach(calmTiktok);

const SIZE = 5_000_000;
const picture = (name = "square.jpg") => sandbox.media(name);
const Data = z.object({ data: z.record(z.string(), z.unknown()) });
const dataOf = async (publishId: string, as = token) => Data.parse((await statusOf(as, publishId)).json).data;

describe("opening an upload", () => {
  test.for([
    ["a small video in one", source(1_000), "ok"],
    ["a small video in two", source(4_000_000, 2_000_000, 2), "invalid_param"],
    ["chunks of 5 MB, the last one larger", source(14_999_999, 5_000_000, 2), "ok"],
    ["chunks of 5 MiB", source(10_485_760, 5_242_880, 2), "ok"],
    ["a number that is rounded up", source(14_999_999, 5_000_000, 3), "invalid_param"],
    ["chunks that are too small", source(20_000_000, 4_000_000, 5), "invalid_param"],
    ["chunks that are too large", source(140_000_000, 70_000_000, 2), "invalid_param"],
    ["a large video in one", source(70_000_000), "invalid_param"],
    ["more chunks than 1,000", source(5_005_000_000, 5_000_000, 1_001), "invalid_param"],
    ["nothing", source(0), "invalid_params"],
  ] as const)("%s: %s", async ([, source_info, code]) => {
    expect(said(await initVideo(token, source_info))[1]).toBe(code);
  });

  test("a title of 2,200 characters is taken, and no more; unknown fields are refused", async () => {
    expect(said(await initVideo(token, source(1_000), { title: "a".repeat(2_200) }))[1]).toBe("ok");
    expect(said(await initVideo(token, source(1_000), { title: "a".repeat(2_201) }))[1]).toBe("invalid_params");
    expect(said(await initVideo(token, source(1_000), { privacy: "x" }))[1]).toBe("invalid_params");
  });
});

describe("chunks", () => {
  const total = 2 * SIZE + 7;
  const file = new Uint8Array(total);
  const first = file.slice(0, SIZE);
  const last = file.slice(SIZE);
  const open = () => openVideo(token, source(total, SIZE, 2));

  test("are stored in order, once; the last one takes what is left over, and publishes", async () => {
    const { publish_id, upload_url } = await open();
    const early = await put(upload_url, last, SIZE, total);
    expect([early.status, early.headers.get("content-range")]).toEqual([416, `bytes */${total}`]);
    const stored = await put(upload_url, first, 0, total);
    expect([stored.status, stored.headers.get("content-range")]).toEqual([206, `bytes 0-${SIZE - 1}/${total}`]);
    const again = await put(upload_url, first, 0, total);
    expect([again.status, again.headers.get("content-range")]).toEqual([416, `bytes 0-${SIZE - 1}/${total}`]);
    expect(await dataOf(publish_id)).toEqual({ status: "PROCESSING_UPLOAD", uploaded_bytes: SIZE });
    expect((await put(upload_url, last, SIZE, total)).status).toBe(201);
    expect((await put(upload_url, last, SIZE, total)).status).toBe(416);
    expect(await dataOf(publish_id)).toMatchObject({ fail_reason: "file_format_check_failed" });
  });

  test("of another size, another total or another type are refused", async () => {
    const { upload_url } = await open();
    expect((await put(upload_url, file.slice(0, SIZE - 1), 0, total)).status).toBe(400);
    expect((await put(upload_url, first, 0, total + 1)).status).toBe(400);
    expect((await putAs("image/jpeg")(upload_url, first, 0, total)).status).toBe(400);
    expect(
      (await send(upload_url, { method: "PUT", body: first, headers: { "Content-Type": "video/mp4" } })).status,
    ).toBe(400);
    expect((await put(upload_url, first, 0, total)).status).toBe(206);
  });

  test("an address lives an hour, and without its token there is none", async () => {
    const { upload_url } = await open();
    expect((await put(upload_url.replace(/upload_token=\w+/, "upload_token=x"), first, 0, total)).status).toBe(404);
    await settings({ tiktok_upload_seconds: 1 });
    await advance(1_001);
    expect((await put(upload_url, first, 0, total)).status).toBe(403);
  });
});

describe("tasks", () => {
  test("a video is processed, published, moderated, and only then has an id, which no number holds", async () => {
    await settings({ processing_ms: 10_000, tiktok_moderation_ms: 10_000 });
    const text = unique("A video");
    const task = await publishVideo(token, { title: text });
    expect(task).toMatch(/^v_pub_file~v2-1\.\d{19}$/);
    expect(await dataOf(task)).toMatchObject({ status: "PROCESSING_UPLOAD" });
    expect(await sandbox.postsWith(text)).toEqual([]);
    await advance(10_001);
    expect(await dataOf(task)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
    const [live] = await sandbox.postsWith(text);
    await advance(10_001);
    const { text: body } = await statusOf(token, task);
    expect(body).toContain(`"publicaly_available_post_id":[${live?.id}]`);
    expect(live?.permalink).toBe(`https://www.tiktok.com/@harbourbakery/video/${live?.id}`);
    expect((await send(live?.permalink ?? "")).text).toContain(text);
  });

  test("what not everybody may see never has an id", async () => {
    const task = await publishVideo(token, { privacy_level: "SELF_ONLY" });
    expect(await dataOf(task)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
  });

  test.for([
    ["never", 0],
    ["two", 2],
  ] as const)("set to give ids %s, a post has %i", async ([ids, count]) => {
    await settings({ tiktok_post_ids: ids });
    const { publicaly_available_post_id } = await dataOf(await publishVideo(token));
    expect(publicaly_available_post_id).toHaveLength(count);
  });

  test.for([
    "file_format_check_failed",
    "duration_check_failed",
    "frame_rate_check_failed",
    "picture_size_check_failed",
    "internal",
    "video_pull_failed",
    "photo_pull_failed",
    "auth_removed",
    "spam_risk_too_many_posts",
    "spam_risk_user_banned_from_posting",
    "spam_risk_text",
    "spam_risk",
  ])("a marker makes it fail with %s, and nothing is live", async (reason) => {
    const title = unique(`[failed:${reason}]`);
    expect(await dataOf(await publishVideo(token, { title }))).toEqual({ status: "FAILED", fail_reason: reason });
    expect(await sandbox.postsWith(title)).toEqual([]);
  });

  test("a video that is longer than the account may post, or no video, fails", async () => {
    const Made = z.object({ id: z.string() });
    const account = Made.parse(
      await sandbox.control("POST", "accounts", { platform: "tiktok", name: "Short", tasks: ["max:3"] }),
    );
    const own = (await login(account.id)).access_token;
    expect(await dataOf(await publishVideo(own), own)).toMatchObject({ fail_reason: "duration_check_failed" });
    const image = await publishVideo(token, {}, "square.jpg");
    expect(await dataOf(image)).toMatchObject({ fail_reason: "file_format_check_failed" });
  });

  test("a task that lacks bytes can be cancelled, one that is through cannot", async () => {
    const { publish_id } = await openVideo(token, source(1_000));
    expect(said(await api(token, "post/publish/cancel/", { publish_id }))[1]).toBe("ok");
    expect(await dataOf(publish_id)).toMatchObject({ status: "FAILED", fail_reason: "publish_cancelled" });
    const done = await publishVideo(token);
    expect(said(await api(token, "post/publish/cancel/", { publish_id: done }))).toEqual([
      400,
      "publish_not_cancellable",
    ]);
  });

  test("drafts wait in the inbox, five of them, and are not live", async () => {
    const own = (await login(await newAccount("tiktok"))).access_token;
    const bytes = await sampleBytes("reel.mp4");
    const draft = () => api(own, "post/publish/inbox/video/init/", { source_info: source(bytes.length) });
    const Opened = z.object({ data: z.object({ publish_id: z.string(), upload_url: z.string() }) });
    const { publish_id, upload_url } = Opened.parse((await draft()).json).data;
    await put(upload_url, bytes, 0, bytes.length);
    expect(await dataOf(publish_id, own)).toMatchObject({ status: "SEND_TO_USER_INBOX" });
    for (let more = 1; more < 5; more++) expect(said(await draft())[1]).toBe("ok");
    expect(said(await draft())).toEqual([403, "spam_risk_too_many_pending_share"]);
  });
});

describe("pictures", () => {
  test("are fetched in order, and their post is a photo's", async () => {
    const text = unique("Pictures");
    const task = await publishPhotos(token, [picture("landscape.jpg"), picture("photo.webp")], { description: text });
    expect(task).toMatch(/^p_pub_url~v2\.\d{19}$/);
    const [live] = await sandbox.postsWith(text);
    expect(live?.media).toHaveLength(2);
    expect(live?.permalink).toContain("/photo/");
  });

  test.for([
    ["a PNG", ["square.png"], "file_format_check_failed"],
    ["an address that answers 404", ["missing.jpg"], "photo_pull_failed"],
  ] as const)("%s fails the task, later", async ([, names, reason]) => {
    const task = await publishPhotos(token, names.map(picture));
    expect(await dataOf(task)).toMatchObject({ status: "FAILED", fail_reason: reason });
  });

  test("a redirect is not followed", async () => {
    // `/_media` leads to `/_media/`.
    const task = await publishPhotos(token, [picture("").replace(/\/$/, "")]);
    expect(await dataOf(task)).toMatchObject({ fail_reason: "photo_pull_failed" });
  });

  test("more than 35, none, or a cover that is none of them are refused", async () => {
    const code = async (urls: readonly string[], more?: object) => said(await initPhotos(token, urls, {}, more))[1];
    expect(await code(Array.from({ length: 36 }, () => picture()))).toBe("invalid_params");
    expect(await code([])).toBe("invalid_params");
    const source_info = { source: "PULL_FROM_URL", photo_cover_index: 1, photo_images: [picture()] };
    expect(await code([], { source_info })).toBe("invalid_params");
  });

  test.for([
    ["sandbox.test", "ok"],
    ["test", "ok"],
    ["box.test", "url_ownership_unverified"],
    ["http://sandbox.test/_media/", "ok"],
    ["http://sandbox.test/_blob/", "url_ownership_unverified"],
    ["example.com https://example.com/", "url_ownership_unverified"],
  ] as const)("with %s proven: %s", async ([proven, code]) => {
    await settings({ tiktok_verified_urls: proven });
    expect(said(await initPhotos(token, [picture()]))[1]).toBe(code);
  });

  test("no pictures come over plain http from elsewhere", async () => {
    const answer = await initPhotos(token, ["http://files.example.com/a.jpg"]);
    expect(said(answer)).toEqual([403, "url_ownership_unverified"]);
  });

  test("a private account's are for its followers, without comments", async () => {
    const bikes = (await login(BIKES)).access_token;
    const info = { privacy_level: "FOLLOWER_OF_CREATOR", disable_comment: true };
    const task = await publishPhotos(bikes, [picture()], info);
    expect(await dataOf(task, bikes)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
  });

  test("people comment on what is live", async () => {
    const text = unique("To be commented on");
    await publishPhotos(token, [picture()], { description: text });
    const [live] = await sandbox.postsWith(text);
    const comment = { platform: "tiktok", post_id: live?.id, author: "lea", text: "Where are you?" };
    expect(await sandbox.control("POST", "comments", comment)).toMatchObject({ post_id: live?.id, author: "lea" });
  });
});
