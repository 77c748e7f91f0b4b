import { z } from "zod";
import { DAY, MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { get } from "../meta/graph.ts";
import { throttled } from "../outcomes.ts";
import { graphOf } from "./api.ts";

/**
 * How many posts an account may still publish in 24 hours, over all apps (`content_publishing_limit`). The
 * documentation says 50 and 100, so the account's own limit is read. Instagram does not report when room
 * returns. But it counts from any time in the window on, which shows when the oldest posts leave it.
 */
const Limit = z.object({
  data: z
    .array(
      z.object({
        quota_usage: z.number(),
        config: z.object({ quota_total: z.number(), quota_duration: z.number().positive().catch(86_400) }).optional(),
      }),
    )
    .min(1),
});

const HOUR_SECONDS = 3600;
/** Halvings of a day, down to six minutes. */
const CHECKS = 8;

interface Use {
  readonly kind: "use";
  readonly used: number;
  readonly total: number;
  readonly windowMs: number;
}

async function readUse(context: AccountContext, since: number | null): Promise<Use | Failure> {
  const query = { fields: "quota_usage,config", ...(since === null ? {} : { since: Math.floor(since / 1000) }) };
  const path = `${context.account.id}/content_publishing_limit`;
  const answer = await graphOf(context).read(get(path, query), Limit);
  if (answer.kind === "failed") return answer;
  const [{ quota_usage: used, config } = { quota_usage: 0 }] = answer.value.data;
  const windowMs = Math.min(DAY, (config?.quota_duration ?? 86_400) * 1000);
  return { kind: "use", used, total: config?.quota_total ?? Number.POSITIVE_INFINITY, windowMs };
}

/** How many posts apps published since then, within the last day; or why the count is unknown. */
export async function countPublished(context: AccountContext, since: number): Promise<number | Failure> {
  const use = await readUse(context, Math.max(since, context.now - DAY + MINUTE));
  return use.kind === "use" ? use.used : use;
}

/** A refusal with the wait until the account may publish; null if it may, or if Instagram does not report. */
export async function quotaRefusal(context: AccountContext): Promise<Failure | null> {
  const use = await readUse(context, null);
  if (use.kind === "failed" || use.used < use.total) return null;
  const message = `This account has reached Instagram's limit of ${use.total} posts in 24 hours.`;
  return throttled(message, await waitSeconds(context, use), null, "account");
}

/** Seconds until the count falls below the limit; an hour if the search finds no time. */
async function waitSeconds(context: AccountContext, use: Pick<Use, "total" | "windowMs">): Promise<number> {
  const begin = context.now - use.windowMs;
  let full = begin;
  let free = context.now - MINUTE;
  const isFull = async (since: number) => {
    const seen = await readUse(context, since);
    return seen.kind === "failed" ? null : seen.used >= use.total;
  };
  // A count that does not fall towards now ignores `since`.
  if ((await isFull(free)) !== false) return HOUR_SECONDS;
  for (let check = 0; check < CHECKS; check += 1) {
    const middle = (full + free) / 2;
    const seen = await isFull(middle);
    if (seen === null) break;
    if (seen) full = middle;
    else free = middle;
  }
  return Math.ceil((free - begin) / 1000) + 60;
}

/** The wait after a publishing call was refused for the quota. */
export async function waitAfterRefusal(context: AccountContext): Promise<number> {
  const use = await readUse(context, null);
  return use.kind === "failed" || !Number.isFinite(use.total) ? HOUR_SECONDS : waitSeconds(context, use);
}
