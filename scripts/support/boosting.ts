import type { Published } from "./answering.ts";
import { waitFor } from "./http.ts";
import { bold, dim, mark, say, seconds } from "./terminal.ts";
import type { World } from "./world.ts";

/** The part of the demo that boosts a post, with simulated money. */

/** Includes the platform's review, which is polled every 30 seconds. */
const PATIENCE_MS = 180_000;
const ASK_EVERY_MS = 1_000;
const BUDGET = 70;

/**
 * Boosts a Facebook post until it is shown and has spent, then ends the campaign. Returns whether all steps
 * were observed.
 */
export async function boostOne(
  { api, control }: Pick<World, "api" | "control">,
  published: readonly Published[],
): Promise<boolean> {
  say(bold("\nA post is boosted"));
  const target = published.find(({ body }) => body.channel_type === "facebook" && body.post_type === "post");
  if (!target) return false;
  const { channel_id: channelId } = target.body;
  const account = (await api.listAdAccounts(channelId)).find(({ usable, currency }) => usable && currency === "EUR");
  if (!account) return false;
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
  const shown = await waitFor(
    async () => {
      const campaign = (await api.listCampaigns()).get(id);
      return campaign?.status === "active" ? campaign : null;
    },
    { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS },
  );
  say(`${mark(shown !== null)} ${shown ? "It is shown" : "It is not shown"} ${dim(seconds(Date.now() - startedAt))}`);
  await api.deleteCampaign(id);
  const isGone = await waitFor(
    async () => {
      const ads = (await control.control("GET", "ads?platform=facebook")) as { kind: string }[];
      return ads.every(({ kind }) => kind !== "campaign");
    },
    { timeoutMs: PATIENCE_MS, everyMs: ASK_EVERY_MS },
  );
  say(
    `${mark(isGone === true)} ${isGone ? "Deleted, and gone at the platform" : "Deleted, and still at the platform"}`,
  );
  return shown !== null && isGone === true;
}
