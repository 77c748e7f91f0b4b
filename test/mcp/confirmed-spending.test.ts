import { expect, test, vi } from "vitest";
import { z } from "zod";
import { formTo, newEmail, signedIn } from "../console/console-browser.ts";
import { arm, disarm, type Fate, makeMortal } from "../contract/mortal.ts";
import { activeCampaign, boostHome, campaignOf, wanted } from "../support/boosts.ts";
import { queuesIdle } from "../support/queue.ts";
import { connectAgent, type Result } from "./agent.ts";

/** A person confirmed what an agent spends: it happens once, and only a stored result is reported as done. */

const CALLS = 14;
const TRIES = 3;
const addressIn = (text: string): string => /https:\/\/\S+\/spending\/\d+/.exec(text)?.[0] ?? "";

async function agentAt(project: Awaited<ReturnType<typeof boostHome>>["project"]) {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { use } = await connectAgent(project.token);
  const person = await signedIn({ email: newEmail(), project: project.name });
  const confirmed = async (raw: Record<string, unknown>) => {
    const { text } = await use("call_operation", raw);
    await person.send(formTo(await person.go(addressIn(text)), "/confirm"));
  };
  const broken = (error: unknown): Result => ({ isError: true, sentence: String(error), data: null, text: "" });
  /** The call with a fate at its D1 call `at`, and repeats of it. */
  const callsOf = async (raw: Record<string, unknown>, { at, fate }: { readonly at: number; readonly fate: Fate }) => {
    arm({ [at]: fate });
    const answers = [await use("call_operation", raw).catch(broken)];
    const isOver = disarm() < at;
    while (answers.length < TRIES) answers.push(await use("call_operation", raw));
    await queuesIdle(60_000);
    return { answers, isOver };
  };
  return { use, confirmed, callsOf };
}

test.for(["loses the answer", "dies", "fails"] as const)(
  "a change that is reported as done is done, if D1 %s at any call",
  { timeout: 240_000 },
  async (fate) => {
    const home = await boostHome("facebook");
    const id = await activeCampaign(home, { budget: 210 });
    const { confirmed, callsOf } = await agentAt(home.project);
    makeMortal();
    for (let at = 1; at <= CALLS; at++) {
      const budget = 210 - 2 * at;
      const raw = { operation: "updateCampaign", parameters: { campaign_id: id }, body: { budget } };
      await confirmed(raw);
      const { answers, isOver } = await callsOf(raw, { at, fate });
      expect([at, answers.at(-1)?.isError, (await campaignOf(home, id)).budget]).toEqual([at, false, budget]);
      // No statement, table or parameter reaches the agent.
      for (const { text } of answers) expect(text).not.toMatch(/Failed query|select |update "|insert into|D1_/i);
      if (isOver) return;
    }
  },
);

test("a campaign that was confirmed once is created once, whatever dies", { timeout: 240_000 }, async () => {
  const home = await boostHome("facebook");
  const { confirmed, callsOf } = await agentAt(home.project);
  makeMortal();
  const Listed = z.object({ campaigns: z.looseObject({ total: z.number() }) });
  const total = async () =>
    Listed.parse((await home.project.call("GET", "/boost-campaigns/get-campaigns")).body).campaigns.total;
  const before = await total();
  for (let at = 1; at <= CALLS; at++) {
    const body = wanted(home, { budget: 300 + at, name: `Campaign ${at}` });
    const raw = { operation: "createCampaign", body };
    await confirmed(raw);
    const fate = at % 2 === 0 ? "dies" : "loses the answer";
    const { isOver } = await callsOf(raw, { at, fate });
    expect(await total()).toBe(before + at);
    if (isOver) return;
  }
});

test("a change that was confirmed again, after its confirmation was used, happens again", {
  timeout: 240_000,
}, async () => {
  const home = await boostHome("facebook");
  const id = await activeCampaign(home, { budget: 210 });
  const { use, confirmed } = await agentAt(home.project);
  const change = async (budget: number) => {
    const raw = { operation: "updateCampaign", parameters: { campaign_id: id }, body: { budget } };
    await confirmed(raw);
    expect((await use("call_operation", raw)).isError).toBe(false);
    return (await campaignOf(home, id)).budget;
  };
  expect(await change(205)).toBe(205);
  expect(await change(200)).toBe(200);
});

test("an error that nothing expects shows the agent a fixed sentence with the id of the request", {
  timeout: 240_000,
}, async () => {
  const home = await boostHome("facebook");
  const { use } = await agentAt(home.project);
  makeMortal();
  const raw = { operation: "updateCampaign", parameters: { campaign_id: 1 }, body: { budget: 900 } };
  arm({ 1: "fails" });
  const { isError, text } = await use("call_operation", raw);
  disarm();
  expect(isError).toBe(true);
  expect(text).toMatch(/^Something went wrong in the service\. .* report the request [\w-]+\.$/);
});
