import { describe, test } from "vitest";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { MINUTE } from "../../support/times.ts";
import { list, time } from "../meta/graph-answers.ts";
import { LOST, ready, refused } from "./script.ts";

/** What people write under a profile's posts: read, and answered. */

const { comments } = threads;
const PROFILE = { id: "2600", username: "fernandoak" };
const item = (id: string) => ({ id, secondaryId: null, permalink: null });

const reply = (id: string, to: string | null, more: object = {}) => ({
  id,
  text: "Love it",
  username: "ada.l",
  timestamp: time(1000),
  is_reply_owned_by_me: false,
  ...(to === null ? {} : { replied_to: { id: to } }),
  ...more,
});
const GONE = refused(100, 33);

describe("reading", () => {
  const { reading } = comments;
  async function read(cursor: string | null, ...answers: readonly (Scripted | "lost")[]) {
    const { send, calls } = scriptedSend(...answers);
    const posts = [item("root"), item("second")];
    return { page: await reading.list(accountContext(send, PROFILE), posts, { cursor, since: NOW }), calls };
  }

  test("reports people by their names, and leaves out the items of the thread", async ({ expect }) => {
    const ours = { username: "fernandoak", is_reply_owned_by_me: true, text: undefined };
    const { page } = await read(
      null,
      list(
        reply("3", "1"),
        reply("2", "1", ours),
        reply("1", "second"),
        reply("second", "root", ours),
        reply("0", "root"),
      ),
    );
    const ada = { author: { id: "ada.l", name: "ada.l" }, createdAt: NOW + 1000, text: "Love it", isOwn: false };
    const us = { author: { id: "fernandoak", name: "fernandoak" }, text: "", isOwn: true };
    expect(page).toEqual({
      kind: "page",
      next: null,
      comments: [
        { ...ada, id: "3", isTopLevel: false },
        { ...ada, ...us, id: "2", isTopLevel: false },
        { ...ada, id: "1", isTopLevel: true },
        { ...ada, id: "0", isTopLevel: true },
      ],
    });
  });

  test.for([
    [{ is_reply_owned_by_me: undefined, username: "fernandoak" }, { isOwn: true }],
    [{ is_reply_owned_by_me: undefined }, { isOwn: false }],
    [{ is_reply_owned_by_me: true, username: "before" }, { isOwn: true }],
    [
      { is_reply_owned_by_me: undefined, username: undefined },
      { author: null, isOwn: null },
    ],
  ] as const)("shows of %o whose it is", async ([more, expected], { expect }) => {
    expect((await read(null, list(reply("1", "root", more)))).page).toMatchObject({ comments: [expected] });
  });

  test("goes on by cursors until nothing comes; one that is not known any more starts again", async ({ expect }) => {
    const first = await read(null, { body: { data: [reply("1", "root")], paging: { cursors: { after: "A" } } } });
    expect(first.page).toMatchObject({ next: "A" });
    expect((await read("A", list())).page).toMatchObject({ next: null });
    const { page, calls } = await read("OLD", refused(100), list(reply("1", "root")));
    expect(page).toMatchObject({ comments: [{ id: "1" }] });
    expect(calls.map(({ query }) => query?.after)).toEqual(["OLD", undefined]);
  });

  test.for([
    [GONE, "rejected"],
    [refused(100), "rejected"],
    [refused(10), "permission_missing"],
    [refused(17), "throttled"],
    [LOST, "down"],
    ["lost", "down"],
  ] as const)("fails with %o", async ([answer, reason], { expect }) => {
    expect((await read(null, answer)).page).toMatchObject({ kind: "failed", reason });
  });
});

describe("an answer", () => {
  const target = (age: number) => ({
    post: item("root"),
    comment: { id: "theirs", author: { id: "ada.l", name: "ada.l" }, createdAt: NOW - age },
  });
  const prepare = async (age: number, ...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await comments.prepare?.(accountContext(send, PROFILE), target(age), "Thanks", null), calls };
  };

  test("waits for a comment of a moment ago, and not for one that is gone", async ({ expect }) => {
    for (const answer of [GONE, LOST]) {
      const waits = { kind: "failed", reason: "down", retryAfterSeconds: 5 };
      expect((await prepare(5000, answer)).outcome).toMatchObject(waits);
      expect((await prepare(2 * MINUTE, answer)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    }
  });

  test("is found by its text and the comment that it answers", async ({ expect }) => {
    const find = async (...answers: readonly Scripted[]) => {
      const request = { text: "Thanks", since: NOW, taken: new Set<string>(), progress: { ...ready("1784") } };
      return comments.find(accountContext(scriptedSend(...answers).send, PROFILE), target(MINUTE), request);
    };
    const ours = (id: string, to: string) => reply(id, to, { text: "Thanks", media_type: "TEXT_POST" });
    const PUBLISHED: Scripted = { body: { id: "1784", status: "PUBLISHED" } };
    const FINISHED: Scripted = { body: { id: "1784", status: "FINISHED" } };
    const elsewhere = [ours("3", "root"), ours("2", "another")];
    expect(await find(PUBLISHED, list(...elsewhere, ours("1", "theirs")))).toEqual({ kind: "found", id: "1" });
    expect(await find(FINISHED, list(...elsewhere))).toEqual({ kind: "absent" });
    expect(await find(PUBLISHED, list(...elsewhere))).toMatchObject({ kind: "unknown" });
  });
});
