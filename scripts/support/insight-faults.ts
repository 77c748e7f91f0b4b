import type { Fault } from "../../test/support/control.ts";
import { happens, oneOf, whole } from "../../test/support/random.ts";
import type { Run } from "./driver.ts";
import type { Watched } from "./insight-record.ts";
import { knownPlatforms } from "./kinds.ts";
import type { Realism } from "./world.ts";

// What disturbs the insights of `npm run soak`.

const DAY_HOURS = 24;
const FAULTS_ONE_IN = 5;
/** A page of X, of YouTube or of the network is read by calls that the sandbox counts as others. */
const OPERATIONS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  youtube: ["insights", "status"],
  bluesky: ["insights", "comments"],
};
const FAULTS = [
  "error",
  "html_error",
  "empty_error",
  "rate_limit",
  "slow",
  "accept_then_drop",
  "accept_then_error",
] as const;
/** Of what a Page is asked for; dead for three days, twice. */
const DEAD = { metric: "clicks", name: "post_clicks", days: [10, 20], lastsHours: 3 * DAY_HOURS };

interface Disturbed {
  readonly run: Run;
  readonly posts: readonly Watched[];
  /** Those that were injected. */
  readonly faults: Fault[];
  readonly realism: Realism;
}

/** The metric of Facebook that was dead at some time of the day before this hour; empty: none. */
export function deadMetricAt(hour: number): string {
  const isDead = DEAD.days.some((day) => {
    const since = hour - day * DAY_HOURS;
    // The service forgets what was refused after a day, and finds it at the next read.
    return since >= -1 && since <= DEAD.lastsHours + 2 * DAY_HOURS;
  });
  return isDead ? DEAD.metric : "";
}

/** Before each step: comments, counters that fall, faults, and a metric that dies or comes back. */
export async function disturb({ run, posts, faults, realism }: Disturbed, hour: number): Promise<void> {
  const { random, world } = run;
  const { control } = world;
  const [first, ...others] = posts.filter(({ live }) => live.length > 0);
  if (first) {
    const { kind, live } = oneOf(random, [first, ...others]);
    const [id = ""] = live;
    if (happens(random, 0.3)) await control.comment(kind.platform, id, `Nice, at hour ${hour}!`, `Person ${hour}`);
    const counts = { likes: whole(random, 0, 50), shares: whole(random, 0, 5) };
    if (happens(random, 0.1))
      await control.control("POST", "insights", { platform: kind.platform, post_id: id, counts });
  }
  if (happens(random, 1 / FAULTS_ONE_IN)) {
    const [one, ...more] = knownPlatforms();
    if (!one) return;
    const { name: platform, isRenewable, facts } = oneOf(random, [one, ...more]);
    const operation = oneOf(random, OPERATIONS[platform] ?? ["insights"]);
    // Without a refresh token only the account owner can help; in production not every app receives one.
    const isRenewed = isRenewable && (realism === "calm" || facts.renewing === undefined);
    const kind = oneOf(random, isRenewed ? [...FAULTS, "expire_token"] : FAULTS);
    // A fresh token that is refused at once is a login that has ended.
    const fault = { platform, operation, kind, times: kind === "expire_token" ? 1 : whole(random, 1, 3) };
    await control.fault(platform, operation, fault.kind, fault.times);
    faults.push(fault);
  }
  for (const day of DEAD.days) {
    const since = hour - day * DAY_HOURS;
    if (since === 0) await control.settings({ facebook_dead_metrics: DEAD.name });
    if (since === DEAD.lastsHours) await control.settings({ facebook_dead_metrics: "" });
  }
}
