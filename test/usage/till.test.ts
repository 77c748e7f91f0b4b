import { afterEach, expect, test } from "vitest";
import { media } from "../contract/world.ts";
import { makeBot, platformIdOf } from "../support/automations.ts";
import { pricedPost } from "../support/priced-posts.ts";
import { happens, oneOf, seededRandom } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { costOf, deliverTogether, pass, postWithCost, readTill } from "../support/till.ts";
import { createPost, findPost, projectWith } from "../support/world.ts";

/**
 * What we count against what the sandbox's till charges, which is written from X's documentation alone.
 * `npm run soak -- --only costs` compares five hundred posts, and kills the service.
 */
const POSTS = 32;

afterEach(async () => {
  await sandbox.settings({ twitter_credits_usd: null });
  await sandbox.noFaults();
});

test("posts of all kinds, lost answers, answers of bots and deletions cost what the till charges, to the cent", {
  timeout: 120_000,
}, async () => {
  const random = seededRandom(20261124);
  const before = await readTill();
  const { project, channel } = await projectWith("twitter");
  const ids: number[] = [];
  for (let post = 0; post < POSTS; post++) {
    if (happens(random, 0.15)) {
      await sandbox.fault("twitter", "publish", oneOf(random, ["accept_then_drop", "accept_then_error", "rate_limit"]));
    }
    ids.push(await createPost(project, channel, { ...pricedPost(random, media) }));
    if (post % 8 === 7) await deliverTogether();
  }
  for (let turn = 0; turn < 20; turn++) {
    await pass(1, 120_000);
    const states = await Promise.all(ids.map((id) => findPost(project, id)));
    if (states.every(({ STATUS }) => STATUS === "published") && turn > 1) break;
  }
  const posts = await Promise.all(ids.map((id) => postWithCost(project, id)));
  expect(posts.map(({ state }) => state)).toEqual(ids.map(() => "published"));
  const soFar = async () => (await readTill()).withoutDedup - before.withoutDedup;
  const login = 10;
  expect(await costOf(project)).toBe(await soFar());
  // Nothing but the login belongs to no post.
  expect(posts.reduce((sum, { cost }) => sum + cost, login)).toBe(await soFar());

  await makeBot(project, [channel], { response_type: "comment" });
  for (const id of ids.slice(0, 4)) {
    await sandbox.comment("twitter", await platformIdOf(id), `@acmebikes hello ${crypto.randomUUID()}`, `Ana${id}`);
  }
  await pass(6, 180_000);
  for (const id of ids.slice(0, 8)) await project.call("DELETE", `/social/delete-post/${id}`);
  await pass(2, 60_000);
  const till = await readTill();
  expect(till.lines.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining([
      "Interaction: Delete",
      "Media Metadata",
      "Post: Create",
      "Post: Create (summoned)",
      "Post: Create (with URL)",
      "Posts: Read",
      "User: Read",
    ]),
  );
  expect(await costOf(project)).toBe(await soFar());
  // Never less than what X really charges.
  expect(await costOf(project)).toBeGreaterThanOrEqual(till.spent - before.spent);
});

test("without credits X answers 402: nothing is charged, and the posts go on when there are new ones", async () => {
  const { project, channel } = await projectWith("twitter");
  const first = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await deliverTogether();
  expect(await findPost(project, first)).toMatchObject({ STATUS: "published" });
  const empty = await readTill();
  await sandbox.settings({ twitter_credits_usd: empty.spent / 1000 });
  const cost = await costOf(project);
  const waiting = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await pass(2, 60_000);
  expect(await findPost(project, waiting)).toMatchObject({ STATUS: "processing" });
  const { spent, withoutDedup } = empty;
  expect(await readTill()).toMatchObject({ spent, withoutDedup, balance: 0 });
  expect(await costOf(project)).toBe(cost);
  await sandbox.settings({ twitter_credits_usd: null });
  for (let turn = 0; turn < 20 && (await findPost(project, waiting)).STATUS !== "published"; turn++) {
    await pass(1, 120_000);
  }
  expect(await findPost(project, waiting)).toMatchObject({ STATUS: "published" });
  expect((await costOf(project)) - cost).toBe((await readTill()).withoutDedup - withoutDedup);
});
