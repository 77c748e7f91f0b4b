import { beforeAll, beforeEach, expect, test } from "vitest";
import { arm, disarm, type Fate, isStalled, makeMortal, resume, untilStalled } from "../contract/mortal.ts";
import { IS_CROSSED, IS_WHOLE } from "../contract/sample.ts";
import { adsOf, BOOSTABLE, boost, boostHome, type Home } from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";

/**
 * A delivery that dies, stumbles or stalls between any two lines, and a deletion that comes there: there are
 * never two campaigns at the platform for one campaign here, nor one that runs and that we show as failed or
 * deleted.
 */

const homes = new Map<string, Home>();
beforeAll(async () => {
  for (const platform of BOOSTABLE) homes.set(platform, await boostHome(platform));
  makeMortal();
});
beforeEach(() => sandbox.noFaults());

function homeOf(platform: string): Home {
  const home = homes.get(platform);
  if (!home) throw new Error(`There is no ${platform}.`);
  return home;
}

/** Delivers until nothing is due; one that stalls is left waiting, and the others continue. */
async function deliverAll(): Promise<void> {
  await untilStalled(queuesIdle(5 * 1_000));
}

const Over = ["in_review", "active", "completed", "rejected", "failed", "deleted"];

async function statusOf({ project }: Home, id: number): Promise<string> {
  const answer = await project.call("GET", `/boost-campaigns/get-campaign/${id}`);
  return answer.status === 404 ? "deleted" : (answer.body as { campaign: { status: string } }).campaign.status;
}

/** One campaign whose making meets this at its acts; what it has come to, and how many acts there were. */
async function run(home: Home, fates: (id: number) => Readonly<Record<number, Fate>>) {
  const name = `Trial ${crypto.randomUUID().slice(0, 8)}`;
  const id = await boost(home, { name, budget: 140, duration: 7 });
  arm(fates(id));
  await deliverAll();
  const acts = disarm();
  for (let looks = 0; looks < 40; looks++) {
    if (isStalled()) resume();
    await queuesIdle(MINUTE);
    if (Over.includes(await statusOf(home, id))) break;
    await advance(3 * MINUTE);
    await cron();
  }
  return { id, name, acts };
}

/** What the platform has of it that could spend. */
const running = async ({ platform }: Home, name: string) =>
  (await adsOf(platform, "campaign", name)).filter(({ status }) => !/PAUSED|DISABLE/.test(status));

/** Each of them over the acts, in turn. */
const FATES = ["dies", "loses the answer", "fails", "stalls", "hears late"] as const satisfies readonly Fate[];

test.for(BOOSTABLE)("one campaign of %s, whatever happens at whichever act", { timeout: 120_000 }, async (platform) => {
  const home = homeOf(platform);
  const { acts, name } = await run(home, () => ({}));
  expect(await running(home, name)).toHaveLength(1);
  const few = platform === "facebook" ? 4 : 9;
  const step = IS_WHOLE ? 1 : IS_CROSSED && platform === "facebook" ? 2 : IS_CROSSED ? 6 : few;
  for (let at = 1; at <= acts; at += step) {
    const fate = FATES[at % FATES.length] ?? "dies";
    const one = await run(home, () => ({ [at]: fate }));
    const status = await statusOf(home, one.id);
    const there = await adsOf(platform, "campaign", one.name);
    const isRunning = await running(home, one.name);
    expect([at, fate, status, there.length, isRunning.length]).toEqual(
      status === "failed" ? [at, fate, "failed", 0, 0] : [at, fate, expect.any(String), 1, 1],
    );
  }
});

test.for(BOOSTABLE)(
  "a deletion that comes at an act of %s leaves nothing that spends",
  { timeout: 120_000 },
  async (platform) => {
    const home = homeOf(platform);
    const { acts } = await run(home, () => ({}));
    for (let at = 2; at <= acts; at += IS_WHOLE ? 1 : platform === "facebook" ? 5 : 9) {
      const remove = (id: number) => async () => {
        await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      };
      const one = await run(home, (id) => ({ [at]: remove(id) }));
      expect(await statusOf(home, one.id)).toBe("deleted");
      for (let looks = 0; looks < 10 && (await adsOf(platform, "campaign", one.name)).length > 0; looks++) {
        await advance(3 * MINUTE);
        await cron();
        await queuesIdle(MINUTE);
      }
      expect([at, await adsOf(platform, "campaign", one.name)]).toEqual([at, []]);
    }
  },
);
