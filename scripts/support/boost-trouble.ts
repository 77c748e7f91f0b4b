import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../test/support/control.ts";
import { whole } from "../../test/support/random.ts";
import { surely } from "./api.ts";
import { type Boosting, PLATFORMS } from "./boost-homes.ts";
import { faultsAt, injectFaults, note } from "./driver.ts";
import { waitFor } from "./http.ts";

/** The faults of the soak of boosts: failing calls, throttling, and expired logins. */

const FAULTS_WITHIN_MS = 95_000;
/** How long a login stays expired. */
const LOGGED_OUT_MS = [5_000, 20_000] as const;
const UNMET_MS = 25_000;

const WRITES = ["ads_campaign", "ads_set", "ads_ad", "ads_update", "ads_delete"];

export const adsFaults = (): readonly Fault[] =>
  PLATFORMS.flatMap((platform) => [
    ...faultsAt(platform, [...WRITES, "ads_read"], { error: 1, slow: 1 }),
    ...faultsAt(platform, WRITES, { accept_then_drop: 1, accept_then_error: 1 }),
    // Each throttle delays the whole ad account; all of them in sequence would take days.
    ...faultsAt(platform, ["ads_update", "ads_delete"], { rate_limit: 1 }),
  ]);

/** Returns the number of affected calls, and when the platforms work normally again. */
export async function disturbAds(run: Boosting, faults: readonly Fault[]) {
  const { control } = run.world;
  await Promise.all([injectFaults(run, faults, FAULTS_WITHIN_MS), endLogins(run)]);
  const unmet = (await control.faults()).reduce((sum, { times }) => sum + times, 0);
  await control.noFaults();
  return { met: faults.length - unmet, reachableAt: Date.now() };
}

/** Expires the login of one platform after the other during a campaign call, and reconnects it. */
async function endLogins(run: Boosting): Promise<void> {
  const { control } = run.world;
  for (const platform of PLATFORMS) {
    await sleep(FAULTS_WITHIN_MS / (PLATFORMS.length + 2));
    const operation = whole(run.random, 0, 1) === 0 ? "ads_read" : "ads_update";
    await control.fault(platform, operation, "revoke_token");
    const isMet = async () => !(await control.faults()).some(({ kind }) => kind === "revoke_token");
    const isOver = await waitFor(isMet, { timeoutMs: UNMET_MS });
    await control.fault(platform, operation, "revoke_token", 0);
    if (!isOver) continue;
    note(run, `${platform}: the login expired`);
    await sleep(run.random.between(...LOGGED_OUT_MS));
    await reconnect(run);
    note(run, `${platform}: connected again`);
  }
}

const RECONNECT_WITHIN_MS = 60_000;

/** Retries every error for a minute, because the service may be killed meanwhile. */
export function reconnect({ connect }: Boosting): Promise<unknown> {
  const until = Date.now() + RECONNECT_WITHIN_MS;
  return surely(
    connect,
    () => Date.now() > until,
    () => true,
  );
}
