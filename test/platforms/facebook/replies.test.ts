import { describe, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { DAY, MINUTE } from "../../support/times.ts";
import { list, refused, time } from "../meta/graph-answers.ts";

/** What people write under a Page's posts: read, answered in public, answered by a message. */

const { comments, messages } = facebook;
const PAGE = { id: "104", username: null };
const POST = { id: "104_122", secondaryId: null, permalink: null };
const GRAPH = "https://graph.facebook.com/v27.0";

const written = (id: string, more: object = {}) => ({
  id,
  message: "Do you ship?",
  created_time: time(1000),
  from: { id: "700", name: "Ada" },
  ...more,
});
const goesOn = (after: string, ...data: readonly object[]): Scripted => ({
  body: { data, paging: { cursors: { before: "b", after }, next: `${GRAPH}/next?access_token=SECRET&after=${after}` } },
});
const CURSOR_GONE = refused(100);
const MISSING = refused(100, 33);

describe("reading", () => {
  const { reading } = comments;
  async function read(cursor: string | null, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { page: await reading.list(accountContext(send, PAGE), [POST], { cursor, since: NOW - DAY }), calls };
  }

  test("reports who wrote what, when, and whether it answers the post", async ({ expect }) => {
    const answer = { message: undefined, from: { id: "104", name: "Fern" }, parent: { id: "1" } };
    const { page } = await read(null, list(written("2", answer), written("1"), written("0", { from: undefined })));
    const theirs = { id: "1", author: { id: "700", name: "Ada" }, createdAt: NOW + 1000, text: "Do you ship?" };
    expect(page).toEqual({
      kind: "page",
      next: null,
      comments: [
        {
          id: "2",
          author: { id: "104", name: "Fern" },
          createdAt: NOW + 1000,
          text: "",
          isTopLevel: false,
          isOwn: true,
        },
        { ...theirs, isTopLevel: true, isOwn: false },
        { ...theirs, id: "0", author: null, isTopLevel: true, isOwn: null },
      ],
    });
  });

  test("leaves out what has no time, for its age decides what may be done with it", async ({ expect }) => {
    const { page } = await read(null, list(written("1", { created_time: "yesterday" }), written("2")));
    expect(page).toMatchObject({ comments: [{ id: "2" }] });
  });

  test("goes on where the page before ended, which may be empty; an end has no next", async ({ expect }) => {
    const first = await read(null, goesOn("A"));
    expect(first.page).toEqual({ kind: "page", comments: [], next: "A" });
    const second = await read("A", { body: { data: [written("1")], paging: { cursors: { after: "B" } } } });
    expect(second.page).toMatchObject({ comments: [{ id: "1" }], next: null });
    expect(second.calls[0]?.query).toMatchObject({ after: "A" });
  });

  test("starts again where the cursor is no longer known", async ({ expect }) => {
    const { page, calls } = await read("OLD", CURSOR_GONE, goesOn("A", written("1")));
    expect(page).toMatchObject({ kind: "page", comments: [{ id: "1" }], next: "A" });
    expect(calls.map(({ query }) => query?.after)).toEqual(["OLD", undefined]);
  });

  test.for([
    ["the post is gone", null, [MISSING], "rejected"],
    ["the post is gone half-way", "A", [MISSING], "rejected"],
    ["the request is refused without a cursor", null, [CURSOR_GONE], "rejected"],
    ["it is refused again", "A", [CURSOR_GONE, CURSOR_GONE], "rejected"],
    ["the person has declined the permission", null, [refused(200)], "permission_missing"],
    ["the limit is reached", null, [refused(32)], "throttled"],
    ["the answer is lost", null, ["lost"], "down"],
  ] as const)("fails where %s", async ([, cursor, answers, reason], { expect }) => {
    expect((await read(cursor, ...answers)).page).toMatchObject({ kind: "failed", reason });
  });
});

describe("an answer", () => {
  const THEIRS = { id: "122_9", author: { id: "700", name: "Ada" }, createdAt: NOW - MINUTE };
  const target = { post: POST, comment: THEIRS };
  const text = "Yes, everywhere";
  const ours = (id: string, parent: string | null, more: object = {}) => ({
    ...written(id, { message: text, from: { id: "104" } }),
    ...(parent === null ? {} : { parent: { id: parent } }),
    ...more,
  });
  async function find(...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    const request = { text, since: NOW, taken: new Set(["taken"]), progress: null };
    return { outcome: await comments.find(accountContext(send, PAGE), target, request), calls };
  }

  test("is found among the answers to that comment, in any level", async ({ expect }) => {
    const { outcome, calls } = await find(list(ours("taken", "122_9"), ours("1", "122_9")));
    expect(outcome).toEqual({ kind: "found", id: "1" });
    expect(calls[0]).toMatchObject({
      url: `${GRAPH}/104_122/comments`,
      query: { filter: "stream", since: (NOW - MINUTE) / 1000 },
    });
  });

  test("to an answer is found under what that answers", async ({ expect }) => {
    const { outcome, calls } = await find(list(ours("1", "122_8")), { body: { id: "122_9", parent: { id: "122_8" } } });
    expect(outcome).toEqual({ kind: "found", id: "1" });
    expect(calls[1]).toMatchObject({ url: `${GRAPH}/122_9`, query: { fields: "parent{id}" } });
  });

  test.for([
    ["nothing of the text is there", [list(written("1"))]],
    ["the same was said under the post", [list(ours("1", null)), { body: { id: "122_9" } }]],
    ["the same was said to somebody else", [list(ours("1", "122_7")), { body: { id: "122_9" } }]],
    ["somebody else has said it", [list(ours("1", "122_9", { from: { id: "700" } }))]],
    ["it was said before", [list(ours("1", "122_9", { created_time: time(-2 * MINUTE) }))]],
  ] as const)("is absent where %s", async ([, answers], { expect }) => {
    expect((await find(...answers)).outcome).toEqual({ kind: "absent" });
  });

  test("is unconfirmed where its author is not shown, or not all could be seen", async ({ expect }) => {
    const nameless = list(ours("1", "122_9", { from: undefined }));
    expect((await find(nameless)).outcome).toMatchObject({ kind: "unknown" });
    const pages = Array.from({ length: 10 }, (_, at) => goesOn(`${at}`, written("1")));
    expect((await find(...pages)).outcome).toMatchObject({ kind: "unknown" });
    expect((await find(list(ours("1", "122_8")), MISSING)).outcome).toMatchObject({ kind: "failed" });
    expect((await find("lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("a message", () => {
  const to = { post: POST, comment: { id: "122_9", author: null, createdAt: NOW - DAY } };
  async function sent(...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await messages.send(accountContext(send, PAGE), to, "The list: …"), calls };
  }

  test.for([
    ["an answer that reports nothing", { body: {} }, { kind: "unknown" }],
    ["a lost answer", "lost", { kind: "unknown" }],
    ["a service error", { ...refused(2), status: 500 }, { kind: "unknown" }],
    ["10900", refused(10_900), { kind: "duplicate" }],
    ["another word on the person", refused(10, 2_018_999), { kind: "failed", reason: "rejected" }],
    ["a missing permission, by the same code", refused(10), { kind: "failed", reason: "permission_missing" }],
  ] as const)("meets %s", async ([, answer, expected], { expect }) => {
    expect((await sent(answer)).outcome).toMatchObject(expected);
  });

  const find = (createdAt: number, ...answers: readonly (Scripted | "lost")[]) => {
    const { send } = scriptedSend(...answers);
    const comment = { ...to.comment, createdAt };
    return messages.find(
      accountContext(send, PAGE),
      { post: POST, comment },
      { text: "x", since: NOW, taken: new Set() },
    );
  };
  const answerable = (can_reply_privately?: boolean): Scripted => ({ body: { id: "122_9", can_reply_privately } });

  test("was sent where the comment takes none any more, within its week", async ({ expect }) => {
    expect(await find(NOW - DAY, answerable(false))).toEqual({ kind: "found", id: null });
    expect(await find(NOW - DAY, answerable(true))).toEqual({ kind: "absent" });
    expect(await find(NOW - 7 * DAY, answerable(false))).toMatchObject({ kind: "unknown" });
    expect(await find(NOW - DAY, answerable())).toMatchObject({ kind: "unknown" });
    expect(await find(NOW - DAY, "lost")).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("has 2,000 characters, however many bytes", ({ expect }) => {
    expect(messages.text.max).toBe(2000);
    expect(messages.text.measure("é😀")).toBe(2);
  });
});
