import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo, calm } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { advance } from "../../support/clock.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { calmTiktok } from "../../support/tiktok.ts";
import { MINUTE } from "../../support/times.ts";
import { createPost, findPost, issueToken, Project, projectWith } from "../../support/world.ts";

/** How a post is published is the person's choice: what an account offers, and the options of a post. */

beforeEach(calmTiktok);
afterEach(async () => {
  await calm();
  await calmTiktok();
});

const Account = z.object({ id: z.string() });
const accountThat = async (...tasks: string[]) =>
  Account.parse(await sandbox.control("POST", "accounts", { platform: "tiktok", name: "Nut & Bolt", tasks })).id;
const home = async (...tasks: string[]) => projectWith("tiktok", await accountThat(...tasks));

const optionsOf = (project: Project, id: number, token?: string) =>
  project.call("GET", `/social/get-posting-options/${id}`, token === undefined ? {} : { token });

async function requested(): Promise<number> {
  return (await callsTo("tiktok")).filter(({ path }) => String(path).includes("creator_info")).length;
}

describe("posting-options", () => {
  test("are what TikTok says now, kept for a minute", async () => {
    const { project, channel } = await home("no_duets");
    const before = await requested();
    const answer = await optionsOf(project, channel.channel_id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        posting_options: {
          channel_id: channel.channel_id,
          channel_type: "tiktok",
          can_post: true,
          reason: null,
          name: "Nut & Bolt",
          privacy_levels: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
          comments: true,
          duets: false,
          stitches: true,
          max_video_seconds: 600,
          disclosures: {
            own_brand: "Your photo/video will be labeled as 'Promotional content'",
            paid_partnership: "Your photo/video will be labeled as 'Paid partnership'",
            consent: {
              text: "By posting, you agree to TikTok's Music Usage Confirmation.",
              links: [{ label: "Music Usage Confirmation", url: expect.stringContaining("music-usage-confirmation") }],
            },
            consent_to_paid_partnership: {
              text: "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
            },
          },
        },
      },
    });
    expect((await optionsOf(project, channel.channel_id)).body).toEqual(answer.body);
    expect(await requested()).toBe(before + 1);
    await advance(MINUTE + 1000);
    await optionsOf(project, channel.channel_id);
    expect(await requested()).toBe(before + 2);
  });

  test("say why an account cannot post now", async () => {
    const { project, channel } = await home("banned");
    expect((await optionsOf(project, channel.channel_id)).body).toMatchObject({
      posting_options: { can_post: false, reason: expect.stringContaining("TikTok"), privacy_levels: [] },
    });
  });

  test("are the project's own, for callers that may create posts, and of TikTok only", async () => {
    const { project, channel } = await home();
    const other = await Project.create();
    expect((await optionsOf(other, channel.channel_id)).status).toBe(404);
    const { token } = await issueToken(`Reader ${crypto.randomUUID()}`, { permissions: ["social-view-post"] });
    expect((await optionsOf(project, channel.channel_id, token)).status).toBe(403);
    const [x = 0] = await project.connect("twitter", [await newAccount("twitter")]);
    expect(await optionsOf(project, x)).toMatchObject({
      status: 422,
      body: {
        code: "unsupported_by_platform",
        errors: { channel_id: [expect.stringContaining("/social/get-platforms")] },
      },
    });
    await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
    expect((await optionsOf(project, channel.channel_id)).status).toBe(404);
  });
});

const Answered = z.looseObject({
  warnings: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.array(z.string())).default({}),
});
const Sent = z.looseObject({ post_info: z.record(z.string(), z.unknown()) });

/** What TikTok received with the post whose text has the mark. */
async function receivedWith(mark: string) {
  const bodies = (await callsTo("tiktok")).flatMap(({ body, path }) =>
    /init/.test(String(path)) && String(body).includes(mark) ? [Sent.parse(JSON.parse(String(body))).post_info] : [],
  );
  return bodies.at(-1);
}

describe("options", () => {
  const body = (more: Record<string, unknown>) => ({
    post_type: "post",
    publish_mode: "now",
    caption_text: crypto.randomUUID(),
    media_urls: [media("reel.mp4")],
    ...more,
  });

  test("go to TikTok as they were chosen", async () => {
    const { project, channel } = await home();
    const wanted = body({
      options: { privacy_level: "MUTUAL_FOLLOW_FRIENDS", comments: true, stitches: false, consent_given: true },
    });
    const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...wanted } });
    expect(Answered.parse(answer.body).warnings).toEqual([]);
    await queuesIdle();
    expect(await receivedWith(wanted.caption_text)).toMatchObject({
      privacy_level: "MUTUAL_FOLLOW_FRIENDS",
      disable_comment: false,
      disable_duet: true,
      disable_stitch: true,
    });
  });

  test("are warned of where none was chosen, and the post is as before; a draft may wait", async () => {
    const { project, channel } = await home();
    const create = async (more: Record<string, unknown>) => {
      const wanted = body(more);
      const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...wanted } });
      return { mark: wanted.caption_text, warnings: Answered.parse(answer.body).warnings };
    };
    const { mark, warnings } = await create({});
    expect(warnings).toEqual([
      expect.stringMatching(/^`options.privacy_level` is missing: /),
      expect.stringMatching(/^`options.consent_given` is missing: /),
    ]);
    await queuesIdle();
    expect(await receivedWith(mark)).toMatchObject({
      privacy_level: "PUBLIC_TO_EVERYONE",
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
    });
    expect((await create({ publish_mode: "draft" })).warnings).toEqual([]);
  });

  test("are stored, shown and changed; a level that the account lacks fails with what it offers", async () => {
    const { project, channel } = await home();
    const id = await createPost(project, channel, body({ publish_mode: "draft", options: { comments: true } }));
    const shown = async () =>
      z
        .object({ post: z.looseObject({ options: z.unknown() }) })
        .parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post.options;
    expect(await shown()).toEqual({ comments: true });
    const change = (changed: object) => project.call("PUT", `/social/update-post/${id}`, { body: changed });
    expect(await change({ options: null })).toMatchObject({ body: { changed: ["options"] } });
    expect(await shown()).toBeNull();
    expect(
      (await change({ publish_mode: "scheduled", schedule_time: "2030-01-01 10:00", time_zone: "UTC" })).body,
    ).toMatchObject({
      warnings: expect.arrayContaining([expect.stringContaining("`options.privacy_level` is missing")]),
    });
    const level = { privacy_level: "FOLLOWER_OF_CREATOR", consent_given: true };
    expect((await change({ options: level, publish_mode: "now" })).body).not.toHaveProperty("warnings");
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, SELF_ONLY"),
    });
  });

  test.for([
    [{ options: { privacy_level: "EVERYBODY" } }, "options.privacy_level"],
    [{ options: { comments: "no" } }, "options.comments"],
    [{ options: { cover_ms: -1 } }, "options.cover_ms"],
    [{ options: { cover_ms: 1.5 } }, "options.cover_ms"],
    [{ options: { cover_index: 1 }, media_urls: [media("square.jpg")] }, "options.cover_index"],
    [{ options: { title: "" } }, "options.title"],
    [{ options: { collaborators: ["@fern"] } }, "options.collaborators.0"],
    [{ options: { collaborators: ["a", "b", "c", "d"] } }, "options.collaborators"],
    [{ options: { location_id: "here" } }, "options.location_id"],
    [{ options: { privacy_level: "SELF_ONLY" }, declared: { paid_partnership: true } }, "declared.paid_partnership"],
    [
      { options: { privacy_level: "PUBLIC_TO_EVERYONE" }, post_extra: { privacyStatus: "private" } },
      "options.privacy_level",
    ],
  ] as const)("%j is refused at once", async ([more, field]) => {
    const { project, channel } = await home();
    const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...body(more) } });
    expect([answer.status, Object.keys(Answered.parse(answer.body).errors)]).toEqual([422, [field]]);
  });

  test.for([
    ["tiktok", "reel.mp4"],
    ["instagram", "reel.mp4"],
  ] as const)(
    "%s: a cover after the end of the video fails the post, with the length of the video",
    async ([name, file]) => {
      const { project, channel } = await projectWith(name, await newAccount(name));
      const wanted = body({ media_urls: [media(file)], options: { cover_ms: 3_600_000 } });
      const id = await createPost(project, channel, wanted);
      await queuesIdle();
      expect(await findPost(project, id)).toMatchObject({
        STATUS: "failed",
        error: expect.stringMatching(/reel\.mp4 lasts \d+ ms; options\.cover_ms is 3600000/),
      });
      expect(await sandbox.postsWith(wanted.caption_text)).toEqual([]);
    },
  );

  test("are left out, with a warning, where a platform or a file has none", async () => {
    const { project, channel } = await home();
    const pictures = body({
      media_urls: [media("square.jpg")],
      options: { privacy_level: "SELF_ONLY", duets: true, consent_given: true },
    });
    const answer = await project.call("POST", "/social/validate-post", { body: { ...channel, ...pictures } });
    expect(Answered.parse(answer.body).warnings).toEqual([
      "`options.duets` is left out: tiktok has a field for it with a video only.",
    ]);
    const [channel_id = 0] = await project.connect("twitter", [await newAccount("twitter")]);
    const elsewhere = {
      channel_type: "twitter",
      channel_id,
      ...body({ media_urls: [], options: { comments: false } }),
    };
    expect(
      Answered.parse((await project.call("POST", "/social/create-post", { body: elsewhere })).body).warnings,
    ).toEqual(["`options.comments` is left out: twitter has no field for it in a post of this account."]);
  });
});
