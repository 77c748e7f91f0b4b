import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { facebook } from "../../src/platforms/facebook/index.ts";
import { homeOn, settings } from "../contract/world.ts";
import {
  answersTo,
  commentsOn,
  entryOf,
  logOf,
  makeBot,
  messagesOn,
  minutes,
  platformIdOf,
} from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, MINUTE } from "../support/times.ts";
import { type ChannelRef, createPost, type Project, projectWith } from "../support/world.ts";

/**
 * Which comments are answered, by which words, and what the log shows of the others. On Facebook, which
 * supports everything.
 */

interface Live {
  readonly project: Project;
  readonly channel: ChannelRef<"facebook">;
  readonly postId: number;
  readonly platformId: string;
}

async function begin(): Promise<Live> {
  const { project, channel } = await projectWith("facebook");
  const postId = await createPost(project, channel, { caption_text: `A post ${crypto.randomUUID()}` });
  await queuesIdle();
  return { project, channel, postId, platformId: await platformIdOf(postId) };
}

let live: Live;
let sole: Live["project"];
beforeAll(async () => {
  await settings({ facebook_short_pages: false });
  live = await begin();
  sole = live.project;
});
afterEach(async () => {
  const bots = z.object({ comment_bots: z.looseObject({ data: z.array(z.looseObject({ id: z.number() })) }) });
  const { body } = await sole.call("GET", "/social/get-comment-automations?limit=100");
  for (const { id } of bots.parse(body).comment_bots.data) {
    await sole.call("DELETE", `/social/delete-comment-automation/${id}`);
  }
});

const write = (text: string, author = "Ada Reader", { platformId } = live) =>
  sandbox.comment("facebook", platformId, text, author);
/** Made a little later than whatever was written before. */
async function bot(body: Record<string, unknown> = {}) {
  await advance(5_000);
  return makeBot(live.project, [live.channel], body);
}

describe("keywords", () => {
  test.for([
    ["preis", "Was ist der PREIS?"],
    ["PRIX", "Les prix, s'il vous plaît"],
    ["como", "¿Cómo lo compro?"],
    ["ｐｒｉｃｅ", "price?"],
    ["how much", "So HOW   MUCH is it"],
    ["价格", "请问价格是多少"],
    ["👍", "yes👍👍"],
    ["straße", "Welche STRASSE?"],
  ] as const)("“%s” is in “%s”", async ([keyword, text]) => {
    const { id } = await bot({ trigger_type: "keywords", keywords: ["never", keyword] });
    const comment = await write(text);
    await minutes(1);
    expect(await logOf(sole, id)).toMatchObject([{ outcome: "replied", keyword, comment: { text } }]);
    expect(await answersTo("facebook", comment)).toEqual(["Thank you!"]);
  });

  test.for([
    ["price", "You are priceless"],
    ["art", "We started"],
    ["how much", "how very much"],
  ] as const)("“%s” is not in “%s”", async ([keyword, text]) => {
    const { id } = await bot({ trigger_type: "keywords", keywords: [keyword] });
    const comment = await write(text);
    await minutes(1);
    expect(await logOf(sole, id)).toMatchObject([{ outcome: "skipped", reason: "no_keyword", keyword: null }]);
    expect(await answersTo("facebook", comment)).toEqual([]);
  });
});

describe("how often", () => {
  test("once: each person gets one answer, the first that they triggered, also when many comments come at once", async () => {
    const { id } = await bot({ frequency: "once" });
    const first = await write("One", "Ada Reader");
    const second = await write("Two", "Ada Reader");
    const other = await write("Three", "Bo Writer");
    await minutes(2);
    const third = await write("Four", "Ada Reader");
    await minutes(2);
    expect(await answersTo("facebook", first)).toHaveLength(1);
    expect(await answersTo("facebook", other)).toHaveLength(1);
    for (const [comment, text] of [
      [second, "Two"],
      [third, "Four"],
    ] as const) {
      expect(await answersTo("facebook", comment)).toEqual([]);
      expect(await entryOf(sole, id, text)).toMatchObject({ outcome: "skipped", reason: "once_already" });
    }
  });

  test("randomly: half of them, and the same half for every author; the others get the reason", async () => {
    const { id } = await bot({ frequency: "randomly" });
    for (let count = 0; count < 30; count++) await write(`Comment ${count}`, `Person ${count}`);
    await minutes(12);
    const log = await logOf(sole, id);
    expect(log).toHaveLength(30);
    const replied = log.filter(({ outcome }) => outcome === "replied");
    expect(replied.length).toBeGreaterThan(5);
    expect(replied.length).toBeLessThan(25);
    expect(log.filter(({ reason }) => reason === "not_chosen")).toHaveLength(30 - replied.length);
  });
});

describe("what is never answered", () => {
  test("the channel's own comments, answers of this service, what answers a comment, what is older than the bot", async () => {
    const before = await write("Before");
    await advance(MINUTE);
    const { id } = await bot();
    const twin = await bot({ comment_reply: "Me too!" });
    const comment = await write("After");
    const nested = await sandbox.comment("facebook", comment, "In a thread", "Bo Writer");
    await minutes(5);
    expect(await answersTo("facebook", before)).toEqual([]);
    expect((await answersTo("facebook", comment)).toSorted()).toEqual(["In a thread", "Me too!", "Thank you!"]);
    expect(await answersTo("facebook", nested)).toEqual([]);
    for (const one of [id, twin.id]) {
      const log = await logOf(sole, one);
      expect(log.map(({ comment: { text }, outcome, reason }) => [text, outcome, reason]).toSorted()).toEqual(
        [
          ["After", "replied", null],
          ["In a thread", "skipped", "in_a_thread"],
        ].toSorted(),
      );
    }
  });

  test("our own first comment, where the platform does not show who wrote it", async () => {
    const text = uniquely("The link is here");
    const { id } = await bot();
    await createPost(live.project, live.channel, { caption_text: uniquely("x"), first_comment: text });
    await queuesIdle();
    await minutes(3);
    expect(await logOf(sole, id)).toEqual([]);
    expect((await commentsOn("facebook")).filter((one) => one.text === text)).toHaveLength(1);
  });

  test("what comes to light more than a week after it was written", async () => {
    const late = await begin();
    const { id } = await makeBot(late.project, [late.channel]);
    const comment = await write("Held back", "Ada Reader", late);
    await advance(8 * DAY);
    await minutes(2);
    expect(await logOf(late.project, id)).toMatchObject([{ outcome: "skipped", reason: "too_old" }]);
    expect(await answersTo("facebook", comment)).toEqual([]);
  });
});

describe("posts", () => {
  test("that go live after the bot was made are watched; others than the chosen ones are not", async () => {
    const all = await bot({ comment_reply: "All" });
    const chosen = await bot({ target_type: "posts", post_ids: [live.postId], comment_reply: "Chosen" });
    const later = await createPost(live.project, live.channel, { caption_text: uniquely("Later") });
    await queuesIdle();
    const there = await write("On the first");
    const here = await sandbox.comment("facebook", await platformIdOf(later), "On the second");
    await minutes(3);
    expect((await answersTo("facebook", there)).toSorted()).toEqual(["All", "Chosen"]);
    expect(await answersTo("facebook", here)).toEqual(["All"]);
    expect(await logOf(sole, chosen.id)).toHaveLength(1);
    expect(await logOf(sole, all.id)).toHaveLength(2);
  });

  test("one fetch serves all bots of a post", async () => {
    for (let count = 0; count < 5; count++) await bot({ comment_reply: `Bot ${count}` });
    await minutes(1);
    const seen = z.array(z.looseObject({ id: z.number(), path: z.string(), method: z.string() }));
    const last = seen.parse(await sandbox.control("GET", "calls?platform=facebook")).at(-1)?.id ?? 0;
    await advance(MINUTE);
    await cron();
    await queuesIdle(1_000);
    const calls = seen.parse(await sandbox.control("GET", "calls?platform=facebook")).filter(({ id }) => id > last);
    const read = calls.filter(({ path, method }) => method === "GET" && path.includes(`${live.platformId}/comments`));
    expect(read).toHaveLength(1);
  });
});

describe("times", () => {
  test("a delay counts from the comment, and may be a week", async () => {
    const { id } = await bot({ response_time: "delayed", delay_time: 600, comment_reply: "Later" });
    const week = await bot({ response_time: "delayed", delay_time: 604_800, comment_reply: "In a week" });
    const comment = await write("When?");
    await minutes(8);
    expect(await answersTo("facebook", comment)).toEqual([]);
    expect(await entryOf(sole, id, "When?")).toMatchObject({ outcome: "waiting", comment_reply: { state: "waiting" } });
    await minutes(4);
    expect(await answersTo("facebook", comment)).toEqual(["Later"]);
    await advance(7 * DAY - 20 * MINUTE);
    await minutes(2);
    expect(await answersTo("facebook", comment)).toEqual(["Later"]);
    await minutes(25);
    expect(await answersTo("facebook", comment)).toEqual(["Later", "In a week"]);
    expect(await entryOf(sole, week.id, "When?")).toMatchObject({ outcome: "replied" });
  });
});

describe("the two parts of a reply", () => {
  test("a private one goes to the author who wrote it, once; the log has texts, ids and times of both", async () => {
    const { id } = await bot({ response_type: "both", direct_message: uniquely("Here it is") });
    const comment = await write("Both?", "Dee Writer");
    await minutes(2);
    const entry = await entryOf(sole, id, "Both?");
    const sentAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/);
    const nothing = { reason: null, message: null };
    expect(entry).toMatchObject({
      outcome: "replied",
      comment: { id: comment, author: "Dee Writer" },
      comment_reply: { state: "sent", text: "Thank you!", id: expect.any(String), sent_at: sentAt, ...nothing },
      direct_message: { state: "sent", id: expect.any(String), sent_at: sentAt, ...nothing },
    });
    const [message, ...more] = (await messagesOn("facebook")).filter((one) => one.text === entry.direct_message?.text);
    expect([message?.id, more]).toEqual([entry.direct_message?.id, []]);
    const [answer] = (await commentsOn("facebook")).filter(({ reply_to }) => reply_to === comment);
    expect(answer?.id).toBe(entry.comment_reply?.id);
  });

  test("one with an unknown outcome leaves the other alone, and is reported as such", async () => {
    const { id } = await bot({ response_type: "both", frequency: "once", direct_message: uniquely("Private") });
    for (const [operation, good, bad] of [
      ["message", "comment_reply", "direct_message"],
      ["reply", "direct_message", "comment_reply"],
    ] as const) {
      const [text, author] = [`Without ${operation}`, `Somebody ${operation}`];
      await sandbox.fault("facebook", operation, "error", 500);
      await write(text, author);
      await minutes(5);
      expect(await entryOf(sole, id, text)).toMatchObject({ outcome: "waiting", [good]: { state: "sent" } });
      for (let left = 12; left > 0; left--) {
        await advance(5 * MINUTE);
        await minutes(1);
      }
      await sandbox.control("POST", "faults", { platform: "facebook", operation, kind: "error", times: 0 });
      expect(await entryOf(sole, id, text)).toMatchObject({
        outcome: "partly_replied",
        reason: "may_be_published",
        message: expect.stringMatching(/^Answered in part: /),
        [good]: { state: "sent" },
        [bad]: { state: "not_sent", reason: "may_be_published", text: null },
      });
    }
  });
});

describe("X", () => {
  let home: Awaited<ReturnType<typeof homeOn>>;
  let platformId: string;
  beforeAll(async () => {
    home = await homeOn("twitter");
    const post = await createPost(home.project, home.channel, { caption_text: uniquely("x") });
    await queuesIdle();
    platformId = await platformIdOf(post);
  });
  const say = (text: string, author: string) => sandbox.comment("twitter", platformId, text, author);

  test("takes no text of an account twice: a repeated answer names its reader, or fails with its reason", async () => {
    const text = uniquely("Thanks a lot");
    const { id } = await makeBot(home.project, [home.channel], {
      comment_reply: text,
      response_type: "both",
      direct_message: uniquely("Hi"),
    });
    const first = await say("One", "ada_reader");
    await minutes(3);
    const second = await say("Two", "bo_writer");
    await minutes(3);
    await say("Three", "bo_writer");
    await minutes(3);
    expect(await answersTo("twitter", first)).toEqual([text]);
    expect(await answersTo("twitter", second)).toEqual([`@bo_writer ${text}`]);
    expect(await entryOf(home.project, id, "Two")).toMatchObject({
      outcome: "replied",
      comment_reply: { text: `@bo_writer ${text}` },
    });
    await minutes(20);
    expect(await entryOf(home.project, id, "Three")).toMatchObject({
      outcome: "partly_replied",
      reason: "duplicate",
      comment_reply: { state: "not_sent", reason: "duplicate" },
      direct_message: { state: "sent" },
    });
    await home.project.call("DELETE", `/social/delete-comment-automation/${id}`);
  });

  test("once: whose comment was surely not answered is answered by the next one", async () => {
    const { id } = await makeBot(home.project, [home.channel], {
      frequency: "once",
      response_type: "direct_message",
      direct_message: uniquely("Hi"),
    });
    await settings({ twitter_receives_dm: false });
    await say("In vain", "cy_writer");
    await minutes(3);
    await settings({ twitter_receives_dm: true });
    expect(await entryOf(home.project, id, "In vain")).toMatchObject({
      outcome: "failed",
      comment_reply: null,
      direct_message: { state: "not_sent" },
    });
    await say("Again", "cy_writer");
    await minutes(3);
    expect(await entryOf(home.project, id, "Again")).toMatchObject({ outcome: "replied" });
    await home.project.call("DELETE", `/social/delete-comment-automation/${id}`);
  });
});

describe("a burst", () => {
  test("of comments is answered in its turn: no minute holds more than is wise, and none is left out", async () => {
    const burst = await begin();
    const { id } = await makeBot(burst.project, [burst.channel], { comment_reply: uniquely("In turn") });
    const count = 60;
    for (let index = 0; index < count; index++) await write(`Me ${index}`, `Person ${index}`, burst);
    const { pace } = facebook.comments;
    await minutes(1);
    // Each comes at its own moment.
    await queuesIdle(10 * MINUTE);
    const times = (await commentsOn("facebook"))
      .filter(({ text }) => text.startsWith("In turn"))
      .map(({ created_at }) => Date.parse(String(created_at)))
      .toSorted((a, b) => a - b);
    expect(times).toHaveLength(count);
    const windows = times.map((from) => times.filter((at) => at >= from && at < from + pace.perSeconds * 1_000).length);
    expect(Math.max(...windows)).toBeLessThanOrEqual(pace.most);
    expect(new Set((await logOf(burst.project, id)).map(({ outcome }) => outcome))).toEqual(new Set(["replied"]));
  });
});
