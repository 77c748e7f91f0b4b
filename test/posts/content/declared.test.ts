import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { generate } from "../../support/generations.ts";
import { queuesIdle } from "../../support/queue.ts";
import { eventsOf } from "../../support/queueing.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { type ChannelRef, createPost, findPost, Project, projectWith } from "../../support/world.ts";

/**
 * What a post declares: stored, shown, sent where the platform has a field, and reported where it has none.
 */

let project: Project;
const channels = new Map<string, ChannelRef>();
beforeAll(async () => {
  project = await Project.create();
  for (const name of ["facebook", "instagram", "tiktok", "twitter", "youtube"] as const) {
    const [channel_id = 0] = await project.connect(name, [await newAccount(name)]);
    channels.set(name, { channel_type: name, channel_id });
  }
});

function channelOn(name: string): ChannelRef {
  const channel = channels.get(name);
  if (!channel) throw new Error(`No channel on ${name}.`);
  return channel;
}

const bodyOn = (name: string, more: Record<string, unknown>) => ({
  ...channelOn(name),
  post_type: "post",
  caption_text: crypto.randomUUID(),
  media_urls: [],
  publish_mode: "draft",
  ...(name === "youtube" ? { post_extra: { title: "A walk" } } : {}),
  ...more,
});

const draftOn = (name: string, more: Record<string, unknown>) =>
  createPost(project, channelOn(name), bodyOn(name, more));

const Answered = z.looseObject({
  warnings: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.array(z.string())).default({}),
});
async function request(path: string, body: object, method = "POST", headers = {}) {
  const answer = await project.call(method, `/social/${path}`, { body, headers });
  const { warnings, errors } = Answered.parse(answer.body);
  const isAboutText = (warning: string) => warning.startsWith("caption_text repeats");
  return { status: answer.status, body: answer.body, warnings: warnings.filter((one) => !isAboutText(one)), errors };
}

async function declaredBy(id: number) {
  const { body } = await project.call("GET", `/social/post/${id}?include=content`);
  return z.object({ post: z.looseObject({ declared: z.unknown() }) }).parse(body).post.declared;
}

const ALL = { made_with_ai: true, paid_partnership: true, own_brand: true, made_for_kids: true };

describe("the field", () => {
  test("is stored and shown; without it, and with nulls, there is none", async () => {
    const shown = async (declared: unknown) => declaredBy(await draftOn("twitter", { declared }));
    expect(await shown({ paid_partnership: false, made_with_ai: true })).toEqual({
      made_with_ai: true,
      paid_partnership: false,
    });
    expect(await shown({})).toBeNull();
    expect(await shown({ made_with_ai: null })).toBeNull();
    expect(await shown(null)).toBeNull();
  });

  test.for([
    [{ made_with_ai: "true" }, "declared.made_with_ai"],
    [{ own_brand: 1 }, "declared.own_brand"],
    ["yes", "declared"],
  ] as const)("%j is refused", async ([declared, field]) => {
    for (const path of ["create-post", "validate-post"]) {
      const answer = await request(path, bodyOn("twitter", { declared }));
      expect([answer.status, Object.keys(answer.errors)]).toEqual([422, [field]]);
    }
  });

  test("an unknown declaration is named with the nearest one; update-post refuses it", async () => {
    const body = bodyOn("twitter", { declared: { made_with_ia: true } });
    expect((await request("create-post", body)).warnings).toEqual([
      "`declared.made_with_ia` is not a field of create-post; did you mean `declared.made_with_ai`?",
    ]);
    const id = await draftOn("twitter", {});
    expect((await request(`update-post/${id}`, { declared: { made_with_ia: true } }, "PUT")).status).toBe(422);
  });

  test("update-post replaces all declarations, and null withdraws them", async () => {
    const id = await draftOn("twitter", { declared: { own_brand: true } });
    const changed = await request(`update-post/${id}`, { declared: { made_with_ai: true, own_brand: false } }, "PUT");
    expect(changed).toMatchObject({ status: 200, body: { changed: ["declared"] }, warnings: [] });
    expect(await declaredBy(id)).toEqual({ made_with_ai: true, own_brand: false });
    expect(await request(`update-post/${id}`, { declared: { own_brand: true } }, "PUT")).toMatchObject({
      warnings: [expect.stringContaining("`declared.own_brand` is left out: twitter")],
    });
    expect(await declaredBy(id)).toEqual({ own_brand: true });
    await request(`update-post/${id}`, { declared: null }, "PUT");
    expect(await declaredBy(id)).toBeNull();
  });

  test("is part of a request: an Idempotency-Key with another declaration is another request", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = bodyOn("twitter", { declared: { made_with_ai: true } });
    expect((await request("create-post", body, "POST", headers)).status).toBe(200);
    expect((await request("create-post", body, "POST", headers)).status).toBe(200);
    const other = { ...body, declared: { made_with_ai: false } };
    expect((await request("create-post", other, "POST", headers)).status).toBe(422);
  });
});

describe("a platform without a field", () => {
  test.for([
    ["facebook", "post", ["made_with_ai", "paid_partnership", "own_brand", "made_for_kids"]],
    ["twitter", "post", ["own_brand", "made_for_kids"]],
    ["instagram", "story", ["paid_partnership", "own_brand", "made_for_kids"]],
    ["youtube", "post", ["own_brand"]],
    ["tiktok", "reel", ["made_for_kids"]],
  ] as const)("%s, a %s: each true declaration is reported", async ([name, post_type, lost]) => {
    const files =
      name === "facebook" || name === "twitter" ? [] : [media(post_type === "story" ? "square.jpg" : "reel.mp4")];
    const body = bodyOn(name, { post_type, media_urls: files, declared: ALL });
    const expected = lost.map((one) => expect.stringMatching(new RegExp(`^.declared.${one}. is left out: ${name} `)));
    expect((await request("create-post", body)).warnings).toEqual(expected);
    expect(await request("validate-post", body)).toMatchObject({ status: 200, warnings: expected });
    const denied = Object.fromEntries(Object.keys(ALL).map((key) => [key, false]));
    expect((await request("create-post", { ...body, declared: denied })).warnings).toEqual([]);
  });

  test("for such files only: the answers and the timeline say so", async () => {
    const body = bodyOn("tiktok", { media_urls: [media("square.jpg")], declared: { made_with_ai: true } });
    const why = (when: string) => [
      expect.stringContaining(`left out${when}: tiktok has a field for it with a video only`),
    ];
    expect((await request("create-post", body)).warnings).toEqual(why(" unless a file is a video"));
    expect((await request("validate-post", body)).warnings).toEqual(expect.arrayContaining(why("")));
    const { url } = await uploaded(project, await sample("square.jpg"));
    expect((await request("create-post", { ...body, media_urls: [url] })).warnings).toEqual(why(""));
    const video = await draftOn("tiktok", { media_urls: [media("reel.mp4")], declared: { made_with_ai: true } });
    expect(await request(`update-post/${video}`, { media_urls: [url] }, "PUT")).toMatchObject({ warnings: why("") });
    expect((await request("create-post", { ...body, media_urls: [media("reel.mp4")] })).warnings).toEqual([]);
    const id = await createPost(project, channelOn("tiktok"), { ...body, publish_mode: "now" });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await eventsOf(project, id)).toContainEqual(
      expect.objectContaining({ type: "post.left_out", detail: { fields: ["declared.made_with_ai"] } }),
    );
  });

  test("by the account's login: /social/get-platforms distinguishes the two", async () => {
    const Rules = z.object({ declarations: z.array(z.object({ name: z.string(), only_with: z.string().nullable() })) });
    const { platforms } = z
      .object({
        platforms: z.array(
          z.object({
            channel_type: z.string(),
            post_types: z.array(Rules.extend({ post_type: z.string(), for_accounts: z.array(Rules) })),
          }),
        ),
      })
      .parse((await project.call("GET", "/social/get-platforms")).body);
    const on = (name: string, type: string) =>
      platforms.find(({ channel_type }) => channel_type === name)?.post_types.find((one) => one.post_type === type);
    const names = (rules: z.output<typeof Rules> | undefined) => rules?.declarations.map(({ name }) => name);
    expect(names(on("instagram", "post"))).toEqual(["made_with_ai", "paid_partnership"]);
    expect(on("instagram", "post")?.for_accounts.map(names)).toEqual([["made_with_ai"]]);
    expect(on("instagram", "story")?.for_accounts).toEqual([]);
    expect(on("tiktok", "post")?.declarations[0]).toEqual({ name: "made_with_ai", only_with: "video" });
    expect(names(on("facebook", "post"))).toEqual([]);
  });
});

describe("what is sent", () => {
  test.for([
    ["twitter", {}, ["made_with_ai", "paid_partnership"]],
    ["instagram", { media_urls: [media("square.jpg")] }, ["is_ai_generated", "is_paid_partnership"]],
    [
      "instagram",
      { media_urls: [media("square.jpg"), media("landscape.jpg")] },
      ["is_ai_generated", "is_paid_partnership"],
    ],
    ["tiktok", { media_urls: [media("reel.mp4")] }, ["brand_content_toggle", "brand_organic_toggle", "is_aigc"]],
    [
      "youtube",
      { media_urls: [media("clip.mp4")] },
      ["containsSyntheticMedia", "hasPaidProductPlacement", "selfDeclaredMadeForKids"],
    ],
  ] as const)("%s, %o: the live post has them", async ([name, more, labels]) => {
    const text = crypto.randomUUID();
    const body = { ...bodyOn(name, more), caption_text: text, publish_mode: "now", declared: ALL };
    const id = await createPost(project, channelOn(name), body);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    const [live] = await sandbox.postsWith(text);
    expect(
      z
        .looseObject({ labels: z.array(z.string()) })
        .parse(live)
        .labels.toSorted(),
    ).toEqual(labels);
  });

  test("a thread has them on its first item", async () => {
    const text = crypto.randomUUID();
    const twitter_threads = [{ message: `1 ${text}` }, { message: `2 ${text}` }];
    await createPost(project, channelOn("twitter"), { post_type: "thread", twitter_threads, declared: ALL });
    await queuesIdle();
    const live = (await sandbox.postsWith(text)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(live.map(({ labels }) => labels)).toEqual([["made_with_ai", "paid_partnership"], []]);
  });

  test("a second attempt after a lost answer has the same ones", async () => {
    const { project: own, channel } = await projectWith("twitter", await newAccount("twitter"));
    const text = crypto.randomUUID();
    await sandbox.fault("twitter", "publish", "error", 1);
    const id = await createPost(own, channel, { caption_text: text, declared: { paid_partnership: true } });
    await queuesIdle();
    expect(await findPost(own, id)).toMatchObject({ STATUS: "published" });
    const sent = (await callsTo("twitter")).filter(({ body }) => String(body).includes(text));
    expect(sent.map(({ body }) => JSON.parse(String(body)).paid_partnership)).toEqual([true, true]);
    expect(await sandbox.postsWith(text)).toMatchObject([{ labels: ["paid_partnership"] }]);
  });
});

describe("media that this service generated", () => {
  test("declare made_with_ai by themselves, and after their generation was deleted", async () => {
    const { id, media_urls } = await generate(project, "ai_image_post");
    const body = { media_urls: media_urls.slice(0, 1) };
    const before = await draftOn("twitter", body);
    expect(await declaredBy(before)).toEqual({ made_with_ai: true });
    await project.call("DELETE", `/social/delete-post-generation/${id}`);
    const after = await draftOn("twitter", { ...body, declared: { paid_partnership: false } });
    expect(await declaredBy(after)).toEqual({ made_with_ai: true, paid_partnership: false });
    await request(`update-post/${after}`, { media_urls: [media("square.jpg")] }, "PUT");
    expect(await declaredBy(after)).toEqual({ paid_partnership: false });
  });

  test("cannot be declared otherwise, neither at once nor by a change", async () => {
    const { media_urls } = await generate(project, "ai_image_post");
    const denial = { made_with_ai: false };
    const refusal = {
      status: 422,
      errors: {
        "declared.made_with_ai": [
          `declared.made_with_ai must not be false: this service generated ${media_urls[0]}. Leave it out, or use other files.`,
        ],
      },
    };
    const body = bodyOn("twitter", { media_urls, declared: denial });
    expect(await request("create-post", body)).toMatchObject(refusal);
    expect(await request("validate-post", body)).toMatchObject(refusal);
    const thread = { post_type: "thread", twitter_threads: [{ message: "x" }, { message: "y", media_urls }] };
    const { caption_text: _, media_urls: __, ...rest } = body;
    expect(await request("create-post", { ...rest, ...thread })).toMatchObject(refusal);
    const generated = await draftOn("twitter", { media_urls });
    expect(await request(`update-post/${generated}`, { declared: denial }, "PUT")).toMatchObject(refusal);
    const denied = await draftOn("twitter", { declared: denial });
    expect(await request(`update-post/${denied}`, { media_urls }, "PUT")).toMatchObject(refusal);
    const others = await request(`update-post/${denied}`, { media_urls, declared: null }, "PUT");
    expect(others).toMatchObject({
      status: 200,
      body: { changed: expect.arrayContaining(["media_urls", "declared"]) },
    });
  });
});

describe("update-post", () => {
  const change = (id: number, declared: unknown) => request(`update-post/${id}`, { declared }, "PUT");

  test.for([
    ["draft", { publish_mode: "draft" }],
    ["scheduled", { publish_mode: "scheduled", schedule_time: "2030-01-01 10:00", time_zone: "UTC" }],
    ["queued", { publish_mode: "queued" }],
    ["queued", { publish_mode: "share_next" }],
  ] as const)("changes a %s post, %o", async ([state, mode]) => {
    const id = await draftOn("twitter", { ...mode, declared: { own_brand: true } });
    expect(await change(id, { made_with_ai: true })).toMatchObject({ status: 200, body: { changed: ["declared"] } });
    expect(await declaredBy(id)).toEqual({ made_with_ai: true });
    expect(await findPost(project, id)).toMatchObject({ STATUS: state });
    await project.call("DELETE", `/social/delete-post/${id}`);
  });

  test("refuses a post that is being published, is live or has failed, and one that was deleted", async () => {
    const waiting = await draftOn("twitter", { publish_mode: "now" });
    const refusal = { status: 422, body: { code: "not_changeable" } };
    expect(await change(waiting, { made_with_ai: true })).toMatchObject(refusal);
    await queuesIdle();
    expect(await findPost(project, waiting)).toMatchObject({ STATUS: "published" });
    expect(await change(waiting, { made_with_ai: true })).toMatchObject(refusal);
    const missing = { publish_mode: "now", media_urls: [media("missing.jpg")] };
    const failed = await draftOn("twitter", missing);
    await queuesIdle();
    expect(await findPost(project, failed)).toMatchObject({ STATUS: "failed" });
    expect(await change(failed, null)).toMatchObject(refusal);
    const deleted = await draftOn("twitter", {});
    await project.call("DELETE", `/social/delete-post/${deleted}`);
    expect((await change(deleted, { made_with_ai: true })).status).toBe(404);
  });
});

describe("generated media among others", () => {
  test("declare the whole post, wherever they stand, and the mark is in their files only", async () => {
    const [generated = ""] = (await generate(project, "ai_image_post")).media_urls;
    const { url: own } = await uploaded(project, await sample("square.jpg"));
    for (const media_urls of [
      [own, generated],
      [generated, media("landscape.jpg"), own],
    ]) {
      const id = await draftOn("instagram", { media_urls });
      expect(await declaredBy(id)).toEqual({ made_with_ai: true });
      expect(
        (await request("create-post", bodyOn("instagram", { media_urls, declared: { made_with_ai: false } }))).status,
      ).toBe(422);
    }
    const text = crypto.randomUUID();
    const id = await draftOn("instagram", { publish_mode: "now", caption_text: text, media_urls: [own, generated] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toMatchObject([
      { labels: ["is_ai_generated"], source_types: [null, "trainedAlgorithmicMedia"] },
    ]);
    const others = await draftOn("instagram", { media_urls: [own], declared: { made_with_ai: false } });
    expect(await declaredBy(others)).toEqual({ made_with_ai: false });
  });

  test("declare it by the other format of a file too", async () => {
    const text = crypto.randomUUID();
    const { media_urls } = await generate(project, "ai_banner_post");
    await createPost(project, channelOn("instagram"), { caption_text: text, media_urls: media_urls.slice(0, 1) });
    await queuesIdle();
    const [live] = await sandbox.postsWith(text);
    const [jpeg = ""] = live?.media ?? [];
    expect([jpeg.endsWith(".jpg"), live?.source_types]).toEqual([true, ["algorithmicMedia"]]);
    const id = await draftOn("twitter", { media_urls: [jpeg] });
    expect(await declaredBy(id)).toEqual({ made_with_ai: true });
    const denied = bodyOn("twitter", { media_urls: [jpeg], declared: { made_with_ai: false } });
    expect((await request("create-post", denied)).status).toBe(422);
  });

  test("keep their mark in the copy that TikTok fetches", async () => {
    const text = crypto.randomUUID();
    const { media_urls } = await generate(project, "ai_image_post");
    await createPost(project, channelOn("instagram"), { caption_text: text, media_urls: media_urls.slice(0, 1) });
    await queuesIdle();
    const [path] = (await sandbox.postsWith(text))[0]?.received ?? [];
    // Elsewhere, as a file of the caller's: it is copied into the bucket.
    const elsewhere = new URL(path ?? "", sandbox.media("square.jpg")).href.replace("http:", "https:");
    const copied = crypto.randomUUID();
    const id = await createPost(project, channelOn("tiktok"), { caption_text: copied, media_urls: [elsewhere] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    const [live] = await sandbox.postsWith(copied);
    expect([live?.media.includes(elsewhere), live?.source_types]).toEqual([false, ["trainedAlgorithmicMedia"]]);
  });
});

describe("a paid partnership on TikTok that only its author would see", () => {
  const extra = { post_extra: { privacyStatus: "private" }, declared: { paid_partnership: true } };

  test("is refused at once", async () => {
    const files = { media_urls: [media("reel.mp4")] };
    const refusal = {
      status: 422,
      errors: { "declared.paid_partnership": [expect.stringContaining("only the account owner can see")] },
    };
    expect(await request("create-post", bodyOn("tiktok", { ...files, ...extra }))).toMatchObject(refusal);
    const id = await draftOn("tiktok", { ...files, post_extra: extra.post_extra });
    expect(await request(`update-post/${id}`, { declared: extra.declared }, "PUT")).toMatchObject(refusal);
  });
});
