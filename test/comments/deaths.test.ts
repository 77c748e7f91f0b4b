import { expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { meet, minutePasses, troubled } from "../contract/deliveries.ts";
import { arm, disarm, type Fate } from "../contract/mortal.ts";
import { DRAWN, drawn } from "../contract/sample.ts";
import { commentableOn, type Home, homeOn, type Name, send } from "../contract/world.ts";
import { answersTo, commentsOn, minutes, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf, findComment, READING, requested, textsOf } from "../support/comments.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";

/**
 * What is requested of a comment is done once on each platform, wherever its delivery dies, fails or loses an
 * answer.
 */

troubled();

const OFFERED = { reply: null, hide: "hide", like: "like", delete: "remove" } as const;
type Act = keyof typeof OFFERED;
const FATES: readonly Fate[] = ["dies", "fails", "loses the answer", "stalls", "hears late"];

/** Each act that the platform has, with each fate. */
const CASES = READING.flatMap((name) =>
  (Object.keys(OFFERED) as Act[]).flatMap((kind) => {
    const act = OFFERED[kind];
    if (act !== null && typeof platforms[name]?.comments?.acts[act] !== "function") return [];
    return FATES.map((fate) => [name, kind, fate] as const);
  }),
);

/** A new account, whose comments are read: the posts of one share the reads that LinkedIn allows in a day. */
async function collectingOn(name: Name): Promise<Home> {
  const home = await homeOn(name, await sandbox.addAccount(name, uniquely("Mortal")), { isWhole: true });
  await collect(home);
  return home;
}

const Shown = z.looseObject({ id: z.string(), hidden: z.boolean(), liked: z.boolean().optional() });

async function begun(name: Name, kind: Act) {
  const home = await collectingOn(name);
  // The comments of a new post are polled often.
  const { id: postId } = await send(home, commentableOn(name));
  await queuesIdle();
  await advance(3_000);
  const words = uniquely("How much?");
  const shownId = await sandbox.comment(name, await platformIdOf(postId), words, "Ada Reader");
  for (let count = 0; count < 30 && !(await textsOf(home.project)).includes(words); count++) await minutes(1);
  const { comment_id: id } = await commentOf(home.project, words);
  const text = uniquely("Five euros");
  await requested(home.project, id, kind, kind === "reply" ? { text } : {});
  return { project: home.project, id, shownId, text };
}

test.for(drawn("comment acts", CASES, 4))(
  `%s, %s: a delivery that %s acts once (${DRAWN})`,
  { timeout: 240_000 },
  async ([name, kind, fate]) => {
    await begun(name, kind);
    arm();
    await queuesIdle();
    const acts = Array.from({ length: disarm() }, (_, index) => index + 1);
    expect(acts.length).toBeGreaterThan(4);
    for (const at of drawn(`comment ${name} ${kind} ${String(fate)}`, acts, 2)) {
      const { project, id, shownId, text } = await begun(name, kind);
      const hasEnded = async () => (await findComment(project, id)).acts[0]?.state !== "waiting";
      await meet(fate, at, hasEnded);
      if (!(await hasEnded())) await minutePasses();
      await queuesIdle(DAY);
      const where = `${String(fate)} at ${at}`;
      expect((await findComment(project, id)).acts, where).toMatchObject([{ act: kind, state: "done" }]);
      const found = (await commentsOn(name)).find((one) => one.id === shownId);
      const shown = found && Shown.parse(found);
      if (kind === "reply") expect(await answersTo(name, shownId), where).toEqual([expect.stringContaining(text)]);
      if (kind === "hide") expect(shown?.hidden, where).toBe(true);
      if (kind === "like") expect(shown?.liked, where).toBe(true);
      // A platform may keep what its account has rejected, where only the author sees it.
      if (kind === "delete") expect(shown?.hidden ?? true, where).toBe(true);
    }
  },
);
