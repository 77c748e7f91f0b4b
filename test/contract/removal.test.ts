import { afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { without } from "./absent.ts";
import type { FaultKind } from "./faults.ts";
import { crossed, DRAWN, drawn } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import {
  callsTo,
  calm,
  Homes,
  liveNow,
  NAMES,
  type Name,
  type Outcome,
  outcomeOf,
  planFor,
  type Sent,
  send,
  settings,
  waitingFaults,
} from "./world.ts";

/**
 * Deleting what is live: at the platform if it has a call for it; otherwise only here, and the answer says
 * so.
 */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
  // The sandbox is slow in real time.
  await settings({ slow_ms: 30 });
});
afterEach(calm);

async function live(name: Name, shape: Shape): Promise<{ sent: Sent; outcome: Outcome }> {
  const sent = await send(homes.on(name), shape);
  await queuesIdle();
  const outcome = await outcomeOf(sent);
  expect(outcome.live).toHaveLength(shape.items.length);
  return { sent, outcome };
}

const Deleted = z.object({ status: z.literal(true), message: z.string() });

/** Deletes it, and runs the queue until it is idle; returns the sentence. */
async function deletePost({ home, id }: Sent): Promise<string> {
  const answer = await home.project.call("DELETE", `/social/delete-post/${id}`);
  await queuesIdle();
  expect(await home.project.call("GET", `/social/post/${id}`)).toMatchObject({ status: 404 });
  return Deleted.parse(answer.body).message;
}

async function stillUp({ home }: Sent, { live }: Outcome): Promise<number> {
  const ids = new Set((await liveNow(home)).map((post) => post.id));
  return live.filter((post) => ids.has(post.id)).length;
}

const PASSING: readonly FaultKind[] = ["error", "slow", "rate_limit", "accept_then_drop", "accept_then_error"];
/** How many cases of a platform, besides those of its richest shape, are tried in one run. */
const DRAWN_CASES = 1;

const CASES = NAMES.filter((name) => planFor(name).isRemovable).flatMap((name) => {
  const { richest, typical } = planFor(name);
  const cases = (shape: Shape) => PASSING.map((kind) => [name, shape.name, kind, shape] as const);
  const others = typical.filter((shape) => shape !== richest).flatMap(cases);
  return [...crossed(`${name} richest`, cases(richest), 3), ...drawn(`${name} removal`, others, DRAWN_CASES)];
});

test.for(CASES)(
  `%s, %s: a deleted post is removed from the platform although deletion meets %s (${DRAWN})`,
  async (one) => {
    const [name, , kind, shape] = one;
    const { sent, outcome } = await live(name, shape);
    await sandbox.fault(name, "delete", kind);
    await deletePost(sent);
    expect(await waitingFaults()).toEqual([]);
    expect(await stillUp(sent, outcome)).toBe(0);
  },
);

test.for(crossed("no call to delete", NAMES, 3))(
  "%s: without a call to delete, a post goes here only, the answer says so and nothing is called",
  async (name) => {
    const { sent, outcome } = await live(name, planFor(name).richest);
    await without(platforms[name]?.posts, "remove", async () => {
      const last = (await callsTo(name)).at(-1);
      expect(await deletePost(sent)).toContain(
        `${name} has no API call to delete it. Delete it in the platform's app.`,
      );
      expect((await callsTo(name)).at(-1)).toEqual(last);
    });
    expect(await stillUp(sent, outcome)).toBe(sent.shape.items.length);
  },
);
