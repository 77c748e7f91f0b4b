import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { accountsOf } from "../support/accounts.ts";
import { commentsOn, entryOf, logOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { type ChannelRef, createPost, type Project, projectWith } from "../support/world.ts";

/** Spec 2.7, 2.8 and 4.8 to 4.11, and the extensions beside them, at the front door. */
let project: Project;
let page: ChannelRef<"facebook">;
let foreign: { readonly project: Project; readonly channel: ChannelRef<"facebook"> };
let live: number;
// Anew for each group of tests: a token may do so much in a minute.
beforeAll(begin);
async function begin(): Promise<void> {
  ({ project, channel: page } = await projectWith("facebook", undefined, { timeZone: "America/New_York" }));
  foreign = await projectWith("facebook");
  live = await createPost(project, page, { caption_text: "A post" });
  await queuesIdle();
}

const FORM = { name: "A bot", ai_enable: "no" };
const create = (body: Record<string, unknown>, on = project) =>
  on.call("POST", "/social/create-comment-automation", { body });
const get = (id: number | string, on = project) => on.call("GET", `/social/get-comment-automation/${id}`);
const update = (id: number | string, body: unknown, on = project) =>
  on.call("PUT", `/social/update-comment-automation/${id}`, { body });
const remove = (id: number | string, on = project) => on.call("DELETE", `/social/delete-comment-automation/${id}`);

const Errors = z.object({ code: z.string(), errors: z.record(z.string(), z.array(z.string())) });
const DATE =
  /^(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4} \d{1,2}:\d\d [AP]M$/;

describe("a new automation", () => {
  test("is answered with the fields of the specification and no others", async () => {
    const { status, body } = await create({
      ...FORM,
      name: "Prices",
      channels: [page.channel_id],
      trigger_type: "keywords",
      keywords: ["price", "how much"],
      response_type: "both",
      comment_reply: "See your inbox",
      direct_message: "Here it is",
      response_time: "delayed",
      delay_time: 90,
      frequency: "once",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      message: "The comment automation is active.",
      comment_bot: {
        name: "Prices",
        trigger_type: "keywords",
        response: { comment_responses: ["See your inbox"], dm_responses: "Here it is" },
        response_type: "both",
        response_time: "delayed",
        delay_time: 90,
        reply_frequency: "once",
        status: "active",
        channels: [page.channel_id],
        updated_at: expect.stringMatching(DATE),
        created_at: expect.stringMatching(DATE),
        id: expect.any(Number),
        ai_enable: "no",
      },
      status: true,
    });
  });

  test("has the defaults of the specification", async () => {
    const { body } = await create({ name: "Plain", channels: [page.channel_id], ai_settings: {} });
    const { comment_bot } = z.object({ comment_bot: z.object({ id: z.number() }) }).parse(body);
    const { body: found } = await get(comment_bot.id);
    expect(found).toEqual({
      comment_bot: {
        id: comment_bot.id,
        name: "Plain",
        trigger_type: "any",
        triggers: null,
        response_type: "both",
        reply_frequency: "everytime",
        response_time: "instant",
        delay_time: 0,
        status: "active",
        channels: [page.channel_id],
        next_call_time_stamp: expect.stringMatching(/^\d{10}$/),
        created_at: expect.stringMatching(DATE),
        updated_at: expect.stringMatching(DATE),
        response: { comment_responses: [], dm_responses: "" },
        ai_enable: "yes",
        ai_settings: {},
      },
      status: true,
    });
  });

  test("shows its time in the project's zone", async () => {
    const { id } = await makeBot(project, [page]);
    await env.DB.prepare("UPDATE automations SET created_at = ? WHERE id = ?")
      .bind(Date.UTC(2030, 2, 5, 14, 5), id)
      .run();
    expect((await get(id)).body).toMatchObject({ comment_bot: { created_at: "March 5, 2030 9:05 AM" } });
    const other = await makeBot(foreign.project, [foreign.channel]);
    await env.DB.prepare("UPDATE automations SET created_at = ? WHERE id = ?")
      .bind(Date.UTC(2030, 11, 31, 0, 0), other.id)
      .run();
    expect((await get(other.id, foreign.project)).body).toMatchObject({
      comment_bot: { created_at: "December 31, 2030 12:00 AM" },
    });
  });

  test("keeps the six settings of its model, of which each may be left out", async () => {
    const ai_settings = {
      response_tone: "empathetic",
      response_length: "very short",
      ai_personality: "customer support",
      creativity_level: "highly creative",
      language_style: "technical",
      emoji_usage: "abundant",
    };
    const body = { name: "Clever", channels: [page.channel_id], ai_enable: "yes" };
    for (const given of [ai_settings, { emoji_usage: "none" }, {}]) {
      const made = await create({ ...body, ai_settings: given });
      const { id } = z.object({ comment_bot: z.object({ id: z.number() }) }).parse(made.body).comment_bot;
      expect((await get(id)).body).toMatchObject({ comment_bot: { ai_enable: "yes", ai_settings: given } });
    }
  });

  test("is made once for one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = { ...FORM, channels: [page.channel_id], comment_reply: "Once" };
    const send = (more = {}) =>
      project.call("POST", "/social/create-comment-automation", { body: { ...body, ...more }, headers });
    const first = await send();
    expect(first.status).toBe(200);
    expect((await send()).body).toEqual(first.body);
    expect((await send({ name: "Another" })).status).toBe(422);
  });

  test.for<[string, Record<string, unknown>, string, RegExp]>([
    ["no name", { name: undefined }, "name", /required/],
    ["a blank name", { name: " " }, "name", /blank/],
    ["no channels", { channels: [] }, "channels", /at least 1/],
    ["channels that are no ids", { channels: ["x"] }, "channels.0", /whole number/],
    ["another project's channel", { channels: [0] }, "channels.0", /greater|positive|at least|more than/],
    ["posts without ids", { target_type: "posts" }, "post_ids", /required when target_type is posts/],
    ["campaigns without ids", { target_type: "campaigns" }, "campaign_ids", /required when target_type is campaigns/],
    ["an unknown target", { target_type: "some" }, "target_type", /all, posts or campaigns|one of/],
    ["no keywords", { trigger_type: "keywords" }, "keywords", /required when trigger_type is keywords/],
    ["blank keywords", { trigger_type: "keywords", keywords: [" "] }, "keywords.0", /blank/],
    ["an unknown trigger", { trigger_type: "mood" }, "trigger_type", /./],
    ["an unknown response", { response_type: "mail" }, "response_type", /./],
    ["an unknown time", { response_time: "soon" }, "response_time", /./],
    ["no delay", { response_time: "delayed" }, "delay_time", /required when response_time is delayed/],
    ["more than a week", { response_time: "delayed", delay_time: 604_801 }, "delay_time", /604,?800/],
    ["a negative delay", { response_time: "delayed", delay_time: -1 }, "delay_time", /./],
    ["an unknown frequency", { frequency: "daily" }, "frequency", /./],
    ["a model without settings", { ai_enable: "yes" }, "ai_settings", /required unless ai_enable is no/],
    ["an unknown tone", { ai_enable: "yes", ai_settings: { response_tone: "rude" } }, "ai_settings.response_tone", /./],
    ["a text that no platform takes", { comment_reply: "x".repeat(8_001) }, "comment_reply", /8,000/],
    ["a message that is too long", { direct_message: "ü".repeat(2_001) }, "direct_message", /at most/],
    [
      "a campaign that is not there",
      { target_type: "campaigns", campaign_ids: [1] },
      "campaign_ids.0",
      /campaign of this project/,
    ],
    ["a post that is not there", { target_type: "posts", post_ids: [999_999] }, "post_ids.0", /published post/],
  ])("with %s is refused by its field", async ([, change, field, sentence]) => {
    const { status, body } = await create({ ...FORM, channels: [page.channel_id], ...change });
    expect(status).toBe(422);
    expect(Errors.parse(body).errors[field]?.[0]).toMatch(sentence);
  });

  test("of another project's channel or post is refused as of none", async () => {
    const theirs = await create({ ...FORM, channels: [foreign.channel.channel_id] });
    const none = await create({ ...FORM, channels: [999_999] });
    expect([theirs.status, none.status]).toEqual([422, 422]);
    const sentence = (body: unknown) => Errors.parse(body).errors["channels.0"]?.[0]?.replace(/\d+:/, "N:");
    expect(sentence(theirs.body)).toBe(sentence(none.body));
    const post = await createPost(foreign.project, foreign.channel, { caption_text: "Theirs" });
    const target = { ...FORM, channels: [page.channel_id], target_type: "posts", post_ids: [post] };
    expect(Errors.parse((await create(target)).body).errors["post_ids.0"]?.[0]).toMatch(
      /^post_ids.0 must be a published post/,
    );
  });

  test("for a post of another channel, or one that is not live, is refused", async () => {
    const later = { caption_text: "x", publish_mode: "scheduled", schedule_time: "2031-01-01 10:00", time_zone: "UTC" };
    const answer = await project.call("POST", "/social/create-post", {
      body: { ...page, post_type: "post", media_urls: [], ...later },
    });
    const scheduled = z.object({ data: z.object({ post_id: z.number() }) }).safeParse(answer.body).data?.data.post_id;
    expect(scheduled, JSON.stringify(answer.body)).toBeDefined();
    const target = { ...FORM, channels: [page.channel_id], target_type: "posts" };
    const refused = await create({ ...target, post_ids: [live, scheduled] });
    expect(refused.status).toBe(422);
    expect(Object.keys(Errors.parse(refused.body).errors)).toEqual(["post_ids.1"]);
    const [x = 0] = await project.connect("twitter", ["2244990001"]);
    const elsewhere = await create({ ...target, channels: [x], post_ids: [live] });
    expect(Errors.parse(elsewhere.body).errors["post_ids.0"]?.[0]).toContain(`which is of channel ${page.channel_id}`);
  });

  test("without words says that it will stay silent", async () => {
    const silent = await makeBot(project, [page], { comment_reply: undefined, response_type: "both" });
    expect(silent.message).toBe(
      "The comment automation is active. It will stay silent: it has no comment_reply and no direct_message, and ai_enable is no.",
    );
    const half = await makeBot(project, [page], { response_type: "both" });
    expect(half.message).toContain("It will send no direct message: it has no direct_message, and ai_enable is no.");
  });
});

describe("the list", () => {
  test("is paged, newest first by default, with addresses that keep the query", async () => {
    const { project: own, channel } = await projectWith("facebook");
    const ids: number[] = [];
    for (let count = 0; count < 12; count++) ids.push((await makeBot(own, [channel], { name: `Bot ${count}` })).id);
    const Page = z.object({
      comment_bots: z.looseObject({ data: z.array(z.looseObject({ id: z.number() })), total: z.number() }),
      status: z.literal(true),
    });
    const list = async (query: string) =>
      Page.parse((await own.call("GET", `/social/get-comment-automations${query}`)).body).comment_bots;
    const first = await list("");
    expect(first.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10));
    expect(first).toMatchObject({ current_page: 1, per_page: 10, total: 12, last_page: 2, from: 1, to: 10 });
    const second = await list("?page=2&limit=5&sort_by=asc");
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(5, 10));
    expect(second.prev_page_url).toMatch(/\/social\/get-comment-automations\?page=1&limit=5&sort_by=asc$/);
    expect(second.next_page_url).toMatch(/\?page=3&limit=5&sort_by=asc$/);
    await remove(ids[0] ?? 0, own);
    expect((await list("?page=9")).total).toBe(11);
    for (const query of ["?limit=0", "?page=x", "?sort_by=name"]) {
      expect((await own.call("GET", `/social/get-comment-automations${query}`)).status).toBe(422);
    }
    const { data } = await list("?limit=1");
    expect(data[0]).toEqual((await get(data[0]?.id ?? 0, own)).body && expect.objectContaining({ name: "Bot 11" }));
  });
});

describe("one that is another project's, deleted or never was", () => {
  beforeAll(begin);
  test.for(["another's", "deleted", "999999", "0", "x", "1e3", "９"])("%s is absent everywhere", async (which) => {
    const known =
      which === "another's"
        ? (await makeBot(foreign.project, [foreign.channel])).id
        : which === "deleted"
          ? (await makeBot(project, [page])).id
          : which;
    if (which === "deleted") {
      expect(await remove(known)).toMatchObject({
        status: 200,
        body: { message: "The comment automation “A bot” was deleted.", status: true },
      });
    }
    const answers = [
      await get(known),
      await update(known, { name: "New" }),
      await remove(known),
      await project.call("GET", `/social/get-comment-automation-replies/${known}`),
      await project.call("POST", `/social/test-comment-automation/${known}`, { body: { text: "Hi" } }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, body: { status: false, code: "not_found" } });
  });
});

describe("an update", () => {
  beforeAll(begin);
  test("changes what it names, and nothing else", async () => {
    const { id } = await makeBot(project, [page], { direct_message: "Hi", response_type: "both" });
    const before = z.object({ comment_bot: z.looseObject({}) }).parse((await get(id)).body).comment_bot;
    const changed = await update(id, {
      name: "Renamed",
      trigger_type: "keywords",
      keywords: ["a", "b"],
      direct_message: null,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        message: expect.stringMatching(/^The comment automation is active\. It will send no direct message/),
        comment_bot: {
          ...before,
          name: "Renamed",
          trigger_type: "keywords",
          triggers: ["a", "b"],
          response: { comment_responses: ["Thank you!"], dm_responses: "" },
          updated_at: expect.stringMatching(DATE),
          next_call_time_stamp: expect.any(String),
        },
      },
    });
    expect((await update(id, { trigger_type: "any" })).body).toMatchObject({ comment_bot: { triggers: null } });
  });

  test("stops it and starts it", async () => {
    const { id } = await makeBot(project, [page]);
    expect(await update(id, { status: "stopped" })).toMatchObject({
      status: 200,
      body: {
        message: "The comment automation is stopped.",
        comment_bot: { status: "stopped", next_call_time_stamp: "0" },
      },
    });
    expect(await update(id, { status: "active" })).toMatchObject({
      body: { message: "The comment automation is active.", comment_bot: { status: "active" } },
    });
  });

  test("that leaves it without what it needs, or names what it has not, is refused", async () => {
    const { id } = await makeBot(project, [page]);
    const cases: readonly [unknown, string][] = [
      [{ trigger_type: "keywords" }, "keywords"],
      [{ response_time: "delayed" }, "delay_time"],
      [{ target_type: "posts" }, "post_ids"],
      [{ ai_enable: "yes" }, "ai_settings"],
      [{ channels: [999_999] }, "channels.0"],
      [{ name: null }, "body"],
      [{ status: "paused" }, "status"],
      [{ colour: "red" }, "colour"],
    ];
    for (const [body, field] of cases) {
      const answer = await update(id, body);
      expect([answer.status, Object.keys(Errors.parse(answer.body).errors)]).toEqual([422, [field]]);
    }
    expect((await update(id, {})).status).toBe(422);
  });

  test("many at once all take effect, one after the other", async () => {
    // Of its own, so that the limiter has nothing to say.
    const { project: own, channel } = await projectWith("facebook");
    const { id } = await makeBot(own, [channel]);
    const changes = [{ name: "Two" }, { comment_reply: "Three" }, { frequency: "once" }, { response_type: "both" }];
    const answers = await Promise.all(changes.map((change) => update(id, change, own)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get(id, own)).body).toMatchObject({
      comment_bot: {
        name: "Two",
        response: { comment_responses: ["Three"] },
        reply_frequency: "once",
        response_type: "both",
      },
    });
  });
});

describe("a channel that lacks what the bot needs", () => {
  test("is reported when the bot is made, with an address to connect it again", async () => {
    const { project: own, channel } = await projectWith("tiktok");
    const { message } = await makeBot(own, [channel], { response_type: "both", direct_message: "Hi" });
    expect(message).toMatch(
      /“Answer comments too” selected.* Within \d+ minutes here: https:\/\/belfry\.test\/connect\/\w+/,
    );
    expect(message).toContain("There are no direct messages on");
  });

  test("can do nothing about it on a person's LinkedIn profile, and on a platform without messages", async () => {
    const person = (await accountsOf("linkedin")).find((id) => id.includes("person"));
    const { project: own, channel } = await projectWith("linkedin", person);
    const { message } = await makeBot(own, [channel]);
    expect(message).toMatch(/^The comment automation is active\. .*LinkedIn/);
    expect(message).not.toContain("/connect/");
    const [youtube = 0] = await own.connect("youtube");
    const silent = await makeBot(own, [{ channel_type: "youtube", channel_id: youtube }], {
      response_type: "direct_message",
      direct_message: "Hi",
    });
    expect(silent.message).toMatch(/There are no direct messages on .* \(youtube\): nothing is answered there\.$/);
  });
});

describe("a trial", () => {
  beforeAll(begin);
  const Trial = z.object({
    test: z.looseObject({
      would_reply: z.boolean(),
      reason: z.string().nullable(),
      message: z.string(),
      keyword: z.string().nullable(),
      channels: z.array(
        z.object({
          channel_id: z.number(),
          channel_type: z.string(),
          comment_reply: z.string().nullable(),
          direct_message: z.string().nullable(),
          notes: z.array(z.string()),
        }),
      ),
    }),
  });
  const trial = async (id: number, body: unknown) =>
    Trial.parse((await project.call("POST", `/social/test-comment-automation/${id}`, { body })).body).test;

  test("reports what would be answered, or why nothing, and sends nothing", async () => {
    const before = [await commentsOn("facebook"), await sandbox.control("GET", "messages")];
    const { id } = await makeBot(project, [page], {
      trigger_type: "keywords",
      keywords: ["Preis"],
      direct_message: "12 €",
      response_type: "both",
      response_time: "delayed",
      delay_time: 60,
    });
    expect(await trial(id, { text: "Was ist der PREIS?", author: "Ada" })).toEqual({
      would_reply: true,
      reason: null,
      message: "It would answer.",
      keyword: "Preis",
      delay_time: 60,
      channels: [
        {
          channel_id: page.channel_id,
          channel_type: "facebook",
          comment_reply: "Thank you!",
          direct_message: "12 €",
          notes: [],
        },
      ],
    });
    expect(await trial(id, { text: "Hello" })).toMatchObject({
      would_reply: false,
      reason: "no_keyword",
      channels: [],
    });
    await update(id, { status: "stopped" });
    expect(await trial(id, { text: "Preis" })).toMatchObject({ would_reply: false, reason: "stopped" });
    expect([await commentsOn("facebook"), await sandbox.control("GET", "messages")]).toEqual(before);
    expect(await logOf(project, id)).toEqual([]);
  });

  test("of a comment that is none is refused", async () => {
    const { id } = await makeBot(project, [page]);
    for (const body of [{}, { text: " " }, { text: 7 }, { text: "x".repeat(10_001) }, { text: "x", author: "" }]) {
      expect((await project.call("POST", `/social/test-comment-automation/${id}`, { body })).status).toBe(422);
    }
  });
});

describe("the log", () => {
  test("is paged from the newest on, and shows another project nothing", async () => {
    const { project: own, channel } = await projectWith("facebook");
    const post = await createPost(own, channel, { caption_text: "Logged" });
    await queuesIdle();
    const { id } = await makeBot(own, [channel], { trigger_type: "keywords", keywords: ["never said"] });
    const platformId = await platformIdOf(post);
    for (let count = 0; count < 12; count++) await sandbox.comment("facebook", platformId, `Comment ${count}`);
    await minutes(2);
    const Page = z.object({
      replies: z.object({
        data: z.array(z.looseObject({ id: z.number(), outcome: z.string(), reason: z.string().nullable() })),
        next_cursor: z.string().nullable(),
        next_page_url: z.string().nullable().optional(),
      }),
    });
    const read = async (query: string) =>
      Page.parse((await own.call("GET", `/social/get-comment-automation-replies/${id}${query}`)).body).replies;
    const first = await read("");
    expect(first.data).toHaveLength(10);
    const rest = await read(`?cursor=${first.next_cursor}`);
    expect(rest.data).toHaveLength(2);
    expect(rest.next_cursor).toBeNull();
    const all = [...first.data, ...rest.data];
    expect(new Set(all.map((one) => one.id)).size).toBe(12);
    expect(all.every((one) => one.outcome === "skipped" && one.reason === "no_keyword")).toBe(true);
    expect(await entryOf(own, id, "Comment 3")).toMatchObject({
      message: "None of the keywords is in the comment.",
      comment: { author: "Ada Reader" },
      comment_reply: null,
      direct_message: null,
    });
    for (const query of ["?cursor=x", "?limit=0", "?limit=101"]) {
      expect((await own.call("GET", `/social/get-comment-automation-replies/${id}${query}`)).status).toBe(422);
    }
    const events = await own.call("GET", "/social/get-channels");
    expect(events.status).toBe(200);
  });
});
