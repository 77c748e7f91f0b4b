import { beforeAll, beforeEach, expect, test } from "vitest";
import { arm, disarm, type Fate, isStalled, makeMortal, resume, untilStalled } from "../contract/mortal.ts";
import { DRAWN, drawn } from "../contract/sample.ts";
import { advance } from "../support/clock.ts";
import { begin, type Detail, find, type Kind, lastModelCall, paidCalls } from "../support/generations.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { receiver } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { Project } from "../support/world.ts";

/**
 * A delivery that dies, stumbles or stalls between any two lines: it ends, with a reason, and no model works
 * twice.
 */

let project: Project;
beforeAll(async () => {
  makeMortal();
  project = await Project.create();
});
beforeEach(() => sandbox.noFaults());

interface Run {
  readonly detail: Detail;
  readonly paid: Readonly<Record<string, number>>;
  /** How many events its deliveries had. */
  readonly events: number;
  readonly shown: readonly string[];
}

/** One generation, to which this happens; then the sweep sees to it until it has ended. */
async function run(kind: Kind, fates: Readonly<Record<number, Fate>> = {}): Promise<Run> {
  const before = await lastModelCall();
  const path = `/${crypto.randomUUID()}`;
  const { id } = await begin(project, kind, { web_hook: `https://hooks.test${path}` });
  arm(fates);
  await deliverAll();
  const events = disarm();
  for (let looks = 0; looks < 30; looks++) {
    if (isStalled()) resume();
    await queuesIdle(MINUTE);
    const detail = await find(project, id);
    const isShown = detail.web_hook_delivery?.status === "delivered";
    if (detail.status !== "queued" && isShown) {
      return { detail, paid: await paidCalls(before), events, shown: receiver.idsAt(path) };
    }
    await advance(3 * MINUTE);
    await cron();
  }
  throw new Error(`It has not ended: ${JSON.stringify(await find(project, id))}`);
}

/** Until nothing is due; one that stalls is left waiting, and the others continue. */
async function deliverAll(): Promise<void> {
  await untilStalled(queuesIdle());
}

function expectOnce({ detail, paid, shown }: Run): void {
  expect(Object.entries(paid).filter(([, times]) => times > 1)).toEqual([]);
  expect(new Set(shown).size).toBe(1);
  if (detail.status === "done") return;
  expect(detail).toMatchObject({ status: "failed", error: expect.stringMatching(/\S\.$/) });
  expect(["model_failed", "deadline_passed"]).toContain(detail.error_code);
}

/** What happens to the delivery at an act: each of them over the acts, in turn. */
const FATES = ["dies", "loses the answer", "fails", "stalls", "hears late"] as const satisfies readonly Fate[];

test(`a reel, whatever happens at an act (${DRAWN})`, { timeout: 120_000 }, async () => {
  const { events, detail } = await run("faceless_reel");
  expect(detail.status).toBe("done");
  expect(events).toBeGreaterThan(20);
  const all = Array.from({ length: events }, (_, index) => index + 1);
  for (const at of drawn("a reel", all, 12)) {
    const fate = FATES[at % FATES.length] ?? "dies";
    expectOnce(await run("faceless_reel", { [at]: fate }));
  }
});
