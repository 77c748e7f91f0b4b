import { z } from "zod";
import type { Published } from "./answering.ts";
import type { Finding } from "./driver.ts";
import { waitFor } from "./http.ts";
import { bold, say, seconds } from "./terminal.ts";
import type { World } from "./world.ts";

/** The part of the demo that boosts a post, with simulated money. */

/** Includes the platform's review, which is polled every 30 seconds. */
const PATIENCE = { timeoutMs: 180_000, everyMs: 1_000 };
const Ads = z.array(z.looseObject({ kind: z.string() }));
const BUDGET = 70;

/** Boosts a Facebook post until it is shown and has spent, then ends the campaign. */
export async function boostOne(
  { api, control }: Pick<World, "api" | "control">,
  published: readonly Published[],
): Promise<Finding> {
  say(bold("\nA post is boosted"));
  const target = published.find(({ body }) => body.channel_type === "facebook" && body.post_type === "post");
  const accounts = target ? await api.listAdAccounts(target.body.channel_id) : [];
  const account = accounts.find(({ usable, currency }) => usable && currency === "EUR");
  if (!target || !account) return { holds: false, text: "there is no post to boost, or no ad account" };
  const body = {
    social_post_id: target.post.post_id,
    name: "Bells at noon",
    duration_type: "lifetime_budget",
    budget: BUDGET,
    duration: 7,
    ad_account_id: account.id,
    countries: ["DE"],
  };
  const startedAt = Date.now();
  const id = await api.createCampaign(body, crypto.randomUUID());
  say(`  ${BUDGET} ${account.currency} for seven days from ${account.name}; the platform reviews it.`);
  const isShown = await waitFor(async () => (await api.listCampaigns()).get(id)?.status === "active", PATIENCE);
  const took = seconds(Date.now() - startedAt);
  await api.deleteCampaign(id);
  const isGone = await waitFor(async () => {
    const ads = Ads.parse(await control.control("GET", "ads?platform=facebook"));
    return ads.every(({ kind }) => kind !== "campaign");
  }, PATIENCE);
  const text = `the boost ${isShown ? `is shown after ${took}` : "is not shown"}, and ${isGone ? "deleted" : "not deleted"}`;
  return { holds: isShown === true && isGone === true, text: `${text} at the platform` };
}
