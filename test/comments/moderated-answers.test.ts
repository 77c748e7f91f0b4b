import { beforeAll, expect, test } from "vitest";
import { meet, minutePasses, troubled } from "../contract/deliveries.ts";
import { arm, disarm, type Fate, resume, untilStalled } from "../contract/mortal.ts";
import { DRAWN, drawn } from "../contract/sample.ts";
import { callsTo } from "../contract/world.ts";
import { answersTo, commentsOn, entryOf, makeBot, minutes } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { commentOf, findComment, livePost, requested } from "../support/comments.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/**
 * A person hides or deletes a comment while a bot's answer to it is under way, in both orders and under
 * trouble: the comment is hidden or deleted, and the answer is sent once or skipped with its reason.
 */

troubled();
let live: Awaited<ReturnType<typeof livePost>>;
let bot: number;
beforeAll(async () => {
  live = await livePost("facebook", await sandbox.addAccount("facebook", uniquely("Moderated")));
  bot = (await makeBot(live.project, [live.channel])).id;
  await minutes(1);
});

const KINDS = ["hide", "delete"] as const;
type Kind = (typeof KINDS)[number];
const FATES: readonly Fate[] = ["dies", "fails", "loses the answer", "stalls", "hears late"];

/** A comment whose answer is about to be delivered. */
async function commented() {
  const words = uniquely("How much?");
  const shownId = await sandbox.comment("facebook", live.platformId, words);
  for (let count = 0; count < 10; count++) {
    await advance(MINUTE);
    await cron();
    for (let message = queue.takeDue(); message; message = queue.takeDue()) {
      if (message.type === "job" && message.key.startsWith("reply:")) {
        const { comment_id: id } = await commentOf(live.project, words);
        return { words, shownId, id, answer: message };
      }
      await queue.deliver(message);
    }
  }
  throw new Error(`No answer to "${words}" was begun.`);
}

const writes = async () => (await callsTo("facebook")).filter(({ operation }) => operation === "reply").length;

/** Both have ended: what a person sees of them. */
async function expectBoth(kind: Kind, { words, shownId, id }: Awaited<ReturnType<typeof commented>>, where: string) {
  await queuesIdle(HOUR);
  await minutePasses();
  await queuesIdle(DAY);
  const { comment, acts } = await findComment(live.project, id);
  expect(acts, where).toMatchObject([{ act: kind, state: "done", message: "Done." }]);
  expect(comment, where).toMatchObject(kind === "hide" ? { hidden: true } : { deleted_at: expect.any(String) });
  const shown = (await commentsOn("facebook")).find((one) => one.id === shownId);
  if (kind === "hide") expect(shown, where).toMatchObject({ hidden: true });
  else expect(shown, where).toBeUndefined();
  const { outcome, reason } = await entryOf(live.project, bot, words);
  expect([outcome, reason], where).toEqual(outcome === "replied" ? ["replied", null] : ["skipped", "moderated"]);
  if (kind === "hide") {
    expect(await answersTo("facebook", shownId), where).toEqual(outcome === "replied" ? ["Thank you!"] : []);
  }
  return outcome;
}

/** The events of a delivery that nothing happens to, from 1. */
async function eventsOf(deliver: () => Promise<void>): Promise<readonly number[]> {
  arm();
  await deliver();
  const count = disarm();
  expect(count).toBeGreaterThan(4);
  return Array.from({ length: count }, (_, index) => index + 1);
}

const CASES = KINDS.flatMap((kind) => FATES.map((fate) => [kind, fate] as const));

test.for(drawn("moderated answers", CASES, 4))(
  `%s requested within an answer's delivery, which %s afterwards (${DRAWN})`,
  { timeout: 120_000 },
  async ([kind, fate]) => {
    const undisturbed = await commented();
    const moments = await eventsOf(() => queue.deliver(undisturbed.answer));
    for (const at of drawn(`moments of ${kind} ${String(fate)}`, moments, 2)) {
      const before = await writes();
      const one = await commented();
      const then = 1 + ((at * 7) % 3);
      // The next event of the answer's delivery after the request meets the fate.
      const isRequested = Promise.withResolvers<void>();
      const requests = async () => {
        await requested(live.project, one.id, kind);
        arm({ [then]: fate });
        isRequested.resolve();
      };
      arm({ [at]: requests });
      const delivered = queue.deliver(one.answer);
      if (fate === "stalls" || fate === "hears late") {
        await Promise.race([isRequested.promise, delivered]);
        // The person's request is carried out, or waits, while the answer's delivery stalls.
        if (await untilStalled(delivered)) await minutePasses();
        resume();
      }
      await delivered;
      disarm();
      const outcome = await expectBoth(kind, one, `${kind} at ${at}, ${String(fate)} ${then} later`);
      expect(["replied", "skipped"]).toContain(outcome);
      expect((await writes()) - before).toBeLessThanOrEqual(kind === "hide" ? 2 : 1);
    }
  },
);

test.for(drawn("moderation before answers", CASES, 4))(
  `%s under way, whose delivery %s, before the answer's (${DRAWN})`,
  { timeout: 120_000 },
  async ([kind, fate]) => {
    const undisturbed = await commented();
    await requested(live.project, undisturbed.id, kind);
    const moments = await eventsOf(queuesIdle);
    await queue.deliver(undisturbed.answer);
    for (const at of drawn(`moments of moderation ${kind} ${String(fate)}`, moments, 2)) {
      const before = await writes();
      const one = await commented();
      await requested(live.project, one.id, kind);
      const isDone = async () => (await findComment(live.project, one.id)).acts[0]?.state !== "waiting";
      await meet(fate, at, isDone, async () => {
        await queue.deliver(one.answer);
        await minutePasses();
      });
      await queue.deliver(one.answer);
      const outcome = await expectBoth(kind, one, `${kind} ${String(fate)} at ${at}`);
      expect(outcome).toBe("skipped");
      expect((await writes()) - before).toBeLessThanOrEqual(kind === "hide" ? 2 : 0);
    }
  },
);
