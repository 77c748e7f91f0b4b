import { describe, test } from "vitest";
import { backUp } from "../support/backup.ts";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { drawn } from "./sample.ts";
import { factsOf, freshHome, isHonestDoubt, NAMES, type Name, outcomeOf, planFor, send } from "./world.ts";

/** docs/decisions/0059: a database that is set back by an hour publishes nothing a second time. */

const HOUR = 3_600_000;

const inMinutes = (minutes: number) => ({
  publish_mode: "scheduled",
  schedule_time: new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16).replace("T", " "),
  time_zone: "UTC",
});

/** LinkedIn's lists may show a post as a share though its creation said ugcPost; both addresses open it. */
const addressOf = (permalink: string | undefined) => permalink?.replace("urn:li:ugcPost:", "urn:li:share:");

/** Runs the cron each minute, and what it sends. */
async function passes(minutes: number, step = 5): Promise<void> {
  for (let passed = 0; passed < minutes; passed += step) {
    await advance(step * 60_000);
    await cron();
    await queuesIdle(30_000);
  }
}

describe.each(NAMES)("%s, set back by an hour", (name: Name) => {
  const shapes = drawn(
    `restored ${name}`,
    planFor(name).shapes.filter(({ isVariant }) => !isVariant),
    2,
  );

  test.for(shapes.map((shape) => [shape.name, shape] as const))("adopts %s", async ([, shape], { expect }) => {
    const home = await freshHome(name);
    await cron();
    const sent = await send(home, shape, inMinutes(10));
    const backup = await backUp();
    await passes(20);
    await queuesIdle();
    const before = await outcomeOf(sent);
    expect(before).toMatchObject({ state: "published", live: { length: shape.items.length } });

    await advance(HOUR);
    await cron();
    await backup.restore();
    queue.loseAll();
    await cron();
    await queuesIdle(6 * HOUR);
    const after = await outcomeOf(sent);
    expect(after.live.map(({ id }) => id)).toEqual(before.live.map(({ id }) => id));
    if (after.state !== "published") expect(isHonestDoubt({ ...after, live: [] }), JSON.stringify(after)).toBe(true);
    const canBeRead = !factsOf(name).isDoubtful(shape) && shape.type !== "story";
    if (canBeRead) {
      expect(after.state).toBe("published");
      expect(addressOf(after.permalink)).toBe(addressOf(before.permalink));
    }
  });
});
