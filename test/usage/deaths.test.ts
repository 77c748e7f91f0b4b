import { expect, test } from "vitest";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { media } from "../contract/world.ts";
import { advance } from "../support/clock.ts";
import { pricedPost } from "../support/priced-posts.ts";
import { cron } from "../support/queue.ts";
import { oneOf, seededRandom, whole } from "../support/random.ts";
import { costOf, deliverTogether, pass, readTill, setCeiling } from "../support/till.ts";
import { MINUTE } from "../support/times.ts";
import { createPost, findPost, projectWith } from "../support/world.ts";

/** At the ceiling, with deliveries that run at the same time and die anywhere. */
const POSTS = 14;

test.for([1])("a ceiling is never passed, whatever dies meanwhile: seed %i", { timeout: 120_000 }, async (seed) => {
  const random = seededRandom(seed);
  const login = await readTill();
  const { project, channel } = await projectWith("twitter");
  const charged = async () => (await readTill()).withoutDedup - login.withoutDedup;
  await setCeiling(project, 1);
  const ids: number[] = [];
  for (let post = 0; post < POSTS; post++) {
    ids.push(await createPost(project, channel, { ...pricedPost(random, media) }));
  }
  makeMortal();
  for (let turn = 0; turn < 8; turn++) {
    const deaths = Array.from({ length: 6 }, () => [
      whole(random, 1, 90),
      oneOf(random, ["dies", "dies", "loses the answer", "fails"]),
    ]);
    arm(Object.fromEntries(deaths));
    await deliverTogether();
    disarm();
    const [own, till] = [await costOf(project), await charged()];
    expect(own).toBeLessThanOrEqual(1000);
    expect(own).toBeGreaterThanOrEqual(till);
    await advance(3 * MINUTE);
    await cron();
  }
  await pass(12, 3 * MINUTE);
  const states = () => Promise.all(ids.map(async (id) => (await findPost(project, id)).STATUS));
  const held = { own: await costOf(project), till: await charged() };
  expect(held.own).toBeLessThanOrEqual(1000);
  expect(held.own).toBeGreaterThanOrEqual(held.till);
  expect(await states()).toContain("processing");
  expect(await states()).toContain("published");
  // With a higher ceiling and no further deaths, what waited is published; only what deaths left stays
  // reserved.
  await setCeiling(project, 100);
  await pass(12, 3 * MINUTE);
  expect((await states()).filter((state) => state === "processing")).toEqual([]);
  const left = (await costOf(project)) - (await charged());
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThanOrEqual(held.own - held.till);
});
