import { z } from "zod";
import { parseJson } from "../json.ts";
import { readable } from "../lists.ts";
import { possessive } from "../outcomes.ts";
import type { Platform } from "../platform.ts";

/**
 * How long to wait for Meta's allowances. There is no Retry-After; three headers speak of them, each in its
 * own unit:
 *
 * - `X-Business-Use-Case-Usage`, of Pages, accounts and ad accounts: minutes until calls work again, 0 where
 *   it does not know. A fraction of a minute is possible.
 * - `X-Ad-Account-Usage`: seconds until its score is reset, and percent of it.
 * - `X-App-Usage`: percent of what the app may call in any hour, without a time.
 */
const Minutes = z.record(
  z.string(),
  readable(z.object({ estimated_time_to_regain_access: z.number().optional() })).catch([]),
);
const AdAccount = z.object({ acc_id_util_pct: z.number(), reset_time_duration: z.number() });
const App = z.object({
  call_count: z.number().default(0),
  total_time: z.number().default(0),
  total_cputime: z.number().default(0),
});

const UseCases = z.record(
  z.string(),
  readable(App.extend({ type: z.string().default(""), estimated_time_to_regain_access: z.number().default(0) })).catch(
    [],
  ),
);
/** Types of use that are an ad account's, whatever else the product has. */
const ADS_TYPES: ReadonlySet<string> = new Set(["ads_management", "ads_insights", "custom_audience"]);

/**
 * From here on calls may be refused, which lengthens the wait; what is left lets those who have begun get on.
 */
const FULL_PERCENT = 95;
/** Calling on lengthens the block; by then a part of the hour has passed. */
const APP_PAUSE_SECONDS = 5 * 60;

const AD_LIMIT = "Meta's limit for this ad account is used up.";

/** Seconds until calls work again, as the headers tell; null where they do not. */
export function toldWaitSeconds(headers: Headers): number | null {
  const minutes = Object.values(read(headers, "x-business-use-case-usage", Minutes) ?? {})
    .flat()
    .map((use) => use.estimated_time_to_regain_access ?? 0);
  const account = read(headers, "x-ad-account-usage", AdAccount);
  const seconds = account && account.acc_id_util_pct >= 100 ? account.reset_time_duration : 0;
  return Math.max(0, seconds, ...minutes.map((one) => one * 60)) || null;
}

/** A pause where the whole app's hour is used up, and nothing tells for how long; null elsewhere. */
export function appPauseSeconds(headers: Headers): number | null {
  const use = read(headers, "x-app-usage", App);
  return use && percentOf(use) >= FULL_PERCENT ? APP_PAUSE_SECONDS : null;
}

/**
 * Of every answer, before anything is refused. The header of a Page or account speaks of that alone, whatever
 * the app's says beside it.
 */
export function usedUpAt({ title, account }: Words): NonNullable<Platform["usedUp"]> {
  return (_call, { headers }, now) => {
    const own = Object.values(read(headers, "x-business-use-case-usage", UseCases) ?? {}).flat();
    const full = own.filter((use) => percentOf(use) >= FULL_PERCENT);
    if (full.length > 0) {
      const minutes = Math.max(...full.map((use) => use.estimated_time_to_regain_access));
      const seconds = minutes > 0 ? minutes * 60 : APP_PAUSE_SECONDS;
      const isAds = full.every(({ type }) => ADS_TYPES.has(type));
      const message = isAds ? AD_LIMIT : `${possessive(title)} limit for this ${account} is used up.`;
      return { scope: "account", until: now + seconds * 1000, message };
    }
    const ads = read(headers, "x-ad-account-usage", AdAccount);
    if (ads && ads.acc_id_util_pct >= FULL_PERCENT && ads.reset_time_duration > 0) {
      return { scope: "account", until: now + ads.reset_time_duration * 1000, message: AD_LIMIT };
    }
    const seconds = appPauseSeconds(headers);
    if (seconds === null) return null;
    return { scope: "app", until: now + seconds * 1000, message: `${possessive(title)} limit for our app is used up.` };
  };
}

/** How sentences name the product, and what is acted on there. */
interface Words {
  readonly title: string;
  readonly account: string;
}

function percentOf({ call_count, total_time, total_cputime }: z.output<typeof App>): number {
  return Math.max(call_count, total_time, total_cputime);
}

function read<S extends z.ZodType>(headers: Headers, name: string, schema: S): z.output<S> | null {
  const parsed = schema.safeParse(parseJson(headers.get(name) ?? ""));
  return parsed.success ? parsed.data : null;
}
