// The ad accounts of the sandbox's user, and their balances.

import type { Sandbox } from "../../sandbox";
import { badParam } from "../business-errors";
import type { Currency } from "./money";

export interface Advertiser {
  readonly id: string;
  readonly name: string;
  readonly currency: Currency;
  /** Time zone of budget and report days; schedules are UTC. */
  readonly timezone: string;
  readonly country: string;
  readonly isEnabled: boolean;
  /** Minor units. */
  readonly openingBalance: number;
  /**
   * How the sandbox's TikTok accounts become identities: linked, shared by a Business Center, or only through
   * authorization codes.
   */
  readonly identities: "TT_USER" | "BC_AUTH_TT" | null;
}

export const ADVERTISERS: readonly Advertiser[] = [
  {
    id: "7411111111111111101",
    name: "Harbour Bakery Ads",
    currency: "USD",
    timezone: "America/New_York",
    country: "US",
    isEnabled: true,
    openingBalance: 2_500_000,
    identities: "TT_USER",
  },
  {
    id: "7411111111111111102",
    name: "Fern & Oak Japan",
    currency: "JPY",
    timezone: "Asia/Tokyo",
    country: "JP",
    isEnabled: true,
    openingBalance: 3_000_000,
    identities: "TT_USER",
  },
  {
    id: "7411111111111111103",
    name: "Acme Bikes (closed)",
    currency: "EUR",
    timezone: "Europe/Berlin",
    country: "DE",
    isEnabled: false,
    openingBalance: 100_000,
    identities: null,
  },
  {
    id: "7411111111111111104",
    name: "Northside Agency",
    currency: "GBP",
    timezone: "Europe/London",
    country: "GB",
    isEnabled: true,
    // Used up within two days at the minimum budget.
    openingBalance: 3_000,
    identities: "BC_AUTH_TT",
  },
];

/** The Business Center that shares accounts with ad accounts of type `BC_AUTH_TT`. */
export const BUSINESS_CENTER = "7380000000000000001";

export const findAdvertiser = (id: string) => ADVERTISERS.find((advertiser) => advertiser.id === id);

/** Rejects actions that a disabled ad account may not take. */
export function demandEnabled({ id, isEnabled }: Advertiser): void {
  if (!isEnabled) throw badParam(`The advertiser ${id} is disabled.`);
}

/** The remaining balance of an ad account in minor units, and the time up to which delivery is computed. */
export interface Book {
  balance: number;
  settledAt: number;
}

export function readBook(sandbox: Sandbox, { id, openingBalance }: Advertiser): Book {
  const row = sandbox.db.first<{ balance: number; settled_at: number }>(
    "SELECT balance, settled_at FROM tiktok_ads_books WHERE advertiser_id = ?",
    id,
  );
  return row
    ? { balance: row.balance, settledAt: row.settled_at }
    : { balance: openingBalance, settledAt: sandbox.now() };
}

export function writeBook(sandbox: Sandbox, { id }: Advertiser, { balance, settledAt }: Book): void {
  sandbox.db.replace("tiktok_ads_books", { advertiser_id: id, balance, settled_at: settledAt });
}
