import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { newAccount } from "../support/accounts.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { without } from "./absent.ts";
import { type Commented, commentResult, sendCommented, shownComments, untilPublished, untilShown } from "./comments.ts";
import { meet, minutePasses, troubled } from "./deliveries.ts";
import type { Facts } from "./facts.ts";
import type { FaultKind } from "./faults.ts";
import { arm, disarm, FATES } from "./mortal.ts";
import { crossed, DRAWN, drawn, IS_CALM } from "./sample.ts";
import {
  bodyOf,
  callsTo,
  createAnswer,
  factsOf,
  flaws,
  healthOf,
  homeOn,
  NAMES,
  type Name,
  outcomeOf,
  planFor,
  send,
  settings,
} from "./world.ts";

/**
 * First comments on every platform: those that have them publish each once, under the post, whatever happens;
 * the post is published without waiting, and never fails with it. Those that have none say so.
 */
const homes = troubled({ isWhole: true });
beforeAll(async () => {
  if (!IS_CALM) for (const name of NAMES) await settings(factsOf(name).idAtOnce ?? {});
});
afterEach(() => settings({ slow_ms: 30 }));

const DAY_MS = 86_400_000;
/** Of each fate, at so many acts in one run. */
const DRAWN_ACTS = 1;

const WITH = NAMES.filter((name) => platforms[name]?.comments !== undefined);
const WITHOUT = NAMES.filter((name) => platforms[name]?.comments === undefined);

/** Whether this platform is one of those on which a promise of all of them is tried in one run. */
const isTried = (label: string, name: Name): boolean => crossed(`comments: ${label}`, WITH, 3).includes(name);

/** The plainest shape of each type of post, by whether it can be commented on. */
function shapesOf(name: Name, isCommented: boolean) {
  const types = platforms[name]?.comments?.types ?? [];
  const { shapes } = planFor(name);
  const first = shapes.filter((shape, at) => shapes.findIndex(({ type }) => type === shape.type) === at);
  return first.filter(({ type }) => types.includes(type) === isCommented);
}

const plainestOf = (name: Name) => {
  const [plainest] = shapesOf(name, true);
  if (!plainest) throw new Error(`${name} has comments under no type of post.`);
  return plainest;
};

async function expectOnce(commented: Commented, where = ""): Promise<void> {
  const [shown, ...others] = await shownComments(commented);
  expect(others, where).toEqual([]);
  const { STATUS, first_comment, first_comment_result } = await commentResult(commented);
  expect([STATUS, first_comment], where).toEqual(["published", commented.text]);
  expect(first_comment_result, where).toEqual({
    state: "published",
    comment_id: expect.any(String),
    error: null,
    error_code: null,
  });
  expect(shown, where).toBeDefined();
}

/** The same, or unconfirmed where the platform cannot show it: then it does not exist. */
async function expectOnceOrDoubt(commented: Commented, where = ""): Promise<void> {
  const { STATUS, first_comment_result } = await commentResult(commented);
  const isDoubtful = factsOf(commented.sent.home.channel.channel_type).comments?.isDoubtful;
  if (!isDoubtful || first_comment_result?.state !== "failed") return expectOnce(commented, where);
  expect([STATUS, first_comment_result.error_code], where).toEqual(["published", "may_be_published"]);
  expect(await shownComments(commented), where).toEqual([]);
}

test("every adapter with comments declares the capability, and no other does", () => {
  for (const name of NAMES) {
    const { comments, capabilities } = platforms[name] ?? {};
    expect([name, capabilities !== undefined && "comments" in capabilities]).toEqual([name, comments !== undefined]);
    expect([name, factsOf(name).comments !== null]).toEqual([name, comments !== undefined]);
  }
});

describe.for(WITH)("%s", (name) => {
  const home = () => homes.on(name);
  const operations = (): NonNullable<Facts["comments"]> =>
    factsOf(name).comments ?? { write: "reply", read: "comments" };

  test.for(shapesOf(name, true).map((shape) => [shape.name, shape] as const))(
    "%s: the comment stands once under the post, which did not wait for it",
    async ([, shape]) => {
      const commented = await sendCommented(home(), shape);
      expect((await commentResult(commented)).first_comment_result).toMatchObject({ state: "pending" });
      await untilPublished(commented);
      expect(await shownComments(commented)).toEqual([]);
      expect((await commentResult(commented)).first_comment_result).toMatchObject({ state: "pending" });
      await queuesIdle();
      await expectOnce(commented);
      const outcome = await outcomeOf(commented.sent);
      expect(flaws(commented.sent, outcome)).toEqual([]);
      const [shown] = await shownComments(commented);
      expect(shown?.under).toBe(outcome.live[0]?.id);
      expect((await commentResult(commented)).first_comment_result?.comment_id).toContain(shown?.id);
    },
  );

  test.for(shapesOf(name, false).map((shape) => [shape.name, shape] as const))(
    "%s has no comments: the post is published with a warning, and without",
    async ([, shape]) => {
      const commented = await sendCommented(home(), shape);
      await queuesIdle();
      expect(await commentResult(commented)).toEqual({
        STATUS: "published",
        first_comment: null,
        first_comment_result: null,
      });
      expect(await shownComments(commented)).toEqual([]);
    },
  );

  test("a comment longer than the platform takes is refused by its field", async () => {
    const { type } = plainestOf(name);
    const rules = platforms[name]?.comments?.text({});
    const first_comment = "x".repeat((rules?.max ?? 0) + 1);
    const { body } = await createAnswer(home(), { post_type: type, caption_text: "x", first_comment });
    expect(body).toMatchObject({
      status: false,
      errors: { first_comment: [expect.stringMatching(/^first_comment must have at most [\d,]+ .*, not [\d,]+\.$/)] },
    });
  });

  const PASSING: readonly (readonly [FaultKind, times: number])[] = [
    ["error", 1],
    ["slow", 1],
    ["rate_limit", 2],
    ["accept_then_drop", 1],
    ["accept_then_error", 1],
  ];
  test.for(drawn(`${name} passing`, PASSING, 1))(
    "writing it meets %s (%i): it stands once all the same",
    async ([kind, times]) => {
      const commented = await sendCommented(home(), plainestOf(name));
      await untilPublished(commented);
      await sandbox.fault(name, operations().write, kind, times);
      await queuesIdle(DAY_MS);
      expect(await sandbox.faults()).toEqual([]);
      await (kind === "error" ? expectOnceOrDoubt(commented) : expectOnce(commented));
    },
  );

  const here = (label: string) => (isTried(label, name) ? [name] : []);

  test.for(here("lost"))("%s: a lost answer, and a list that does not answer at first: it is found", async () => {
    const commented = await sendCommented(home(), plainestOf(name));
    await untilPublished(commented);
    await sandbox.fault(name, operations().write, "accept_then_drop", 1);
    await sandbox.fault(name, operations().read, "error", 2);
    await queuesIdle(DAY_MS);
    expect(await sandbox.faults()).toEqual([]);
    await expectOnce(commented);
  });

  test.for(here("never"))(
    "%s: writing it never works: the post stays published, and its comment is reported as unconfirmed",
    async () => {
      const commented = await sendCommented(home(), plainestOf(name));
      await untilPublished(commented);
      await sandbox.fault(name, operations().write, "error", 1_000);
      await queuesIdle(2 * DAY_MS);
      expect(await shownComments(commented)).toEqual([]);
      const { STATUS, first_comment_result } = await commentResult(commented);
      expect(STATUS).toBe("published");
      expect(first_comment_result).toMatchObject({
        state: "failed",
        comment_id: null,
        error: expect.stringContaining("may have been published"),
        error_code: "may_be_published",
      });
      const events = await home().project.call("GET", `/social/get-post-events/${commented.sent.id}`);
      expect(events.body).toMatchObject({
        events: expect.arrayContaining([
          expect.objectContaining({
            type: "post.comment_failed",
            detail: expect.objectContaining({ error_code: "may_be_published" }),
          }),
        ]),
      });
    },
  );

  const ENDS = ["expire_token", "revoke_token"] as const;
  test.for(crossed(`${name} ends`, ENDS, 1))("%s in the middle: renewed, or reported", async (kind) => {
    await settings(factsOf(name).renewing ?? {});
    const own = await homeOn(name, await newAccount(name), { isWhole: true });
    const commented = await sendCommented(own, plainestOf(name));
    await untilPublished(commented);
    await sandbox.fault(name, operations().write, kind, 1);
    await queuesIdle(DAY_MS);
    if (kind === "expire_token" && planFor(name).renewedBy === "refresh_token") return expectOnce(commented);
    const { STATUS, first_comment_result } = await commentResult(commented);
    expect(STATUS).toBe("published");
    expect(first_comment_result).toMatchObject({ state: "failed", error_code: "reconnect_needed" });
    expect((await healthOf(own, "comments")).health).toBe("reconnect_needed");
  });

  test.for(here("revoked"))(
    "%s: access is revoked as it is written, while look-ups fail: reported as that, not as unconfirmed",
    async () => {
      const own = await homeOn(name, await newAccount(name), { isWhole: true });
      const commented = await sendCommented(own, plainestOf(name));
      await untilPublished(commented);
      await sandbox.fault(name, operations().write, "revoke_token", 1);
      await sandbox.fault(name, operations().read, "error", 15);
      await queuesIdle(DAY_MS);
      await sandbox.noFaults();
      const { STATUS, first_comment_result } = await commentResult(commented);
      expect(STATUS).toBe("published");
      expect(first_comment_result).toMatchObject({ state: "failed", error_code: "reconnect_needed" });
      expect(await shownComments(commented)).toEqual([]);
    },
  );

  test.for(here("deleted before"))("%s: a post that is deleted before its comment went out gets none", async () => {
    const commented = await sendCommented(home(), plainestOf(name));
    await untilPublished(commented);
    await home().project.call("DELETE", `/social/delete-post/${commented.sent.id}`);
    const last = (await callsTo(name)).at(-1)?.id ?? 0;
    await queuesIdle();
    await minutePasses();
    const writes = (await callsTo(name)).filter(({ id, operation }) => id > last && operation === operations().write);
    expect(writes).toEqual([]);
    expect(await shownComments(commented)).toEqual([]);
  });

  test.for(crossed(`${name} is lost`, [false, true], 1))(
    "a post that is deleted takes its comment with it (its answer lost: %s)",
    async (isLost) => {
      const commented = await sendCommented(home(), plainestOf(name));
      await untilPublished(commented);
      if (isLost) await sandbox.fault(name, operations().write, "accept_then_drop", 1);
      await untilShown(commented);
      await home().project.call("DELETE", `/social/delete-post/${commented.sent.id}`);
      await queuesIdle(DAY_MS);
      expect((await liveOf(commented)).length).toBe(planFor(name).isRemovable ? 0 : 1);
      if (planFor(name).isRemovable) expect(await shownComments(commented)).toEqual([]);
    },
  );

  test.for(drawn(`${name} fates`, FATES, 2))(
    `a delivery that %s at an act comments once (${DRAWN})`,
    { timeout: 180_000 },
    async (fate) => {
      const undisturbed = await sendCommented(home(), plainestOf(name));
      await untilPublished(undisturbed);
      arm();
      await queuesIdle();
      const acts = Array.from({ length: disarm() }, (_, index) => index + 1);
      expect(acts.length).toBeGreaterThan(5);
      for (const at of drawn(`${name} comments ${fate}`, acts, DRAWN_ACTS)) {
        const commented = await sendCommented(home(), plainestOf(name));
        await untilPublished(commented);
        const hasEnded = async () => (await commentResult(commented)).first_comment_result?.state !== "pending";
        await meet(fate, at, hasEnded, leaseEnds);
        if (!(await hasEnded())) await minutePasses();
        // What cannot be confirmed is looked up again for hours.
        if (operations().isDoubtful) await queuesIdle(DAY_MS);
        await expectOnceOrDoubt(commented, `${fate} at act ${at}`);
      }
    },
  );

  test.for(here("none"))(
    "%s: where the adapter has no comments the post is published with a warning, and without",
    async () => {
      await without(platforms[name], "comments", () => expectLeftOut(name));
    },
  );
});

describe.for(WITHOUT)("%s", (name) => {
  test("has no comments: the post is published with a warning, and without", () => expectLeftOut(name));
});

/**
 * Long enough for others to take over, and shorter than any platform may show a comment late: nothing but
 * that time keeps a stalled call and another one apart where the platform takes a comment twice.
 */
async function leaseEnds(): Promise<void> {
  await advance(61_000);
  await cron();
  await queuesIdle(30_000);
}

/** What is live of a post, which is a 404 once it is deleted. */
async function liveOf({ sent }: Commented) {
  const posts = await sandbox.posts(sent.home.channel.channel_type);
  return posts.filter((post) => post.text.includes(sent.mark));
}

async function expectLeftOut(name: Name): Promise<void> {
  const [shape] = planFor(name).shapes;
  if (!shape) throw new Error(`${name} has no shape.`);
  const home = homes.on(name);
  const text = `First ${crypto.randomUUID()}`;
  const sent = await send(home, shape, { first_comment: text });
  await queuesIdle();
  expect(await shownComments({ sent, text })).toEqual([]);
  expect(await commentResult({ sent })).toEqual({
    STATUS: "published",
    first_comment: null,
    first_comment_result: null,
  });
  const body = {
    ...home.channel,
    media_urls: [],
    ...factsOf(name).required,
    ...bodyOf(shape, "x"),
    first_comment: "x",
  };
  const kept = await home.project.call("POST", "/social/create-post", { body: { ...body, publish_mode: "draft" } });
  const { warnings } = z.object({ warnings: z.array(z.string()) }).parse(kept.body);
  expect(warnings).toContainEqual(expect.stringMatching(/^`first_comment` is left out: this service cannot comment/));
}
