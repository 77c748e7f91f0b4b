import { afterEach, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { nextMidnight } from "../../../src/core/time.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, expectPage, statusOf } from "../../support/connecting.ts";
import { YOUTUBE_CHANNELS } from "../../support/person.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { createPost, findPost, type Project, projectWith } from "../../support/world.ts";
import { listed, loginAs, simulated } from "../../support/youtube.ts";

/** Through the front door: what only YouTube has. */
simulated();
const HOUR_MS = 3_600_000;

describe("connecting", () => {
  /** Presses Continue with these scopes unticked, and as this account. */
  async function connectWithout(unticked: readonly string[], account?: string) {
    const { connection, browser } = await begun("myapp://done");
    const consent = await choose(browser, connection, ["youtube"]);
    const page = await browser.submit(
      consent,
      ({ name, value }) => {
        if (name === "account" && account !== undefined) return value === account;
        return name === "scope" && unticked.some((scope) => value.endsWith(scope)) ? false : undefined;
      },
      { name: "decision", value: "allow" },
    );
    return { connection, page };
  }

  test("a channel with everything selected is connected under its name", async ({ expect }) => {
    const { connection } = await connectWithout([], YOUTUBE_CHANNELS.fern);
    expect((await statusOf(connection)).body).toMatchObject({ connect_status: "success", account_name: "Fern & Oak" });
  });

  test.for([
    [["youtube.upload"], "youtube.upload"],
    [["youtube.readonly"], "youtube.readonly"],
    [["youtube.force-ssl"], "youtube.force-ssl"],
    [["youtube.readonly", "youtube.force-ssl"], "youtube.readonly, youtube.force-ssl"],
  ] as const)(
    "with %j not selected nothing is connected, and the page says what is missing",
    async ([scopes, words], { expect }) => {
      const { connection, page } = await connectWithout(scopes);
      expect(page.html).toContain(`Missing permissions: ${words}.`);
      expect((await statusOf(connection)).body).toMatchObject({ connect_status: "failed", channel_ids: null });
    },
  );

  test.for(["empty", "signup_required"])(
    "a Google account without a channel says so (%s)",
    async (mood, { expect }) => {
      await sandbox.settings({ youtube_no_channel: mood });
      expectPage(expect, (await connectWithout([], "none")).page, 400, "This Google account has no YouTube channel");
    },
  );
});

describe("posting", () => {
  let home: { readonly project: Project; readonly channel: { channel_type: "youtube"; channel_id: number } };
  beforeAll(async () => {
    home = await projectWith("youtube", YOUTUBE_CHANNELS.bakery);
  });
  afterEach(() => sandbox.settings({ youtube_uploads_per_day: 100_000 }));

  const body = (more: object = {}) => ({
    caption_text: `Come in. ${crypto.randomUUID()}`,
    media_urls: [sandbox.media("clip.mp4").replace("http:", "https:")],
    post_extra: { title: "Opening day" },
    ...more,
  });
  const Found = z.object({ id: z.string() });

  test("title, category, privacy and audience arrive; without them it is public and of the usual category", async ({
    expect,
  }) => {
    const published = async (post_extra: object) => {
      const fields = body({ post_extra });
      const id = await createPost(home.project, home.channel, fields);
      await queuesIdle();
      expect(await findPost(home.project, id)).toMatchObject({ STATUS: "published" });
      const [live] = (await sandbox.posts("youtube")).filter(({ text }) => text === fields.caption_text);
      await loginAs(YOUTUBE_CHANNELS.bakery);
      const [video] = await listed(`videos?part=snippet,status&id=${Found.parse(live).id}`);
      return video;
    };
    expect(await published({ title: "Opening day", category: 27, privacyStatus: "unlisted" })).toMatchObject({
      snippet: { title: "Opening day", categoryId: "27" },
      status: { privacyStatus: "unlisted", selfDeclaredMadeForKids: false },
    });
    expect(await published({ title: "Another day" })).toMatchObject({
      snippet: { categoryId: "22" },
      status: { privacyStatus: "public" },
    });
  });

  test.for([
    ["a title with <", { post_extra: { title: "a < b" } }, "post_extra.title", "must not have < or > on YouTube."],
    ["a blank title", { post_extra: { title: "  " } }, "post_extra.title", "must not be blank."],
    ["a description with >", { caption_text: "a > b" }, "caption_text", "must not have < or > on YouTube."],
    ["a long description", { caption_text: "é".repeat(2501) }, "caption_text", "at most 5,000 bytes"],
    ["no file", { media_urls: [] }, "media_urls", "1 media file"],
  ] as const)("%s is refused at once", async ([, more, field, words], { expect }) => {
    const answer = await home.project.call("POST", "/social/create-post", {
      body: { ...home.channel, post_type: "post", publish_mode: "now", ...body(more) },
    });
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.stringContaining(words)] } } });
  });

  test("a category that takes no videos fails with YouTube's word", async ({ expect }) => {
    const id = await createPost(home.project, home.channel, body({ post_extra: { title: "A video", category: 30 } }));
    await queuesIdle();
    expect(await findPost(home.project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("does not know this category"),
    });
  });

  test.for([
    ["failed:codec", "does not support the codec"],
    ["rejected:length", "youtube.com/verify"],
  ] as const)("a video that ends as %s fails with a sentence", async ([end, words], { expect }) => {
    const id = await createPost(home.project, home.channel, body({ post_extra: { title: `x [${end}]` } }));
    await queuesIdle();
    expect(await findPost(home.project, id)).toMatchObject({ STATUS: "failed", error: expect.stringContaining(words) });
  });

  test("a lost answer is found by its file, not by a title that another person's video has too", async ({ expect }) => {
    const title = `Twice ${crypto.randomUUID()}`;
    await sandbox.settings({ youtube_finished_session: "gone", youtube_file_names: false });
    await sandbox.fault("youtube", "publish", "accept_then_drop");
    const fields = body({ post_extra: { title } });
    const id = await createPost(home.project, home.channel, fields);
    const foreign = { platform: "youtube", account_id: YOUTUBE_CHANNELS.bakery, text: title };
    const { id: other } = Found.parse(await sandbox.control("POST", "posts", foreign));
    await queuesIdle();
    const { STATUS, permalink } = await findPost(home.project, id);
    const [live] = (await sandbox.posts("youtube")).filter(({ text }) => text === fields.caption_text);
    expect([STATUS, permalink]).toEqual(["published", live?.permalink]);
    expect(permalink).not.toContain(other);
  });

  test("without quota it waits for midnight Pacific time, says so, and is published then", async ({ expect }) => {
    const midnight = () => nextMidnight(Date.now(), "America/Los_Angeles");
    await advance(midnight() - Date.now() - 2 * HOUR_MS);
    await sandbox.settings({ youtube_uploads_per_day: 0 });
    const due = midnight();
    const id = await createPost(home.project, home.channel, body());
    await queuesIdle(HOUR_MS);
    expect(await findPost(home.project, id)).toMatchObject({ STATUS: "processing" });
    const { body: shown } = await home.project.call("GET", `/social/get-post-events/${id}`);
    const Events = z.object({
      events: z.array(z.looseObject({ type: z.string(), message: z.string(), detail: z.unknown() })),
    });
    const waiting = Events.parse(shown).events.find(({ type }) => type === "post.waiting");
    expect(waiting?.message).toContain("midnight Pacific time");
    const { until } = z.object({ until: z.string() }).parse(waiting?.detail);
    expect(Math.abs(Date.parse(until) - due)).toBeLessThan(5_000);
    await sandbox.settings({ youtube_uploads_per_day: 1 });
    await queuesIdle(4 * HOUR_MS);
    expect(await findPost(home.project, id)).toMatchObject({ STATUS: "published" });
  });
});
