import { describe, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { CONSOLE_URL, filled, formTo, newEmail, post, signedIn } from "../console-browser.ts";
import { open, postsOf, send, text, writer } from "./writer.ts";

/** Writing posts in the console, through its forms. */

describe("the form of a new post", () => {
  test("creates one post a channel, each with its own text", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    const [facebook = 0, twitter = 0] = here.channels;
    const answer = await send(here.browser, await open(here), {
      channel: [String(facebook), String(twitter)],
      caption_text: "Saffron buns are back, and this sentence is for those with time to read.",
      [`caption_text.${twitter}`]: "Saffron buns!",
      publish_mode: "draft",
    });
    expect(text(answer)).toContain("2 posts were created.");
    const posts = await postsOf(here);
    expect(posts.map(({ channel_id, caption_text, STATUS }) => [channel_id, caption_text, STATUS]).toSorted()).toEqual(
      [
        [String(facebook), "Saffron buns are back, and this sentence is for those with time to read.", "draft"],
        [String(twitter), "Saffron buns!", "draft"],
      ].toSorted(),
    );
  });

  test("publishes once, however often it is sent", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await open(here);
    const values = { channel: String(here.channels[0]), caption_text: "Once.", publish_mode: "now" };
    const answers = await Promise.all([1, 2, 3].map(() => send(here.browser, page, values)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(text(await send(here.browser, page, values))).toContain("One post was created.");
    await queuesIdle();
    expect((await postsOf(here)).map(({ STATUS }) => STATUS)).toEqual(["published"]);
    const other = await send(here.browser, page, { ...values, caption_text: "Another text." });
    expect([other.status, text(other)]).toEqual([422, expect.stringContaining("This form was sent before")]);
    expect(await postsOf(here)).toHaveLength(1);
  });

  test("schedules in the project's zone", async ({ expect }) => {
    const here = await writer("facebook");
    const values = { channel: String(here.channels[0]), caption_text: "Later.", publish_mode: "scheduled" };
    await send(here.browser, await open(here), { ...values, schedule_time: "2027-07-01T10:00" });
    const posts = await postsOf(here);
    expect(posts.map(({ STATUS, schedule_time, scheduled_at }) => [STATUS, schedule_time, scheduled_at])).toEqual([
      ["scheduled", "2027-07-01 10:00", "2027-07-01T08:00:00.000+00:00"],
    ]);
  });

  test("offers to split a text that one channel refuses, and puts the thread into the form", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    const [facebook = 0, twitter = 0] = here.channels;
    const link = "https://example.com/menu";
    const mark = crypto.randomUUID();
    const long = `${mark} ${"Saffron buns are back. ".repeat(14)}${link}`;
    const values = { channel: [String(facebook), String(twitter)], caption_text: long, publish_mode: "now" };
    const refused = await send(here.browser, await open(here), values);
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining("fits a thread of 2 posts")]);
    expect(refused.html).toContain(`value="${twitter}.numbered"`);
    const split = await send(here.browser, refused, { split: `${twitter}.numbered` }, { to: "/compose/split" });
    expect([split.status, text(split)]).toEqual([
      200,
      expect.stringContaining("Every post can be published as it is."),
    ]);
    await send(here.browser, split, {});
    await queuesIdle();
    expect((await postsOf(here)).map(({ STATUS }) => STATUS)).toEqual(["published", "published"]);
    const live = await sandbox.posts("twitter");
    const items = live.filter((one) => one.text.includes(mark) || one.text.includes("(2/2)")).map((one) => one.text);
    expect(items.some((item) => item.includes(link) || item.includes("https://t.co/"))).toBe(true);
  });

  test("creates nothing if one channel refuses, and says what create-post says", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    const [facebook = 0, twitter = 0] = here.channels;
    const long = "word ".repeat(100).trim();
    const values = { channel: [String(facebook), String(twitter)], caption_text: long, publish_mode: "now" };
    const refused = await send(here.browser, await open(here), values);
    const body = {
      channel_type: "twitter",
      channel_id: twitter,
      post_type: "post",
      media_urls: [],
      publish_mode: "now",
    };
    const said = await here.project.call("POST", "/social/create-post", { body: { ...body, caption_text: long } });
    const { message } = z.object({ message: z.string() }).parse(said.body);
    expect(refused.status).toBe(422);
    expect(text(refused)).toContain(message);
    expect(text(refused)).toContain("Nothing was created");
    expect(refused.html).toContain(long);
    expect(await postsOf(here)).toEqual([]);
  });

  test("says in the person's language what create-post refuses", async ({ expect }) => {
    const here = await writer("twitter");
    const account = await here.browser.go(`${CONSOLE_URL}/account`);
    await here.browser.send(filled(formTo(account, "/language"), { language: "de" }));
    const sent = async (values: Readonly<Record<string, string>>) => {
      const usual = { channel: String(here.channels[0]), caption_text: "Brot", publish_mode: "now" };
      return text(await send(here.browser, await open(here), { ...usual, ...values }));
    };
    expect(await sent({ caption_text: "Brot ".repeat(100).trim() })).toContain("caption_text: Höchstens 280 Zeichen.");
    expect(await sent({ publish_mode: "scheduled", schedule_time: "2020-01-01T10:00" })).toContain(
      "schedule_time: 2020-01-01 10:00 (Europe/Berlin) ist schon vorbei.",
    );
    const repeated = { caption_text: "Brot", publish_mode: "draft" };
    await sent(repeated);
    const values = { channel: String(here.channels[0]), ...repeated, declared: "made_for_kids" };
    const checked = text(await send(here.browser, await open(here), values, { to: "/compose/check" }));
    expect(checked).toContain("declared.made_for_kids: Wird weggelassen: Auf twitter gibt es das");
    expect(checked).toMatch(/caption_text: Wiederholt Beitrag \d+, der in den letzten 24 Stunden/);
    expect(checked).not.toMatch(/is left out|repeats post/);
  });

  test("carries first comment, declarations and alt texts", async ({ expect }) => {
    const here = await writer("facebook");
    await send(here.browser, await open(here), {
      channel: String(here.channels[0]),
      caption_text: "With everything.",
      media_url: "https://media.test/picture.jpg",
      alt_text: "A bun",
      first_comment: "Open from nine.",
      declared: "made_with_ai",
      publish_mode: "draft",
    });
    expect(await postsOf(here)).toMatchObject([
      { first_comment: "Open from nine.", declared: { made_with_ai: true }, alt_texts: ["A bun"] },
    ]);
  });

  test("by an author waits for approval, and so does an editor's on request", async ({ expect }) => {
    const here = await writer("facebook");
    const browser = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    const page = await open({ ...here, browser });
    const values = { channel: String(here.channels[0]), caption_text: "Mine." };
    expect(text(await send(browser, page, { ...values, publish_mode: "now" }))).toContain(
      "One post waits for approval.",
    );
    const own = await send(here.browser, await open(here), { ...values, publish_mode: "queued", approval: "wait" });
    expect(text(own)).toContain("The post waits for approval.");
    expect(text(await send(browser, await open({ ...here, browser }), { ...values, publish_mode: "draft" }))).toContain(
      "One post was created.",
    );
    await queuesIdle();
    const posts = await postsOf(here);
    expect(posts.map(({ STATUS, approval }) => [STATUS, approval?.state])).toEqual([
      ["draft", undefined],
      ["draft", "waiting"],
      ["draft", "waiting"],
    ]);
  });

  test("does not take another project's channel, nor a form without its key", async ({ expect }) => {
    const [here, other] = [await writer("facebook"), await writer("facebook")];
    const page = await open(here);
    const values = { caption_text: "Not here.", publish_mode: "now" };
    const foreign = await send(here.browser, page, { ...values, channel: String(other.channels[0]) });
    expect([foreign.status, text(foreign)]).toEqual([
      404,
      expect.stringContaining("channel must be a connected channel"),
    ]);
    const form = formTo(page, "/compose").fields.find(({ name }) => name === "form")?.value ?? "";
    const keyless = { ...values, form, channel: String(here.channels[0]) };
    expect((await post(here.browser, `/projects/${here.id}/compose`, keyless)).status).toBe(422);
    expect([...(await postsOf(here)), ...(await postsOf(other))]).toEqual([]);
  });
});

describe("Check", () => {
  test("shows the post, its length and its price, and creates nothing", async ({ expect }) => {
    const here = await writer("twitter");
    const values = { channel: String(here.channels[0]), caption_text: "See https://example.com", publish_mode: "now" };
    const page = await send(here.browser, await open(here), values, { to: "/compose/check" });
    expect(page.status).toBe(200);
    expect(text(page)).toContain("The post can be published as it is.");
    expect(page.html).toContain('<b class="link">https://example.com</b>');
    expect(text(page)).toMatch(/27 \/ 280/);
    expect(text(page)).toContain("Costs $0.");
    expect(await postsOf(here)).toEqual([]);
  });
});
