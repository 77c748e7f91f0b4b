import { beforeAll, expect, test, vi } from "vitest";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { freshHome, type Home } from "../contract/world.ts";
import { messagesOn, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { collect, conversationWith, messagesIn, sendIn, writeTo } from "../support/conversations.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";

/** A delivery that dies at any D1 call or request of its own leaves one message, and says so. */
let home: Home;
let id: number;
beforeAll(async () => {
  await startClean();
  home = await freshHome("facebook");
  await collect(home.project, home.channel);
  await writeTo("facebook", home.accountId ?? "", uniquely("Hello"), "Ada Reader");
  await minutes(5);
  id = (await conversationWith(home.project, "Ada Reader")).conversation_id;
  makeMortal();
  // What a dying delivery says is no news here.
  vi.spyOn(console, "error").mockImplementation(() => {});
});

test.for(["dies", "loses the answer"] as const)(
  "wherever a delivery %s, the message is sent once",
  {
    timeout: 120_000,
  },
  async (fate) => {
    let met = 0;
    for (let at = 1; at <= 20; at += 1) {
      const text = uniquely("Answer");
      expect((await sendIn(home.project, id, text)).status).toBe(200);
      arm({ [at]: fate });
      await queuesIdle(1_000).catch(() => {});
      const events = disarm();
      await minutes(4);
      expect([at, (await messagesOn("facebook")).filter((one) => one.text === text).length]).toEqual([at, 1]);
      expect((await messagesIn(home.project, id)).filter((one) => one.text === text)).toMatchObject([
        { state: "sent" },
      ]);
      if (events < at) break;
      met = at;
    }
    expect(met).toBeGreaterThan(3);
  },
);
