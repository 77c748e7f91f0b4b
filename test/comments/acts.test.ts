import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { callsTo } from "../contract/world.ts";
import { answersTo, commentsOn, makeBot, minutes, settled } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import {
  collect,
  commentOf,
  findComment,
  livePost,
  READING,
  request,
  requested,
  timelineOf,
} from "../support/comments.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";

/** What people and programs do with comments: once each, on every platform, beside bots. */

const Shown = z.looseObject({ id: z.string(), hidden: z.boolean(), liked: z.boolean().optional() });
type Live = Awaited<ReturnType<typeof livePost>>;

/** A comment that was read, with its platform's own id. */
async function newComment(live: Live, words = uniquely("How much?"), count = 4) {
  const shownId = await sandbox.comment(live.channel.channel_type, live.platformId, words, "Ada Reader");
  await minutes(count);
  const { comment_id: id } = await commentOf(live.project, words);
  return { id, shownId };
}

const shown = async (platform: string, id: string) =>
  (await commentsOn(platform)).map((one) => Shown.parse(one)).find((one) => one.id === id);

/** What the sandbox calls the write by which an act is carried out. */
function operationOf(name: string, kind: string): string {
  if (name === "bluesky") return kind === "unlike" ? "delete" : "publish";
  return name === "facebook" && kind === "delete" ? "delete" : "reply";
}

describe.for(READING)("%s", (name) => {
  let live: Live;
  let comment: Awaited<ReturnType<typeof newComment>>;
  beforeAll(async () => {
    await startClean();
    live = await livePost(name);
    await collect(live);
    await advance(3_000);
    comment = await newComment(live);
  });

  test("a reply stands once, although its answer is lost and its request is repeated", async () => {
    const text = uniquely("Five euros");
    await sandbox.fault(name, operationOf(name, "reply"), "accept_then_drop", 1);
    const first = await requested(live.project, comment.id, "reply", { text, key: "once" });
    const again = await request(live.project, comment.id, "reply", { text, key: "once" });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.body).toMatchObject({ act: { act_id: first.act_id } });
    await queuesIdle(DAY);
    expect(await sandbox.faults()).toEqual([]);
    expect(await answersTo(name, comment.shownId)).toEqual([expect.stringContaining(text)]);
    const { comment: seen, acts } = await findComment(live.project, comment.id);
    expect(acts).toMatchObject([{ act: "reply", state: "done", platform_id: expect.any(String) }]);
    expect(seen).toMatchObject({ state: "answered", answered_at: expect.any(String) });
    const timeline = await timelineOf(live.project, comment.id);
    expect([timeline[0], timeline.at(-1)]).toEqual(["comment.received", "comment.replied"]);
    expect(timeline.filter((type) => type === "comment.received")).toHaveLength(1);
  });

  const acts = platforms[name]?.comments?.acts;
  const offered = {
    hide: acts?.hide,
    unhide: acts?.hide,
    like: acts?.like,
    unlike: acts?.like,
    delete: acts?.remove,
  } as const;

  test.for(Object.entries(offered) as [keyof typeof offered, string | object][])(
    "%s is done, twice without harm, or refused with the reason",
    async ([kind, act]) => {
      if (typeof act === "string") {
        const { status, body } = await request(live.project, comment.id, kind);
        expect([status, body]).toEqual([
          422,
          expect.objectContaining({ code: "unsupported_by_platform", message: act }),
        ]);
        return;
      }
      await sandbox.fault(name, operationOf(name, kind), "error", 1);
      await requested(live.project, comment.id, kind);
      await requested(live.project, comment.id, kind === "delete" ? "like" : kind).catch(() => null);
      await queuesIdle(DAY);
      expect(await sandbox.faults()).toEqual([]);
      const { comment: seen, acts: done } = await findComment(live.project, comment.id);
      expect(done.find((one) => one.act === kind)).toMatchObject({ state: "done", message: "Done." });
      const there = await shown(name, comment.shownId);
      switch (kind) {
        case "hide":
        case "unhide":
          expect([seen.hidden, there?.hidden]).toEqual([kind === "hide", kind === "hide"]);
          break;
        case "like":
        case "unlike":
          expect([seen.liked, there?.liked]).toEqual([kind === "like", kind === "like"]);
          break;
        case "delete": {
          expect([seen.state, seen.deleted_at, there?.hidden ?? true]).toEqual(["done", expect.any(String), true]);
          const late = await request(live.project, comment.id, "reply", { text: "Too late" });
          expect([late.status, late.body]).toEqual([422, expect.objectContaining({ code: "not_changeable" })]);
        }
      }
    },
  );
});

describe("beside bots", () => {
  let live: Live;
  beforeEach(async () => {
    await startClean();
    live = await livePost("facebook", await sandbox.addAccount("facebook", uniquely("Busy")));
  });

  const writes = async () => (await callsTo("facebook")).filter(({ operation }) => operation === "reply").length;

  test("a person and a bot that answer with the same words at the same moment are both heard, once each", async () => {
    await makeBot(live.project, [live.channel], { comment_reply: "Thank you!" });
    await minutes(1);
    await sandbox.fault("facebook", "reply", "accept_then_drop", 2);
    const words = uniquely("Nice");
    const shownId = await sandbox.comment("facebook", live.platformId, words);
    // The poll stores the comment; the bot's answer is under way when the person's request comes.
    await minutes(1);
    const { comment_id: id } = await commentOf(live.project, words);
    await requested(live.project, id, "reply", { text: "Thank you!" });
    await queuesIdle(DAY);
    await minutes(3);
    expect(await sandbox.faults()).toEqual([]);
    expect(await answersTo("facebook", shownId)).toEqual(["Thank you!", "Thank you!"]);
    expect((await findComment(live.project, id)).acts).toMatchObject([{ state: "done" }]);
  });

  test.for(["hide", "delete"] as const)("%s cancels a bot's answer that has not begun", async (kind) => {
    const bot = { comment_reply: "Later", response_time: "delayed" };
    await makeBot(live.project, [live.channel], { ...bot, delay_time: 3_600 });
    await minutes(1);
    const { id, shownId } = await newComment(live, uniquely("Rude"), 2);
    const before = await writes();
    await requested(live.project, id, kind);
    await settled();
    await minutes(2);
    await advance(2 * 3_600_000);
    await minutes(2);
    expect(await answersTo("facebook", shownId)).toEqual([]);
    expect((await findComment(live.project, id)).acts).toMatchObject([{ act: kind, state: "done" }]);
    expect((await writes()) - before).toBe(kind === "hide" ? 1 : 0);
  });

  test("of hide and unhide at once the later one holds, and a reply behind a deletion is cancelled", async () => {
    await collect(live);
    await advance(3_000);
    const { id, shownId } = await newComment(live);
    await requested(live.project, id, "hide");
    await requested(live.project, id, "unhide");
    await queuesIdle(DAY);
    expect((await findComment(live.project, id)).acts).toMatchObject([
      { act: "unhide", state: "done" },
      { act: "hide", state: expect.stringMatching(/done|cancelled/) },
    ]);
    expect((await shown("facebook", shownId))?.hidden).toBe(false);
    await sandbox.fault("facebook", "reply", "rate_limit", 1);
    await requested(live.project, id, "reply", { text: "Hello" });
    await requested(live.project, id, "delete");
    await queuesIdle(DAY);
    expect(await shown("facebook", shownId)).toBeUndefined();
    const [deletion, reply] = (await findComment(live.project, id)).acts;
    expect([deletion?.state, reply?.state]).toEqual(["done", "cancelled"]);
  });

  test("another project's comment, a blank reply and one that is too long are refused", async () => {
    await collect(live);
    await advance(3_000);
    const { id } = await newComment(live);
    const other = await livePost("threads");
    expect((await request(other.project, id, "hide")).status).toBe(404);
    expect((await other.project.call("GET", `/social/get-comment-events/${id}`)).status).toBe(404);
    for (const text of [" ", "x".repeat(9_000)]) {
      const { status, body } = await request(live.project, id, "reply", { text });
      expect([status, body]).toEqual([422, expect.objectContaining({ errors: { text: [expect.any(String)] } })]);
    }
  });
});
