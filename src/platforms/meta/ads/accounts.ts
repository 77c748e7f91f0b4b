import { z } from "zod";
import type { AdAccount, Advertising, BoostTerms, Floor } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { readable } from "../../lists.ts";
import { rejected } from "../../outcomes.ts";
import { get } from "../graph.ts";
import { Amount, accountPath, adsGraph } from "./api.ts";
import { metaDecimals } from "./money.ts";

/** Ad accounts: the list, whether they may spend, and Meta's minimum budget. */

/** At most 20 times 100 are read. */
const MAX_PAGES = 20;

const FIELDS =
  "id,name,currency,timezone_name,account_status,min_daily_budget,amount_spent,spend_cap,funding_source,disable_reason,user_tasks";

const Account = z.object({
  id: PlatformId,
  name: z.string().nullish().catch(null),
  currency: z.string().min(1),
  timezone_name: z.string().nullish().catch(null),
  account_status: z.int(),
  min_daily_budget: Amount.nullish().catch(null),
  amount_spent: Amount.nullish().catch(null),
  /** 0 if there is none. */
  spend_cap: Amount.nullish().catch(null),
  /** Missing if there is no payment method. */
  funding_source: PlatformId.nullish(),
  /** The person's tasks on it; missing if Meta omits them. */
  user_tasks: z.array(z.string()).nullish().catch(null),
});
type Account = z.output<typeof Account>;

const Minimum = z.object({
  currency: z.string(),
  min_daily_budget_imp: Amount,
  min_daily_budget_video_views: Amount.nullish().catch(null),
});

export const accounts: Advertising["accounts"] = async (context) => {
  const graph = adsGraph(context);
  const query = { fields: FIELDS, limit: 100 };
  const readPage = (after: string | undefined) => graph.request(get("me/adaccounts", { ...query, after }));
  const listed = await graph.list(readPage, Account, MAX_PAGES);
  return listed.kind === "failed" ? listed : { kind: "accounts", accounts: listed.items.map(toAccount) };
};

export interface KnownAccount {
  readonly kind: "account";
  readonly account: AdAccount;
  readonly leastDaily: number;
}

/** An account that a caller named. A foreign one is an invalid id, not a missing permission. */
export async function readAccount(context: AccountContext, adAccountId: string): Promise<KnownAccount | Failure> {
  const path = accountPath(adAccountId);
  if (typeof path !== "string") return path;
  const read = await adsGraph(context).read(get(path, { fields: FIELDS }), Account);
  if (read.kind === "failed") return asName(read);
  return { kind: "account", account: toAccount(read.value), leastDaily: read.value.min_daily_budget ?? 0 };
}

/** For reads of a named account, before any object exists. */
export function asName(failure: Failure): Failure {
  return failure.reason === "permission_missing" ? rejected(failure.message) : failure;
}

export async function floor(context: AccountContext, terms: BoostTerms): Promise<Floor | Failure> {
  const known = await readAccount(context, terms.adAccountId);
  if (known.kind === "failed") return known;
  const { account, leastDaily } = known;
  const List = z.object({ data: readable(Minimum) });
  const minimums = await adsGraph(context).read(get(`${account.id}/minimum_budgets`), List);
  if (minimums.kind === "failed") return asName(minimums);
  const own = minimums.value.data.find(({ currency }) => currency === account.currency);
  const forVideos = terms.objective === "video_views" ? (own?.min_daily_budget_video_views ?? 0) : 0;
  const daily = Math.max(leastDaily, own?.min_daily_budget_imp ?? 0, forVideos);
  return { kind: "floor", leastMinor: terms.budgetType === "daily" ? daily : daily * terms.days, account };
}

function toAccount(account: Account): AdAccount {
  const { id, name, currency, timezone_name: timeZone } = account;
  return {
    id,
    name: name || id,
    currency,
    decimals: metaDecimals(currency),
    timeZone: timeZone ?? null,
    ...(isViewOnly(account) ? { problem: VIEW_ONLY, isViewOnly: true } : { problem: problemOf(account) }),
  };
}

/** Statuses that allow new ads: active, and the grace period after a failed payment. */
const ABLE: ReadonlySet<number> = new Set([1, 9]);
const STATUSES: Readonly<Record<number, string>> = {
  2: "Meta has disabled this ad account. Check it in Meta Ads Manager.",
  3: "A payment of this ad account failed. Settle it in Meta Ads Manager.",
  7: "Meta is reviewing this ad account.",
  8: "A payment of this ad account is being settled.",
  100: "This ad account is being closed.",
  101: "This ad account is closed.",
};

const VIEW_ONLY =
  "You may only view this ad account. Ask its administrator for the permission to manage campaigns (business.facebook.com), or choose another one.";

const isViewOnly = ({ user_tasks: tasks }: Account): boolean =>
  Boolean(tasks) && !tasks?.some((task) => task === "ADVERTISE" || task === "MANAGE");

function problemOf({ account_status, funding_source, spend_cap, amount_spent }: Account): string | null {
  if (!ABLE.has(account_status)) return STATUSES[account_status] ?? "Meta does not let this ad account advertise.";
  if (!funding_source || funding_source === "0")
    return "This ad account has no payment method. Add one in Meta Ads Manager.";
  if (spend_cap && (amount_spent ?? 0) >= spend_cap) return "This ad account has reached its own spending limit.";
  return null;
}
