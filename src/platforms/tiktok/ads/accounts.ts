import { z } from "zod";
import { decimalsOf } from "../../../core/money.ts";
import { partsOf } from "../../../core/parts.ts";
import { isTimeZone } from "../../../core/time.ts";
import type { AdAccount, Advertising, Floor } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { readable } from "../../lists.ts";
import { rejected } from "../../outcomes.ts";
import { read } from "./api.ts";
import { leastMinor } from "./money.ts";

/**
 * Ad accounts ("advertisers"): those that the account owner selected at the login.
 *
 * - The minimum budget is known in two currencies; in others TikTok itself rejects a budget that is too
 *   small, in its own words.
 */
const Listed = z.object({ list: readable(z.object({ advertiser_id: PlatformId })).nullish() });

const Shown = z.object({
  advertiser_id: PlatformId,
  name: z.string().optional().catch(undefined),
  currency: z.string(),
  timezone: z.string().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
});
const FIELDS = Object.keys(Shown.shape);
const MOST_AT_ONCE = 100;

/** Ids of the ad accounts that these credentials open: also the cheapest check whether they work. */
export async function listAdvertisers(
  context: Pick<AccountContext, "send" | "app" | "now" | "credentials">,
): Promise<{ readonly kind: "ids"; readonly ids: readonly string[] } | Failure> {
  const { app } = context;
  // TikTok requires both in the query. No browser makes this call, and logs of calls contain no queries.
  const answer = await read(context, "oauth2/advertiser/get", { app_id: app.id, secret: app.secret }, Listed);
  if (answer.kind === "failed") return answer;
  return { kind: "ids", ids: (answer.value.list ?? []).map(({ advertiser_id }) => advertiser_id) };
}

export const accounts: Advertising["accounts"] = async (context) => {
  const listed = await listAdvertisers(context);
  if (listed.kind === "failed") return listed;
  const found: AdAccount[] = [];
  for (const ids of partsOf(listed.ids, MOST_AT_ONCE)) {
    const some = await readAccounts(context, ids);
    if (some.kind === "failed") return some;
    found.push(...some.accounts);
  }
  return { kind: "accounts", accounts: found };
};

async function readAccounts(context: AccountContext, ids: readonly string[]) {
  const query = { advertiser_ids: ids, fields: FIELDS };
  const answer = await read(context, "advertiser/info", query, z.object({ list: readable(Shown).nullish() }));
  if (answer.kind === "failed") return answer;
  return { kind: "accounts" as const, accounts: (answer.value.list ?? []).map(toAccount) };
}

function toAccount({ advertiser_id, name, currency, timezone, status }: z.output<typeof Shown>): AdAccount {
  return {
    id: advertiser_id,
    name: name || advertiser_id,
    currency,
    decimals: decimalsOf(currency),
    timeZone: timezone !== undefined && isTimeZone(timezone) ? timezone : null,
    problem:
      status === undefined || status === "STATUS_ENABLE"
        ? null
        : `TikTok does not let this ad account spend now (${status}). Sign in at TikTok Ads Manager and follow its instructions.`,
  };
}

/** The minimum for the whole period is the daily minimum times the days. */
export const floor: Advertising["floor"] = async (
  context,
  { adAccountId, budgetType, days },
): Promise<Floor | Failure> => {
  const found = await readAccounts(context, [adAccountId]);
  if (found.kind === "failed") return found;
  const account = found.accounts.find(({ id }) => id === adAccountId);
  if (!account) return rejected(`This connection has no ad account ${adAccountId} at TikTok. Choose another one.`);
  const least = leastMinor(account.currency, budgetType === "lifetime" ? days : 1);
  return { kind: "floor", leastMinor: least ?? 1, account };
};
