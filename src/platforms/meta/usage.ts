import { z } from "zod";
import { parseJson } from "../json.ts";

/**
 * How long to wait for Meta's allowances. There is no Retry-After; three headers speak of them, each in its own unit:
 *
 * - `X-Business-Use-Case-Usage`, of Pages, accounts and ad accounts: minutes until calls work again, 0 where it does not
 *   know. A fraction of a minute is possible.
 * - `X-Ad-Account-Usage`: seconds until its score is reset, and percent of it.
 * - `X-App-Usage`: percent of what the app may call in any hour, without a time.
 */
const Minutes = z.record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().optional() })));
const AdAccount = z.object({ acc_id_util_pct: z.number(), reset_time_duration: z.number() });
const App = z.object({
  call_count: z.number().default(0),
  total_time: z.number().default(0),
  total_cputime: z.number().default(0),
});

/** Calling on lengthens the block; by then a part of the hour has passed. */
const APP_PAUSE_SECONDS = 5 * 60;

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
  return use && Math.max(use.call_count, use.total_time, use.total_cputime) >= 100 ? APP_PAUSE_SECONDS : null;
}

function read<S extends z.ZodType>(headers: Headers, name: string, schema: S): z.output<S> | null {
  const parsed = schema.safeParse(parseJson(headers.get(name) ?? ""));
  return parsed.success ? parsed.data : null;
}
