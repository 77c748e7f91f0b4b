import { z } from "zod";
import type { LimitScope, ReachedLimit } from "../context.ts";
import { parseJson } from "../json.ts";
import { readable } from "../lists.ts";
import { possessive } from "../outcomes.ts";
import type { Platform } from "../platform.ts";

/**
 * Waits for Meta's rate limits (facebook.md §1.4). Meta sends no `Retry-After`, but three headers, each with
 * its own unit:
 *
 * - `X-Business-Use-Case-Usage`, for Pages, accounts and ad accounts: percent, and minutes until calls work
 *   again (0 if unknown; fractions occur).
 * - `X-Ad-Account-Usage`: percent of a score, and seconds until it resets.
 * - `X-App-Usage`: percent of the app's hourly calls, without a time.
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

const UseCase = App.extend({ type: z.string().default(""), estimated_time_to_regain_access: z.number().default(0) });
const UseCases = z.record(z.string(), readable(UseCase).catch([]));
const AD_LIMIT = "Meta's limit for this ad account";
/** Types of usage that belong to an ad account. */
const ADS_TYPES: ReadonlySet<string> = new Set(["ads_management", "ads_insights", "custom_audience"]);

/** From this percentage on calls may be refused, which lengthens the block. */
const FULL_PERCENT = 95;
/** From this percentage on Meta advises to slow down: each act waits longer with each percent. */
const BUSY_PERCENT = 80;
const SECONDS_PER_PERCENT = 4;
/** After this wait, a part of the hour has passed. */
const FULL_PAUSE_SECONDS = 5 * 60;

/** Seconds until calls work again, from the headers; null if they do not say. */
export function statedWaitSeconds(headers: Headers): number | null {
  const minutes = Object.values(read(headers, "x-business-use-case-usage", Minutes) ?? {})
    .flat()
    .map((use) => use.estimated_time_to_regain_access ?? 0);
  const account = read(headers, "x-ad-account-usage", AdAccount);
  const seconds = account && account.acc_id_util_pct >= 100 ? account.reset_time_duration : 0;
  return Math.max(0, seconds, ...minutes.map((one) => one * 60)) || null;
}

/** A pause if the app's hourly limit is reached; otherwise null. */
export function appPauseSeconds(headers: Headers): number | null {
  const use = read(headers, "x-app-usage", App);
  return use && percentOf(use) >= FULL_PERCENT ? FULL_PAUSE_SECONDS : null;
}

/**
 * Reads the headers of every successful answer, so that calls slow down before one is refused. The header of
 * a Page or account has priority over the app's.
 */
export function usedUpAt({ title, account }: Words): NonNullable<Platform["usedUp"]> {
  return (_call, { headers }, now) => {
    const busy = Object.values(read(headers, "x-business-use-case-usage", UseCases) ?? {})
      .flat()
      .filter((use) => percentOf(use) >= BUSY_PERCENT);
    const [worst] = busy.toSorted((one, other) => ownPause(other) - ownPause(one));
    if (worst) {
      const limit = ADS_TYPES.has(worst.type) ? AD_LIMIT : `${possessive(title)} limit for this ${account}`;
      return pause("account", limit, { percent: percentOf(worst), seconds: ownPause(worst) }, now);
    }
    const ads = read(headers, "x-ad-account-usage", AdAccount);
    if (ads && ads.acc_id_util_pct >= FULL_PERCENT && ads.reset_time_duration > 0) {
      return pause("account", AD_LIMIT, { percent: FULL_PERCENT, seconds: ads.reset_time_duration }, now);
    }
    const app = read(headers, "x-app-usage", App);
    const percent = app ? percentOf(app) : 0;
    if (percent < BUSY_PERCENT) return null;
    return pause("app", `${possessive(title)} limit for our app`, { percent, seconds: pauseSeconds(percent) }, now);
  };
}

function pause(
  scope: LimitScope,
  limit: string,
  { percent, seconds }: { readonly percent: number; readonly seconds: number },
  now: number,
): ReachedLimit {
  const use = percent >= FULL_PERCENT ? "reached" : "nearly reached";
  return { scope, until: now + seconds * 1000, message: `${limit} is ${use}.` };
}

function ownPause(use: z.output<typeof UseCase>): number {
  const minutes = percentOf(use) >= FULL_PERCENT ? use.estimated_time_to_regain_access : 0;
  return minutes > 0 ? minutes * 60 : pauseSeconds(percentOf(use));
}

function pauseSeconds(percent: number): number {
  return percent >= FULL_PERCENT ? FULL_PAUSE_SECONDS : (percent - BUSY_PERCENT + 1) * SECONDS_PER_PERCENT;
}

/** Words for the product and the account in sentences. */
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
