import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { newEmail, signedIn } from "../console/console-browser.ts";
import { makeBot, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf, livePost, requested, textsOf, timelineOf } from "../support/comments.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { addHook, receiver } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";

/** What members keep about a comment, and what webhooks report of it. */

const Message = z.object({ type: z.string(), data: z.looseObject({ comment_id: z.number() }) });

let live: Awaited<ReturnType<typeof livePost>>;
beforeAll(async () => {
  await startClean();
  live = await livePost("facebook", await sandbox.addAccount("facebook", uniquely("Team")));
  await collect(live);
  await advance(3_000);
});

async function newComment(words = uniquely("How much?")) {
  await sandbox.comment("facebook", live.platformId, words, "Ada Reader");
  await minutes(2);
  return (await commentOf(live.project, words)).comment_id;
}

const update = (id: number, body: Record<string, unknown>) =>
  live.project.call("PUT", `/social/update-comment/${id}`, { body });

test("a comment is assigned, noted on and marked as done, and each can be taken back", async () => {
  const email = newEmail();
  await signedIn({ email, project: live.project.name, role: "editor" });
  const id = await newComment();
  const { body } = await update(id, { assigned_to: email.toUpperCase(), note: "Ask the shop", done: true });
  expect(body).toMatchObject({ comment: { assigned_to: email, note: "Ask the shop", state: "done" } });
  expect(await textsOf(live.project, `assigned_to=${email}`)).toHaveLength(1);
  expect(await textsOf(live.project, `assigned_to=${newEmail()}`)).toEqual([]);
  expect((await update(id, { done: false, assigned_to: null, note: null })).body).toMatchObject({
    comment: { assigned_to: null, note: null, state: "unanswered" },
  });
  await requested(live.project, id, "reply", { text: uniquely("Five euros") });
  await queuesIdle(DAY);
  await update(id, { done: true });
  expect((await update(id, { done: false })).body).toMatchObject({ comment: { state: "answered" } });
  expect((await timelineOf(live.project, id)).filter((type) => type === "comment.updated")).toHaveLength(4);
});

test("someone who is no member, another project's comment, and a wrong field are refused", async () => {
  const id = await newComment();
  const { status, body } = await update(id, { assigned_to: "nobody@example.com" });
  expect([status, body]).toEqual([
    422,
    expect.objectContaining({ code: "reference_invalid", errors: { assigned_to: [expect.any(String)] } }),
  ]);
  expect((await update(id, { done: "perhaps" })).status).toBe(422);
  const other = await livePost("threads");
  expect((await other.project.call("PUT", `/social/update-comment/${id}`, { body: { done: true } })).status).toBe(404);
});

test("each comment is reported to webhooks once, with a bot too, and so is what came of a request", async () => {
  await makeBot(live.project, [live.channel], { trigger_type: "keywords", keywords: ["price"] });
  const { path } = await addHook(live.project, { events: ["comment.received", "comment.changed"] });
  const words = uniquely("What is the price?");
  const id = await newComment(words);
  await minutes(2);
  await requested(live.project, id, "like");
  await queuesIdle(DAY);
  await minutes(1);
  const messages = receiver
    .at(path)
    .map(({ text }) => Message.parse(JSON.parse(text)))
    .filter(({ data }) => data.comment_id === id);
  expect(messages.map(({ type }) => type)).toEqual(["comment.received", "comment.changed"]);
  expect((await timelineOf(live.project, id)).filter((type) => type === "comment.received")).toHaveLength(1);
  expect(messages[0]?.data).toMatchObject({
    post_id: live.id,
    channel_id: live.channel.channel_id,
    author: "Ada Reader",
    text: words,
    is_reply: false,
    commented_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
  });
});
