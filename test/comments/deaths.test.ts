import { beforeAll, expect, test } from "vitest";
import { meet, minutePasses, troubled } from "../contract/deliveries.ts";
import { arm, disarm, type Fate } from "../contract/mortal.ts";
import { DRAWN, drawn } from "../contract/sample.ts";
import { answersTo, commentsOn, minutes } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { collect, commentOf, findComment, type Kind, livePost, requested } from "../support/comments.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";

/** What is requested of a comment is done once, wherever its delivery dies, fails or loses an answer. */

troubled();
let live: Awaited<ReturnType<typeof livePost>>;
beforeAll(async () => {
  live = await livePost("facebook", await sandbox.addAccount("facebook", uniquely("Mortal")));
  await collect(live);
  await advance(3_000);
});

const FATES: readonly Fate[] = ["dies", "fails", "loses the answer", "stalls", "hears late"];
const CASES = (["reply", "hide", "delete"] as const).flatMap((kind) => FATES.map((fate) => [kind, fate] as const));

async function begun(kind: Kind) {
  const words = uniquely("How much?");
  const shownId = await sandbox.comment("facebook", live.platformId, words);
  await minutes(2);
  const { comment_id: id } = await commentOf(live.project, words);
  const text = uniquely("Five euros");
  await requested(live.project, id, kind, kind === "reply" ? { text } : {});
  return { id, shownId, text };
}

test.for(drawn("comment acts", CASES, 4))(
  `%s: a delivery that %s acts once (${DRAWN})`,
  { timeout: 120_000 },
  async ([kind, fate]) => {
    await begun(kind);
    arm();
    await queuesIdle();
    const acts = Array.from({ length: disarm() }, (_, index) => index + 1);
    expect(acts.length).toBeGreaterThan(4);
    for (const at of drawn(`comment ${kind} ${String(fate)}`, acts, 2)) {
      const { id, shownId, text } = await begun(kind);
      const hasEnded = async () => (await findComment(live.project, id)).acts[0]?.state !== "waiting";
      await meet(fate, at, hasEnded);
      if (!(await hasEnded())) await minutePasses();
      await queuesIdle(DAY);
      const where = `${String(fate)} at ${at}`;
      expect((await findComment(live.project, id)).acts, where).toMatchObject([{ act: kind, state: "done" }]);
      const shown = (await commentsOn("facebook")).find((one) => one.id === shownId);
      if (kind === "reply") expect(await answersTo("facebook", shownId), where).toEqual([text]);
      if (kind === "hide") expect(shown, where).toMatchObject({ hidden: true });
      if (kind === "delete") expect(shown, where).toBeUndefined();
    }
  },
);
