// The rate limit score of an app on an ad account: a read costs one point, a write three. At the tier's
// maximum the app is blocked for a while.

import type { Sandbox } from "../../sandbox";
import { GraphError } from "../errors";
import type { GraphContext } from "../params";

const DECAY_MS = 300_000;
const TIERS = {
  development_access: { most: 60, blockedMs: 300_000 },
  standard_access: { most: 9000, blockedMs: 60_000 },
} as const;

export type Load = "ads_management" | "ads_insights" | "custom_audience";

const CODES = { ads_management: 80_004, ads_insights: 80_000, custom_audience: 80_003 } as const;

interface Use {
  platform: string;
  accountId: string;
  load: Load;
}

/** Counts the call and sets its headers; throws if the score is exceeded. */
export function countPoints(sandbox: Sandbox, c: GraphContext, use: Use, points: 1 | 3): void {
  const subject = `${use.platform} ${use.accountId}`;
  const now = sandbox.now();
  const { most, blockedMs } = TIERS[sandbox.settings.all.ads_access_tier];
  sandbox.db.run("DELETE FROM meta_ad_points WHERE at <= ?", now - DECAY_MS);
  sandbox.db.run("DELETE FROM meta_ad_blocks WHERE until <= ?", now);
  const block = sandbox.db.first<{ until: number }>("SELECT until FROM meta_ad_blocks WHERE subject = ?", subject);
  const score =
    sandbox.db.first<{ score: number | null }>(
      "SELECT sum(points) AS score FROM meta_ad_points WHERE subject = ?",
      subject,
    )?.score ?? 0;
  const until = block?.until ?? (score + points > most ? now + blockedMs : null);
  if (until === null) {
    sandbox.db.run("INSERT INTO meta_ad_points (subject, at, points) VALUES (?, ?, ?)", subject, now, points);
    setHeaders(c, usageHeaders(sandbox, use, (100 * (score + points)) / most, 0));
    return;
  }
  sandbox.db.run("INSERT OR REPLACE INTO meta_ad_blocks (subject, until) VALUES (?, ?)", subject, until);
  setHeaders(c, usageHeaders(sandbox, use, 100, until - now));
  throw tooMany();
}

const tooMany = () =>
  new GraphError(17, "(#17) User request limit reached", {
    subcode: 2446079,
    userTitle: "Ad-account has too many API calls",
    userMessage: "There have been too many calls from this ad-account. Wait a bit and try again.",
  });

/** The response to a call that meets the fault `rate_limit`. */
export function rateLimited(sandbox: Sandbox, use: Use): Response {
  const refusal = new GraphError(
    CODES[use.load],
    `(#${CODES[use.load]}) There have been too many calls to this ad-account.`,
    {
      subcode: 2446079,
      status: 400,
    },
  );
  const answer = refusal.toResponse();
  const headers = usageHeaders(sandbox, use, 100, sandbox.settings.all.rate_limit_reset_ms);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

function setHeaders(c: GraphContext, headers: ReturnType<typeof usageHeaders>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** One of the two headers counts minutes, the other seconds. */
function usageHeaders(sandbox: Sandbox, { accountId, load }: Use, percent: number, waitMs: number) {
  const tier = sandbox.settings.all.ads_access_tier;
  const used = Math.min(100, Math.round(percent * 100) / 100);
  const business = {
    type: load,
    call_count: Math.floor(used),
    total_cputime: Math.ceil(used / 3),
    total_time: Math.ceil(used / 2),
    estimated_time_to_regain_access: Math.ceil((waitMs / 60_000) * 100) / 100,
    ads_api_access_tier: tier,
  };
  const account = {
    acc_id_util_pct: used,
    reset_time_duration: Math.ceil((waitMs || DECAY_MS) / 1000),
    ads_api_access_tier: tier,
  };
  const insights = { app_id_util_pct: used, acc_id_util_pct: used, ads_api_access_tier: tier };
  return {
    "x-business-use-case-usage": JSON.stringify({ [accountId]: [business] }),
    "x-ad-account-usage": JSON.stringify(account),
    ...(load === "ads_insights" ? { "x-fb-ads-insights-throttle": JSON.stringify(insights) } : {}),
  };
}

/** A budget can be changed four times per hour. */
export function countBudgetChange(sandbox: Sandbox, objectId: string): void {
  const now = sandbox.now();
  sandbox.db.run("DELETE FROM meta_ad_budget_changes WHERE at <= ?", now - 3_600_000);
  const made = sandbox.db.first<{ count: number }>(
    "SELECT count(*) AS count FROM meta_ad_budget_changes WHERE object_id = ?",
    objectId,
  );
  if ((made?.count ?? 0) >= 4) {
    throw new GraphError(613, "(#613) Calls to this api have exceeded the rate limit.", {
      subcode: 1487632,
      userTitle: "Budget changed too often",
      userMessage: "You can change the budget of this ad set four times an hour. Try again later.",
    });
  }
  sandbox.db.run("INSERT INTO meta_ad_budget_changes (object_id, at) VALUES (?, ?)", objectId, now);
}
