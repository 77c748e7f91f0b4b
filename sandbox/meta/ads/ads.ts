// Ads: create and update.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { type GraphContext, nested, parse, text } from "../params";
import { type AdsWorld, requireOpen, type Target, writing } from "./access";
import { settle } from "./delivery";
import { ChangedStatus, COMMON, ExecutionOptions, isTrial, NewStatus, name, requireChangeable } from "./input";
import { refused } from "./refusals";
import { type Ad, adSets, ads, creatives, restartReview } from "./store";

const id = text.or(z.number().transform(String));
const CreativeRef = nested(z.object({ creative_id: id }));
const Shared = {
  ...COMMON,
  tracking_specs: z.unknown().optional(),
  conversion_domain: text.optional(),
  execution_options: ExecutionOptions.optional(),
};
const Create = z.object({ ...Shared, name, adset_id: id, creative: CreativeRef, status: NewStatus.default("ACTIVE") });
const Change = z.object({
  ...Shared,
  name: name.optional(),
  creative: CreativeRef.optional(),
  status: ChangedStatus.optional(),
});

/** Null for `validate_only`. */
export async function createAd(world: AdsWorld, c: GraphContext, accountId: string): Promise<Ad | null> {
  const { sandbox } = world;
  const input = parse(c, Create);
  const { account } = await writing(world, c, accountId);
  requireOpen(account);
  const adSet = adSets.find(sandbox, input.adset_id);
  if (adSet?.account_id !== account.id || adSet.status === "DELETED") {
    const message = `The ad set ${input.adset_id} does not exist in this ad account, or was deleted.`;
    throw refused(null, { field: "adset_id", title: "Ad set not found", message });
  }
  requireCreative(sandbox, account.id, input.creative.creative_id);
  if (isTrial(input.execution_options)) return null;
  return ads.insert(sandbox, {
    platform: world.app.platform,
    account_id: account.id,
    ...(adSet.campaign_id === null ? {} : { campaign_id: adSet.campaign_id }),
    adset_id: adSet.id,
    name: input.name,
    status: input.status,
    content: { creative_id: input.creative.creative_id },
  });
}

export async function changeAd(world: AdsWorld, c: GraphContext, { id, accountId }: Target): Promise<void> {
  const { sandbox } = world;
  const { fields: _, locale: __, execution_options, ...input } = parse(c, Change);
  await writing(world, c, accountId);
  // No await from here to the end: the checked conditions still hold at the write.
  const row = ads.get(sandbox, id);
  settle(sandbox, row.campaign_id ?? "");
  requireChangeable(row, input);
  const { creative_id } = input.creative ?? row.content;
  if (input.creative) requireCreative(sandbox, row.account_id, creative_id);
  if (isTrial(execution_options)) return;
  const { name: newName = row.name, status = row.status } = input;
  ads.update(sandbox, { ...row, name: newName, status, content: { creative_id } });
  if (creative_id !== row.content.creative_id) restartReview(sandbox, "id", id);
}

function requireCreative(sandbox: Sandbox, accountId: string, creativeId: string): void {
  const creative = creatives.find(sandbox, creativeId);
  if (creative?.account_id === accountId && creative.status !== "DELETED") return;
  const message = `The creative ${creativeId} does not exist in this ad account, or was deleted.`;
  throw refused(null, { field: "creative", title: "Creative not found", message });
}
