import { beforeAll, expect, test, vi } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { minutePasses } from "../contract/deliveries.ts";
import { arm, disarm, type Fate, makeMortal } from "../contract/mortal.ts";
import { DRAWN, drawn } from "../contract/sample.ts";
import { freshHome, NAMES } from "../contract/world.ts";
import { messagesOn, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { collect, conversationWith, messagesIn, sendIn, writeTo } from "../support/conversations.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";

/**
 * On each platform, a delivery dies, fails or loses an answer at any of its D1 calls or requests. The person
 * gets one message all the same, and the service reports it as sent.
 */
beforeAll(async () => {
  await startClean();
  makeMortal();
  // The errors that a dying delivery logs are expected.
  vi.spyOn(console, "error").mockImplementation(() => {});
});

const TALKING = NAMES.filter((name) => platforms[name]?.conversations !== undefined);
const FATES: readonly Fate[] = ["dies", "fails", "loses the answer"];
const CASES = TALKING.flatMap((name) => FATES.map((fate) => [name, fate] as const));

test.for(drawn("deaths of messages", CASES, 2))(
  `%s: wherever a delivery %s, the message is sent once (${DRAWN})`,
  { timeout: 240_000 },
  async ([name, fate]) => {
    const home = await freshHome(name);
    await collect(home.project, home.channel);
    await writeTo(name, home.accountId ?? "", uniquely("Hello"), "Ada Reader");
    await minutes(12);
    const { conversation_id: id } = await conversationWith(home.project, "Ada Reader");
    let met = 0;
    for (let at = 1; at <= 20; at += 1) {
      const text = uniquely("Answer");
      expect((await sendIn(home.project, id, text)).status).toBe(200);
      arm({ [at]: fate });
      await queuesIdle(1_000).catch(() => {});
      const events = disarm();
      await minutePasses();
      await minutes(4);
      expect([at, (await messagesOn(name)).filter((one) => one.text === text).length]).toEqual([at, 1]);
      expect((await messagesIn(home.project, id)).filter((one) => one.text === text)).toMatchObject([
        { state: "sent" },
      ]);
      if (events < at) break;
      met = at;
    }
    expect(met).toBeGreaterThan(3);
  },
);
