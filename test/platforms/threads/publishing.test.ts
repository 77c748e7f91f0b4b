import { describe, test } from "vitest";
import { threads } from "../../../src/platforms/threads/index.ts";
import { NOW, type Scripted } from "../../scripted-send.ts";
import {
  CHAIN,
  type Container,
  commit,
  contextOn,
  FIRST,
  LOST,
  later,
  made,
  progress,
  ready,
  refused,
  stage,
  state,
  TEXT,
} from "./script.ts";

/** What becomes of each answer to a publishing call, and of a post that is live. */

const { posts } = threads;

describe("publishing", () => {
  const publish = (own: Container, answer: Scripted | "lost") => commit(TEXT, progress({ own }), FIRST, answer);

  test.for([
    [null, 5],
    [4, 10],
    [14, 20],
    [34, 40],
  ] as const)("that does not find it since %s seconds tries again after %i", async ([since, seconds], { expect }) => {
    const lostAt = since === null ? null : NOW - since * 1000;
    const { outcome } = await publish(ready("1", { lostAt }), LOST);
    expect(outcome).toMatchObject({
      kind: "unprepared",
      afterSeconds: seconds,
      progress: { items: [{ own: { id: "1", lostAt: lostAt ?? NOW } }] },
    });
  });

  test("of the same container is tried for a while; then another is made, three at most", async ({ expect }) => {
    const soon = progress({ own: ready("1", { lostAt: NOW - 60_000 }) });
    expect((await stage(TEXT, soon, FIRST)).outcome).toMatchObject({ kind: "ready" });
    const late = (attempts: number) => ready("1", { lostAt: NOW - 80_000, attempts });
    const another = await stage(TEXT, progress({ own: late(1) }), FIRST, state("FINISHED"));
    expect(another.outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { id: null, attempts: 1 } }] } });
    const nowhere = await stage(TEXT, progress({ own: late(2) }), FIRST, LOST);
    expect(nowhere.outcome).toMatchObject({ kind: "more", progress: { items: [{ own: { id: null, attempts: 2 } }] } });
    const last = await stage(TEXT, progress({ own: late(3) }), FIRST, state("FINISHED"));
    expect(last.outcome).toMatchObject({ kind: "ready", progress: { items: [{ own: { id: "1", lostAt: null } }] } });
  });

  test("that did it all the same is looked up, not repeated", async ({ expect }) => {
    const late = progress({ own: ready("1", { lostAt: NOW - 80_000 }) });
    const { outcome } = await stage(TEXT, late, FIRST, state("PUBLISHED"));
    expect(outcome).toMatchObject({ kind: "ready", progress: { items: [{ own: { isPublished: true } }] } });
    const published = await commit(TEXT, progress({ own: ready("1", { isPublished: true }) }), FIRST);
    expect(published.outcome).toMatchObject({ kind: "unknown" });
    expect(published.calls).toEqual([]);
  });

  test.for([
    ["not ready", refused(9007, 2_207_027), { kind: "unprepared", afterSeconds: 5 }],
    ["held back as suspicious", refused(4, 2_207_051), { kind: "unknown" }],
    ["an unknown error", refused(1), { kind: "unknown" }],
    ["a service error", { ...refused(2), status: 500 }, { kind: "unknown" }],
    ["a gateway's page", { status: 502, body: "<html>" }, { kind: "unknown" }],
    ["a lost answer", "lost", { kind: "unknown" }],
    ["a bad value", refused(100), { kind: "failed", reason: "rejected" }],
  ] as const)("meets %s", async ([, answer, expected], { expect }) => {
    expect((await publish(ready("1"), answer)).outcome).toMatchObject(expected);
  });

  test("of a later item uses the allowance of replies, which no other post waits for", async ({ expect }) => {
    const stored = progress({ own: ready("0") }, { files: [ready("1")], own: ready("2") });
    const { outcome } = await commit(CHAIN, stored, later("1806"), refused(9, 2_207_042));
    expect(outcome).toMatchObject({ kind: "failed", reason: "throttled", retryAfterSeconds: 1800 });
    expect(outcome).not.toHaveProperty("limit");
  });

  test("of what was not made ready is refused without a call", async ({ expect }) => {
    const { outcome, calls } = await commit(TEXT, progress({ own: made("1") }), FIRST);
    expect([outcome, calls]).toMatchObject([{ kind: "failed", reason: "rejected" }, []]);
  });
});

describe("a post that is live", () => {
  const POST = { id: "1806", secondaryId: null, permalink: null };
  const { permalink } = posts;

  test("reports its address, or not yet", async ({ expect }) => {
    if (permalink.shown !== "at_once") throw new Error("Threads reports it at once.");
    const read = (answer: Scripted | "lost") => permalink.read(contextOn(answer).context, POST);
    const address = "https://www.threads.com/@fern/post/D1";
    expect(await read({ body: { id: "1806", permalink: address } })).toEqual({
      kind: "found",
      post: { ...POST, permalink: address },
    });
    expect(await read({ body: { id: "1806" } })).toEqual({ kind: "not_yet" });
    expect(await read(refused(100, 33))).toEqual({ kind: "not_yet" });
    expect(await read("lost")).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("is deleted by its id; what is gone is gone", async ({ expect }) => {
    const remove = (answer: Scripted | "lost") => posts.remove?.(contextOn(answer).context, "post", POST);
    expect(await remove({ body: { success: true, deleted_id: "1806" } })).toEqual({ kind: "removed" });
    expect(await remove(refused(100, 33))).toEqual({ kind: "removed" });
    expect(await remove(refused(9, 2_207_042))).toMatchObject({ reason: "throttled" });
    expect(await remove("lost")).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("stays live where deleting was not allowed, and no call is made", async ({ expect }) => {
    const { context, calls } = contextOn();
    const credentials = { ...context.credentials, scopes: ["threads_basic", "threads_content_publish"] };
    const outcome = await posts.remove?.({ ...context, credentials }, "post", POST);
    expect([outcome, calls]).toMatchObject([
      { reason: "rejected", message: expect.stringContaining("threads.com") },
      [],
    ]);
  });
});
