import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../test/support/control.ts";
import { type Random, whole } from "../../test/support/random.ts";
import { dim, elapsed, say } from "./terminal.ts";
import { type Spell, spoilCalls } from "./trouble.ts";
import { connectAccounts, type World } from "./world.ts";

/** The faults of the soak of boosts: failing calls, throttling, and expired logins. */

export const PLATFORMS = ["facebook", "instagram", "tiktok"] as const;
export type Platform = (typeof PLATFORMS)[number];
const SPOIL_WITHIN_MS = 95_000;
/** How long a login stays expired. */
const LOGGED_OUT_MS = [5_000, 20_000] as const;
const UNMET_MS = 25_000;

export function adsFaults(): readonly Fault[] {
  const operations = ["ads_campaign", "ads_set", "ads_ad", "ads_update", "ads_delete", "ads_read"];
  const kinds = ["error", "slow", "rate_limit", "accept_then_drop", "accept_then_error"];
  return PLATFORMS.flatMap((platform) =>
    operations.flatMap((operation) =>
      kinds
        .filter((kind) => operation !== "ads_read" || !kind.startsWith("accept"))
        // Each throttle delays the whole ad account; all of them in sequence would take days.
        .filter((kind) => kind !== "rate_limit" || operation === "ads_update" || operation === "ads_delete")
        .map((kind) => ({ platform, operation, kind, times: 1 })),
    ),
  );
}

export type Connect = () => Promise<unknown>;

/** Connects the first account of each platform; can be called again. */
export async function connectorOf({ api, control }: World): Promise<Connect> {
  const accounts = (await Promise.all(PLATFORMS.map((name) => control.accounts(name)))).map(([first = ""]) => first);
  return () => connectAccounts(api, { platforms: [...PLATFORMS, "tiktok:ads"], accounts });
}

/** Returns the number of affected calls, and when the platforms work normally again. */
export async function spoil(world: World, run: Spell, faults: readonly Fault[], further: Connect) {
  await Promise.all([spoilCalls(world, run, faults, SPOIL_WITHIN_MS), further()]);
  const unmet = (await world.control.faults()).reduce((sum, { times }) => sum + times, 0);
  await world.control.noFaults();
  return { met: faults.length - unmet, reachableAt: Date.now() };
}

/** Expires the login of one platform after the other during a campaign call, and reconnects it. */
export async function endLogins(world: World, run: Spell, connect: Connect, random: Random): Promise<void> {
  const { control } = world;
  for (const platform of PLATFORMS) {
    await sleep(SPOIL_WITHIN_MS / (PLATFORMS.length + 2));
    const operation = whole(random, 0, 1) === 0 ? "ads_read" : "ads_update";
    await control.fault(platform, operation, "revoke_token");
    const isUnmet = async () => (await control.faults()).some(({ kind }) => kind === "revoke_token");
    const until = Date.now() + UNMET_MS;
    while ((await isUnmet()) && Date.now() < until) await sleep(250);
    const isOver = !(await isUnmet());
    await control.fault(platform, operation, "revoke_token", 0);
    if (!isOver) continue;
    say(dim(`${elapsed(run.since)}  ${platform}: the login is over`));
    await sleep(random.between(...LOGGED_OUT_MS));
    await untilAnswered(connect);
    say(dim(`${elapsed(run.since)}  ${platform}: connected again`));
  }
}

/** Retries, because the service may be killed meanwhile. */
export async function untilAnswered(act: Connect): Promise<void> {
  while (
    !(await act().then(
      () => true,
      () => false,
    ))
  )
    await sleep(500);
}
