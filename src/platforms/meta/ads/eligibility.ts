import { z } from "zod";
import type { Eligibility } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import type { PlatformPost } from "../../publishing.ts";
import { post as call } from "../graph.ts";
import { type AdsProduct, accountPath, adsGraph } from "./api.ts";
import { readPage } from "./targeting.ts";

/**
 * Whether Meta would boost a post. The post's own answer is not final: problems with music, stickers or an ad
 * account that may not use the Instagram account appear only when a creative is created. So, with an ad
 * account, a creative is validated (`validate_only`), which creates nothing.
 */
export async function eligibility(
  product: AdsProduct,
  context: AccountContext,
  post: PlatformPost,
  adAccountId: string | null,
): Promise<Eligibility | Failure> {
  const page = await readPage(product, context);
  if (page.kind === "failed" && page.reason !== "rejected") return page;
  const promotable = await product.promotable(context, post);
  if (promotable.kind === "failed") return promotable;
  const known = page.kind === "page" ? { id: page.id, name: page.name } : null;
  const base = { kind: "eligibility", page: known } as const;
  if (promotable.reason !== null) return { ...base, isEligible: false, reason: promotable.reason };
  if (adAccountId === null) return { ...base, isEligible: true, reason: null };
  const tried = await tryCreative(product, context, promotable.id, adAccountId);
  if (tried === null) return { ...base, isEligible: true, reason: null };
  return tried.reason === "rejected" ? { ...base, isEligible: false, reason: tried.message } : tried;
}

async function tryCreative(
  product: AdsProduct,
  context: AccountContext,
  promotedId: string,
  adAccountId: string,
): Promise<Failure | null> {
  const path = accountPath(adAccountId);
  if (typeof path !== "string") return path;
  const form = {
    name: "Whether this post can be boosted",
    ...product.shows(context.account, promotedId),
    execution_options: '["validate_only"]',
  };
  const tried = await adsGraph(context).read(call(`${path}/adcreatives`, form), z.object({}));
  return tried.kind === "failed" ? tried : null;
}
