import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import {
  accountToken,
  calmInstagram,
  FERN,
  graph,
  HARBOUR,
  idIn,
  media,
  personToken,
  settings,
} from "../../support/instagram.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY, HOUR } from "../../support/times.ts";

/** What the simulated Instagram promises of containers, of publishing them, and of what is listed then. */

let token = "";
beforeAll(async () => {
  await calmInstagram();
});
afterEach(calmInstagram);
// Tokens end while the clock moves on.
const fresh = async () => {
  token = await personToken([FERN, HARBOUR]);
};

const error = (code: number, error_subcode?: number) => ({
  error: expect.objectContaining(error_subcode === undefined ? { code } : { code, error_subcode }),
});
const call = (method: "GET" | "POST" | "DELETE", path: string, params: Record<string, string> = {}) =>
  graph({ login: "facebook", token }, method, path, params);
const make = (fields: Record<string, string>) => call("POST", `${FERN}/media`, fields);
const publish = (creation_id: string) => call("POST", `${FERN}/media_publish`, { creation_id });
const state = async (id: string) => (await call("GET", id, { fields: "status_code,status" })).json;
const image = (more: Record<string, string> = {}) => make({ image_url: media("square.jpg"), ...more });

describe("files", () => {
  beforeAll(fresh);

  test.for([
    ["a PNG", { image_url: "square.png" }, 36001, 2207005],
    ["what is no image", { image_url: "notes.txt" }, 9004, 2207052],
    ["what is not there", { image_url: "missing.jpg" }, 9004, 2207052],
    ["an image for a video", { media_type: "REELS", video_url: "square.jpg" }, 9004, 2207052],
  ] as const)("%s is refused at once", async ([, fields, code, subcode]) => {
    const named = Object.entries(fields).map(([name, value]) => [name, name.endsWith("_url") ? media(value) : value]);
    expect((await make(Object.fromEntries(named))).json).toMatchObject(error(code, subcode));
  });

  test("an address beyond ASCII is refused; a PNG may be taken", async () => {
    expect((await make({ image_url: `${media("square.jpg")}?größe` })).json).toMatchObject(error(9004, 2207052));
    await settings({ instagram_image_formats: "any" });
    expect((await make({ image_url: media("square.png") })).status).toBe(200);
  });

  test("a video that is no reel fails while it is processed, and says so in one of three ways", async () => {
    await sandbox.fault("instagram", "upload", "processing_failed");
    const id = idIn(await make({ media_type: "REELS", video_url: media("reel.mp4") }));
    expect(await state(id)).toEqual({ id, status_code: "ERROR", status: expect.stringContaining("2207026") });
    await settings({ instagram_error_status: "sentence" });
    expect(await state(id)).toEqual({ id, status: expect.stringMatching(/^Error: .*2207026$/) });
    await settings({ instagram_error_status: "number" });
    expect(await state(id)).toEqual({ id, status: "2207026" });
    expect((await publish(id)).json).toMatchObject(error(24, 2207008));
  });
});

const POLL = '{"options":["tea","coffee"]}';

describe("containers", () => {
  beforeAll(fresh);

  test.for([
    ["a lone video", { media_type: "VIDEO", video_url: "clip.mp4" }],
    ["a caption on a child", { image_url: "square.jpg", is_carousel_item: "true", caption: "x" }],
    ["a collaborator on a child", { image_url: "square.jpg", is_carousel_item: "true", collaborators: '["a"]' }],
    ["a reel as a child", { media_type: "REELS", video_url: "reel.mp4", is_carousel_item: "true" }],
    ["an alt text on a reel", { media_type: "REELS", video_url: "reel.mp4", alt_text: "x" }],
    ["a caption on a story", { media_type: "STORIES", image_url: "square.jpg", caption: "x" }],
    ["two files", { image_url: "square.jpg", video_url: "reel.mp4" }],
    ["no file", { caption: "x" }],
    [
      "thirty-one hashtags",
      { image_url: "square.jpg", caption: Array.from({ length: 31 }, (_, at) => `#t${at}`).join(" ") },
    ],
    [
      "twenty-one mentions",
      { image_url: "square.jpg", caption: Array.from({ length: 21 }, (_, at) => `@t${at}`).join(" ") },
    ],
    ["an alt text that is too long", { image_url: "square.jpg", alt_text: "x".repeat(1001) }],
    ["a tag of an image without a place", { image_url: "square.jpg", user_tags: '[{"username":"a"}]' }],
    ["a poll on a story", { media_type: "STORIES", image_url: "square.jpg", poll_attachment: POLL }],
    ["a poll of one option", { image_url: "square.jpg", poll_attachment: '{"options":["a"]}' }],
    ["a poll of five", { image_url: "square.jpg", poll_attachment: '{"options":["a","b","c","d","e"]}' }],
    ["a sponsor that does not exist", { image_url: "square.jpg", branded_content_sponsor_ids: '["1"]' }],
    ["a poll and a prompt", { image_url: "square.jpg", poll_attachment: POLL, is_comment_prompt_used: "true" }],
    ["a third sponsor", { image_url: "square.jpg", branded_content_sponsor_ids: '["1","2","3"]' }],
    ["sound for an image", { image_url: "square.jpg", audio_configuration: '{"audio_id":"1"}' }],
    ["a parameter that nobody knows", { image_url: "square.jpg", image_uri: "x" }],
  ] as const)("%s is refused", async ([, fields]) => {
    const named = Object.entries(fields).map(([name, value]) => [name, name.endsWith("_url") ? media(value) : value]);
    expect((await make(Object.fromEntries(named))).json).toMatchObject(error(100));
  });

  test("polls and paid partnerships are for Facebook Login", async () => {
    expect((await image({ poll_attachment: POLL, is_paid_partnership: "true" })).status).toBe(200);
    const fields = { image_url: media("square.jpg"), is_paid_partnership: "true" };
    const account = await accountToken();
    const refused = await graph({ login: "instagram", token: account }, "POST", "me/media", fields);
    expect(refused.json).toMatchObject(error(100));
  });

  test("sponsors are accounts at Instagram", async () => {
    const [sponsor] = await sandbox.accounts("instagram");
    expect((await image({ branded_content_sponsor_ids: JSON.stringify([sponsor]) })).status).toBe(200);
    expect((await image({ branded_content_sponsor_ids: '["1"]' })).json).toMatchObject(error(100, 33));
  });

  test("a caption of 2,200 characters is taken, one more is not", async () => {
    expect((await image({ caption: "x".repeat(2200) })).status).toBe(200);
    expect((await image({ caption: "x".repeat(2201) })).json).toMatchObject(error(36004, 2207010));
  });

  test("a carousel has two to ten children of its account, finished and made for it", async () => {
    const child = idIn(await image({ is_carousel_item: "true" }));
    const whole = (children: readonly string[]) => make({ media_type: "CAROUSEL", children: children.join(",") });
    expect((await whole([child])).json).toMatchObject(error(100, 2207028));
    expect((await whole(Array(11).fill(child))).json).toMatchObject(error(100, 2207028));
    const alone = idIn(await image());
    expect((await whole([child, alone])).json).toMatchObject(error(24, 2207006));
    await settings({ processing_ms: 60_000 });
    const slow = idIn(await make({ media_type: "VIDEO", video_url: media("clip.mp4"), is_carousel_item: "true" }));
    expect((await whole([child, slow])).json).toMatchObject(error(9007, 2207027));
    await advance(61_000);
    const made = idIn(await whole([child, slow]));
    expect((await publish(child)).json).toMatchObject(error(100));
    const post = idIn(await publish(made));
    const fields = "media_type,children{media_type,media_url}";
    expect((await call("GET", post, { fields })).json).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
      children: { data: [{ media_type: "IMAGE" }, { media_type: "VIDEO" }] },
    });
    const [part] = z
      .object({ data: z.array(z.object({ id: z.string() })) })
      .parse((await call("GET", `${post}/children`)).json).data;
    expect((await call("DELETE", part?.id ?? "")).json).toMatchObject(error(-1, 2207073));
  });

  test("are processed for a while, published within a day, and counted", async () => {
    await settings({ processing_ms: 60_000 });
    const id = idIn(await make({ media_type: "REELS", video_url: media("reel.mp4") }));
    expect(await state(id)).toMatchObject({ status_code: "IN_PROGRESS" });
    expect((await publish(id)).json).toMatchObject(error(9007, 2207027));
    await advance(61_000);
    expect(await state(id)).toMatchObject({ status_code: "FINISHED" });
    await advance(DAY);
    expect(await state(id)).toMatchObject({ status_code: "EXPIRED" });
    expect((await publish(id)).json).toMatchObject(error(-2, 2207020));
    await settings({ instagram_containers_per_day: 0 });
    expect((await image()).json).toMatchObject(error(4));
  });

  test("can be filled by parts, at an address of their own", async () => {
    const begun = await make({ media_type: "REELS", upload_type: "resumable", caption: "By parts" });
    const { id, uri } = z.object({ id: z.string(), uri: z.string() }).parse(begun.json);
    expect(await state(id)).toMatchObject({ status_code: "IN_PROGRESS" });
    const bytes = await (await fetch(media("reel.mp4"))).arrayBuffer();
    const put = (offset: number, part: ArrayBuffer) =>
      send(uri, {
        method: "POST",
        headers: { Authorization: `OAuth ${token}`, offset: `${offset}`, file_size: `${bytes.byteLength}` },
        body: part,
      });
    expect((await put(7, bytes.slice(7))).json).toMatchObject({ debug_info: { type: "OffsetInvalidError" } });
    expect((await put(0, bytes.slice(0, 1000))).json).toMatchObject({ debug_info: { type: "PartialRequestError" } });
    expect((await put(1000, bytes.slice(1000))).json).toMatchObject({ success: true });
    expect((await put(0, bytes)).json).toMatchObject({ debug_info: { type: "OffsetInvalidError" } });
    expect(await state(id)).toMatchObject({ status_code: "FINISHED" });
    const other = z
      .object({ id: z.string(), uri: z.string() })
      .parse((await make({ media_type: "STORIES", upload_type: "resumable" })).json);
    const headers = { Authorization: `OAuth ${token}`, file_url: media("reel.mp4") };
    expect((await send(other.uri, { method: "POST", headers })).json).toMatchObject({ success: true });
    expect(idIn(await publish(other.id))).toMatch(/^\d+$/);
  });
});

describe("publishing", () => {
  beforeAll(fresh);

  test("another account's container is not found", async () => {
    const id = idIn(await call("POST", `${HARBOUR}/media`, { image_url: media("square.jpg") }));
    expect((await publish(id)).json).toMatchObject(error(24, 2207006));
  });

  test("a second call is refused, answers the same, or makes a second post", async () => {
    const caption = `Twice ${crypto.randomUUID()}`;
    const id = idIn(await image({ caption }));
    const first = idIn(await publish(id));
    expect(await state(id)).toMatchObject({ status_code: "PUBLISHED" });
    expect((await publish(id)).json).toMatchObject(error(24, 2207008));
    await settings({ instagram_second_publish: "same_id" });
    expect(idIn(await publish(id))).toBe(first);
    expect(await sandbox.postsWith(caption)).toHaveLength(1);
    await settings({ instagram_second_publish: "doubled" });
    expect(idIn(await publish(id))).not.toBe(first);
    expect(await sandbox.postsWith(caption)).toHaveLength(2);
  });

  test("a post may go live late: until then its container calls itself ready", async () => {
    await settings({ instagram_late_publish_ms: 60_000 });
    const id = idIn(await image({ caption: "Late" }));
    const post = idIn(await publish(id));
    expect(await state(id)).toMatchObject({ status_code: "FINISHED" });
    expect((await call("GET", post)).json).toMatchObject(error(100, 33));
    await advance(61_000);
    expect(await state(id)).toMatchObject({ status_code: "PUBLISHED" });
    expect((await call("GET", post, { fields: "permalink" })).json).toMatchObject({ permalink: expect.any(String) });
  });

  test("what cannot be read exists all the same, and is listed", async () => {
    await settings({ instagram_unreadable: true });
    const id = idIn(await image({ caption: "Unseen" }));
    expect(await state(id)).toMatchObject(error(100, 33));
    const post = idIn(await publish(id));
    expect((await call("GET", post)).json).toMatchObject(error(100, 33));
    expect((await call("GET", `${FERN}/media`, { fields: "permalink", limit: "1" })).json).toMatchObject({
      data: [{ id: post, permalink: expect.stringContaining("https://www.instagram.com/p/") }],
    });
  });
});

describe("the quota", () => {
  beforeAll(fresh);
  const used = async (since?: number) => {
    const query = since === undefined ? {} : { since: `${Math.floor(since / 1000)}` };
    const { json } = await call("GET", `${HARBOUR}/content_publishing_limit`, {
      fields: "quota_usage,config",
      ...query,
    });
    const Limit = z.object({ data: z.tuple([z.object({ quota_usage: z.number(), config: z.unknown() })]) });
    return Limit.parse(json).data[0];
  };
  const post = async () => {
    const id = idIn(await call("POST", `${HARBOUR}/media`, { image_url: media("square.jpg") }));
    return call("POST", `${HARBOUR}/media_publish`, { creation_id: id });
  };

  test("is of a moving day, counted from any moment of it, and enforced where a post is made public", async () => {
    await advance(2 * DAY);
    await settings({ instagram_quota_total: 2 });
    await post();
    const between = Date.now() + HOUR;
    await advance(2 * HOUR);
    await post();
    expect(await used()).toEqual({ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } });
    expect(await used(between)).toMatchObject({ quota_usage: 1 });
    expect((await post()).json).toMatchObject(error(9, 2207042));
    await advance(22 * HOUR + 60_000);
    expect(await used()).toMatchObject({ quota_usage: 1 });
    expect((await post()).status).toBe(200);
  });

  test("is requested at most a day back", async () => {
    const query = { since: `${Math.floor((Date.now() - 2 * DAY) / 1000)}` };
    expect((await call("GET", `${HARBOUR}/content_publishing_limit`, query)).json).toMatchObject(error(100));
  });
});

describe("lists", () => {
  beforeAll(fresh);
  const Ids = z.object({ data: z.array(z.object({ id: z.string() })) });
  const listed = async (edge: string, query: Record<string, string> = {}) =>
    Ids.parse((await call("GET", `${FERN}/${edge}`, query)).json).data.map(({ id }) => id);

  test("show the newest first and a moment late, stories for a day and apart", async () => {
    const first = idIn(await publish(idIn(await image())));
    await advance(2000);
    const since = `${Math.floor(Date.now() / 1000)}`;
    const second = idIn(await publish(idIn(await image())));
    const story = idIn(await publish(idIn(await make({ media_type: "STORIES", image_url: media("square.jpg") }))));
    expect((await listed("media")).slice(0, 2)).toEqual([second, first]);
    expect(await listed("stories")).toContain(story);
    expect(await listed("media")).not.toContain(story);
    await settings({ instagram_listing_lag_ms: 60_000 });
    expect(await listed("media")).not.toContain(second);
    await advance(61_000);
    expect(await listed("media", { since })).toEqual([second]);
    await advance(DAY);
    expect(await listed("stories")).not.toContain(story);
    expect((await call("GET", story)).json).toMatchObject(error(100, 33));
  });

  test("a post that was deleted is gone from all of them; once more is not found", async () => {
    const id = idIn(await publish(idIn(await image())));
    expect((await call("DELETE", id)).json).toEqual({ success: true, deleted_id: id });
    expect(await listed("media")).not.toContain(id);
    expect((await call("DELETE", id)).json).toMatchObject(error(100, 33));
  });

  test("whether a post can be boosted is reported", async () => {
    const id = idIn(await publish(idIn(await image())));
    await settings({ instagram_boost_eligibility: "NOT_ELIGIBLE" });
    expect((await call("GET", id, { fields: "boost_eligibility_info" })).json).toMatchObject({
      boost_eligibility_info: { eligible_to_boost: false },
    });
    await settings({ instagram_boost_eligibility: "ELIGIBLE" });
  });
});
