// The ad accounts that the sandbox user Robin can use, through either app. Amounts are in the currency's
// smallest unit.

import type { Sandbox } from "../../sandbox";
import type { JsonObject } from "../fields";

export type Currency = "EUR" | "JPY" | "USD" | "GBP";

export interface AdAccount {
  /** Without `act_`. */
  id: string;
  name: string;
  currency: Currency;
  zone: string;
  status: number;
  isFunded: boolean;
  tasks: readonly string[];
}

const ADVERTISER = ["ADVERTISE", "ANALYZE", "DRAFT"];

export const AD_ACCOUNTS: readonly AdAccount[] = [
  {
    id: "330000000000001",
    name: "Fern ads",
    currency: "EUR",
    zone: "Europe/Berlin",
    status: 1,
    isFunded: true,
    tasks: ADVERTISER,
  },
  {
    id: "330000000000002",
    name: "Harbour Tokyo",
    currency: "JPY",
    zone: "Asia/Tokyo",
    status: 1,
    isFunded: true,
    tasks: ADVERTISER,
  },
  {
    id: "330000000000003",
    name: "Disabled long ago",
    currency: "USD",
    zone: "America/New_York",
    status: 2,
    isFunded: true,
    tasks: ADVERTISER,
  },
  {
    id: "330000000000004",
    name: "No card yet",
    currency: "USD",
    zone: "America/New_York",
    status: 1,
    isFunded: false,
    tasks: ADVERTISER,
  },
  {
    id: "330000000000005",
    name: "Only to look at",
    currency: "GBP",
    zone: "Europe/London",
    status: 1,
    isFunded: true,
    tasks: ["ANALYZE"],
  },
];

interface Money {
  /** The number of smallest units in one major unit. */
  factor: number;
  /** Minimum daily budget, by billing category. */
  minimum: { imp: number; high_freq: number; low_freq: number; video_views: number };
  /** The cost of a thousand impressions. */
  perThousand: number;
}

const CENTS = { imp: 100, high_freq: 500, low_freq: 4000, video_views: 100 };

export const MONEY: Readonly<Record<Currency, Money>> = {
  EUR: { factor: 100, minimum: CENTS, perThousand: 500 },
  USD: { factor: 100, minimum: CENTS, perThousand: 600 },
  GBP: { factor: 100, minimum: CENTS, perThousand: 450 },
  JPY: { factor: 1, minimum: { imp: 100, high_freq: 500, low_freq: 4000, video_views: 100 }, perThousand: 700 },
};

/** Finds an account by its id, with or without `act_`; null if Robin has no such account. */
export function findAdAccount(sandbox: Sandbox, id: string): AdAccount | null {
  const { ads_account_status: status, ads_funding } = sandbox.settings.all;
  const found = AD_ACCOUNTS.find((one) => one.id === id.replace(/^act_/, ""));
  return found ? { ...found, status: status ?? found.status, isFunded: found.isFunded && ads_funding } : null;
}

/** Why the account delivers no ads; null if it can deliver. */
export function troubleOf(account: AdAccount): "billing" | "disabled" | null {
  if (![1, 3, 9].includes(account.status)) return "disabled";
  return account.isFunded && account.status !== 3 ? null : "billing";
}

/** In major units, the format of `spend`: `12.47`, or `1247` for yen. */
export function inMajorUnits(minor: number, currency: Currency): string {
  const { factor } = MONEY[currency];
  const whole = Math.trunc(minor / factor);
  return factor === 1 ? String(whole) : `${whole}.${String(minor % factor).padStart(2, "0")}`;
}

export function accountView(account: AdAccount, spent: number): JsonObject {
  const { id, name, currency, zone, status, isFunded, tasks } = account;
  return {
    id: `act_${id}`,
    account_id: id,
    name,
    currency,
    timezone_name: zone,
    account_status: status,
    disable_reason: status === 2 ? 1 : 0,
    min_daily_budget: MONEY[currency].minimum.imp,
    amount_spent: String(spent),
    balance: "0",
    spend_cap: "0",
    ...(isFunded
      ? {
          funding_source: `555${id.slice(-4)}`,
          funding_source_details: { id: `555${id.slice(-4)}`, display_string: "Visa *4242", type: 1 },
        }
      : {}),
    capabilities: ["CAN_CREATE_CALL_ADS", "CAN_USE_REACH_AND_FREQUENCY"],
    user_tasks: [...tasks],
    business: { id: "440000000000001", name: "Sandbox Studio" },
  };
}
