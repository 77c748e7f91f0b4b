import { type SQL, sql } from "drizzle-orm";
import { SECOND } from "../core/time.ts";
import { RetryLater, type WaitCause } from "../jobs/outcomes.ts";
import type { Pace } from "../platforms/context.ts";
import type { ActingAs } from "./acting.ts";
import { type Actor, lineOf, mayAct, takeTurn } from "./pace.ts";
import type { ActIntent } from "./perform.ts";
import { takeOrWait, waitInLine } from "./rate-leases.ts";

/**
 * A paced act of a job gets its turn in the statement that stores its intent, or waits in line. `over`: the
 * act is no longer wanted.
 */
export function paced(
  { deps, journal, limits }: ActingAs,
  pace: Pace,
  by: Omit<Actor, "waiter">,
  over: SQL,
): ActIntent {
  const { db } = deps;
  const { key, projectId } = journal.job;
  const line = lineOf(deps, limits.of, pace, { ...by, projectId, waiter: key });
  return {
    get unless() {
      return sql`(${over} OR NOT ${mayAct(line, Date.now())})`;
    },
    begins: (intended) => takeTurn(db, line, Date.now(), intended),
    async wait() {
      const [isOver] = await db.all<{ isOver: number }>(sql`SELECT ${over} AS isOver`);
      if (isOver?.isOver === 1) return;
      const now = Date.now();
      const standing = await waitInLine(deps, line, now);
      const at = standing.kind === "free" ? now : standing.at;
      throw new RetryLater(Math.max(SECOND, at - now) / SECOND, PACED);
    },
  };
}

/**
 * The same act after others that must not run beside it: while `busy` holds, it waits without a place in
 * line.
 */
export function afterOthers(
  { deps: { db } }: ActingAs,
  intent: ActIntent,
  { busy, over }: { readonly busy: SQL; readonly over: SQL },
): ActIntent {
  return {
    ...intent,
    get unless() {
      return sql`(${busy} OR ${intent.unless})`;
    },
    async wait() {
      const [found] = await db.all<{ isBusy: number }>(sql`SELECT (${busy} AND NOT ${over}) AS isBusy`);
      if (found?.isBusy === 1) throw new RetryLater(BUSY_SECONDS, BUSY);
      await intent.wait?.();
    },
  };
}

const BUSY_SECONDS = 2;
const BUSY = { code: null, message: "Another answer to the comment is being sent." } as const satisfies WaitCause;

/**
 * Takes a turn for a step that may be repeated, or ends the delivery until there may be room. One D1 call.
 */
export async function takePreparationTurn(
  { deps, journal, limits }: ActingAs,
  pace: Pace,
  party: string,
): Promise<void> {
  const { key, projectId } = journal.job;
  const now = Date.now();
  const standing = await takeOrWait(deps, lineOf(deps, limits.of, pace, { projectId, waiter: key, party }), now);
  if (standing.kind === "taken") return;
  const at = standing.kind === "free" ? now : standing.at;
  journal.suspend(Math.max(SECOND, at - now) / SECOND, PREPARED_TOO_MANY, [], "turn");
}

const PREPARED_TOO_MANY = {
  code: "rate_limited",
  message: "The platform limits how many files an account may prepare in a day. The post waits for its turn.",
  limit: "channel",
} as const satisfies WaitCause;

const PACED = {
  code: "rate_limited",
  message: "Answers are spread over time, so that the platform does not classify them as spam.",
  limit: "channel",
} as const satisfies WaitCause;
