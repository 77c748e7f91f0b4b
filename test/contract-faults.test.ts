import { afterEach, beforeAll, describe, test } from "vitest";
import {
  calm,
  EVERY,
  type FaultKind,
  flaws,
  Homes,
  isHonestDoubt,
  liveNow,
  NAMES,
  type Name,
  type Operation,
  outcomeOf,
  type Shape,
  send,
  settings,
  shapeOf,
  THREAD,
  waitingFaults,
} from "./contract-world.ts";
import { queue, queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";

/**
 * Every adapter in bad weather: each fault of each operation, on every kind of post. What passes is survived, what does
 * not ends as failed with a reason, and nothing goes out twice.
 */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
  // The sandbox is slow in real time.
  await settings({ slow_ms: 30 });
});
afterEach(calm);

/** Oddities of formats are not oddities of publishing: these are enough to meet every path. */
const TYPICAL = EVERY.filter(([, { name }]) => !/GIF|WebP|tweet|in order/.test(name));

const hasMedia = (shape: Shape): boolean => shape.items.some((files) => files.length > 0);
const isVideo = (shape: Shape): boolean => shape.items.flat().some((file) => /mp4$/.test(file));

async function underFault(name: Name, shape: Shape, operation: Operation, kind: FaultKind, times: number) {
  await sandbox.fault(name, operation, kind, times);
  const sent = await send(homes.on(name), shape);
  await queuesIdle(24 * 3_600_000);
  return { sent, outcome: await outcomeOf(sent) };
}

/** How often: a number, or once for every item of the post. */
const PASSING: readonly (readonly [Operation, FaultKind, times: number | "each"])[] = [
  ["publish", "error", 1],
  ["publish", "slow", "each"],
  ["publish", "rate_limit", 2],
  ["publish", "accept_then_drop", "each"],
  ["publish", "accept_then_error", "each"],
  ["upload", "error", 2],
  ["upload", "slow", 1],
  ["upload", "rate_limit", 2],
  ["upload", "accept_then_drop", 1],
  ["upload", "accept_then_drop", 3],
  ["upload", "accept_then_error", 1],
  ["status", "error", 2],
  ["status", "rate_limit", 2],
  ["status", "accept_then_drop", 2],
];

describe.for(TYPICAL.map(([name, shape]) => [name, shape.name, shape] as const))("%s: %s", ([name, , shape]) => {
  const meant = PASSING.filter(([operation]) => operation !== "upload" || hasMedia(shape));

  test.for(meant)("is live once although %s meets %s (%s)", async ([operation, kind, often], { expect }) => {
    const times = often === "each" ? shape.items.length : often;
    const { sent, outcome } = await underFault(name, shape, operation, kind, times);
    // Every post is published, and every file uploaded: there the fault must have struck.
    if (operation !== "status") expect(await waitingFaults()).toEqual([]);
    if (shape.endsInDoubt && operation === "publish" && kind === "error") {
      expect(isHonestDoubt(outcome)).toBe(true);
      return;
    }
    expect(outcome.error).toBeUndefined();
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome.state).toBe("published");
  });

  test("fails with a reason when publishing never works, and nothing is live", async ({ expect }) => {
    const { sent, outcome } = await underFault(name, shape, "publish", "error", 1_000);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome).toMatchObject({ state: "failed", live: [] });
  });

  test("is live once or told to be in doubt when publishing works and the look-up does not", async ({ expect }) => {
    await sandbox.fault(name, "status", "error", 1_000);
    const { sent, outcome } = await underFault(name, shape, "publish", "accept_then_drop", 1);
    expect(flaws(sent, outcome)).toEqual([]);
  });

  if (!hasMedia(shape)) return;

  test("fails with a reason when the media are refused", async ({ expect }) => {
    const { sent, outcome } = await underFault(name, shape, "upload", "reject_media", 1_000);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome).toMatchObject({ state: "failed", live: [] });
  });

  test("fails with a reason when uploading never works", async ({ expect }) => {
    const { sent, outcome } = await underFault(name, shape, "upload", "error", 1_000);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome).toMatchObject({ state: "failed", live: [] });
  });

  if (!isVideo(shape)) return;

  test("fails with a reason when the video cannot be processed", async ({ expect }) => {
    const { sent, outcome } = await underFault(name, shape, "upload", "processing_failed", 1_000);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome).toMatchObject({ state: "failed", live: [] });
  });
});

const DELETIONS = ["error", "slow", "rate_limit", "accept_then_drop", "accept_then_error"] as const;

test.for(NAMES.flatMap((name) => DELETIONS.map((kind) => [name, kind] as const)))(
  "%s: a deleted post is taken down although deletion meets %s",
  async ([name, kind], { expect }) => {
    const sent = await send(homes.on(name), shapeOf(name, "an image"));
    await queuesIdle();
    expect((await outcomeOf(sent)).live).toHaveLength(1);
    await sandbox.fault(name, "delete", kind);
    await homes.on(name).project.call("DELETE", `/social/delete-post/${sent.id}`);
    await queuesIdle();
    expect(await waitingFaults()).toEqual([]);
    expect((await liveNow(homes.on(name))).filter((post) => post.text.includes(sent.mark))).toEqual([]);
  },
);

test.for([2, 3])(
  "a lost answer to item %i of a thread: every item is live once, in order",
  async (item, { expect }) => {
    // X shows a post a second late, so that each item waits for the one before: a gap in which to set the fault.
    await settings({ twitter_replication_lag_ms: 1_000 });
    const sent = await send(homes.on("twitter"), THREAD);
    for (let live = 1; live < item; live++) await queuesIdle(live === 1 ? 500 : 2_500);
    expect((await outcomeOf(sent)).live).toHaveLength(item - 1);
    await sandbox.fault("twitter", "publish", "accept_then_drop");
    await queuesIdle();
    await settings({ twitter_replication_lag_ms: 0 });
    const outcome = await outcomeOf(sent);
    expect(flaws(sent, outcome)).toEqual([]);
    expect(outcome.state).toBe("published");
    expect(queue.length).toBe(0);
  },
);

test.for(["old", "new", "both"])("X's field names, %s: lost answers are found", async (dialect, { expect }) => {
  await settings({ twitter_dialect: dialect });
  const { sent, outcome } = await underFault("twitter", THREAD, "publish", "accept_then_drop", 3);
  await settings({ twitter_dialect: "new" });
  expect(flaws(sent, outcome)).toEqual([]);
  expect(outcome.state).toBe("published");
});

test.for(NAMES)("%s: the same text twice on purpose is live once; the second says why", async (name, { expect }) => {
  const caption_text = `Twice ${crypto.randomUUID()}`;
  const first = await send(homes.on(name), shapeOf(name, "a text"), { caption_text });
  await queuesIdle();
  expect((await outcomeOf(first)).state).toBe("published");
  const second = await send(homes.on(name), shapeOf(name, "a text"), { caption_text });
  await queuesIdle();
  const outcome = await outcomeOf(second);
  expect(flaws(second, outcome)).toEqual([]);
  expect(outcome).toMatchObject({ state: "failed", live: [] });
  expect(outcome.error).toMatch(/repeats the one before|already posted exactly this text/);
});

test.for(NAMES)("%s: the same text twice at once, with every answer lost: live once", async (name, { expect }) => {
  const caption_text = `Twice at once ${crypto.randomUUID()}`;
  await sandbox.fault(name, "publish", "accept_then_drop", 4);
  const first = await send(homes.on(name), shapeOf(name, "a text"), { caption_text });
  const second = await send(homes.on(name), shapeOf(name, "a text"), { caption_text });
  await Promise.all(queue.messages.map((message) => queue.deliver(message)));
  await queuesIdle();
  const outcomes = [await outcomeOf(first), await outcomeOf(second)];
  expect(outcomes.map((outcome) => outcome.state).sort()).toEqual(["failed", "published"]);
  expect(outcomes[0]?.live).toHaveLength(1);
});
