import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import { CURRENCY, spokenMicros, toMicros } from "../platforms/pricing.ts";
import type { Config } from "../service/config.ts";
import { usageEvents } from "./events.ts";
import { monthOf } from "./month.ts";
import { costCeilingsTable, costNoticesTable } from "./table.ts";

/**
 * The most that platforms may charge a project in a calendar month (UTC). A call is reserved only while the
 * month's sum stays within it, in the statement that reserves it: concurrent calls cannot pass it together.
 */
/** From this share on, calls that only read are made less often. */
const NEAR_PERCENT = 80;
const PERCENTS = [NEAR_PERCENT, 100] as const;

/** The configured ceiling in micros, for a project whose operator has set none; null for none. */
export function standardCeiling({ quotas }: Pick<Config, "quotas">): number | null {
  const most = quotas.platformCost[CURRENCY] ?? quotas.platformCost["*"];
  return most === undefined ? null : toMicros(most);
}

export interface Ceiling {
  readonly projectId: ProjectId;
  readonly month: string;
  readonly standard: number | null;
}

export function ceilingOf(config: Pick<Config, "quotas">, projectId: ProjectId, at: number): Ceiling {
  return { projectId, month: monthOf(at), standard: standardCeiling(config) };
}

/** In micros; null for none. */
export const mostOf = ({ projectId, standard }: Ceiling): SQL<number | null> =>
  sql`coalesce((SELECT most_micros FROM cost_ceilings WHERE project_id = ${projectId}), ${standard})`;

const spent = ({ projectId, month }: Ceiling): SQL<number> =>
  sql`coalesce((SELECT sum(micros) FROM usage WHERE project_id = ${projectId} AND month = ${month}), 0)`;

/** True if this further amount would pass the ceiling. */
export function isBeyond(ceiling: Ceiling, micros: number): SQL<number> {
  return sql`(CASE WHEN ${mostOf(ceiling)} IS NULL THEN 0 ELSE ${spent(ceiling)} + ${micros} > ${mostOf(ceiling)} END)`;
}

/** Whether the project has a ceiling. */
export const isLimited = (ceiling: Ceiling): SQL<number> => sql`(${mostOf(ceiling)} IS NOT NULL)`;

/** What the month has cost, and the ceiling in micros; null for none. */
export interface Standing {
  readonly spentMicros: number;
  readonly mostMicros: number | null;
}

export function selectStanding(db: Db, ceiling: Ceiling) {
  return db
    .select({ spentMicros: spent(ceiling).as("spent_micros"), mostMicros: mostOf(ceiling).as("most_micros") })
    .from(sql`(SELECT 1)`);
}

export function isNear({ spentMicros, mostMicros }: Standing): boolean {
  return mostMicros !== null && spentMicros * 100 >= mostMicros * NEAR_PERCENT;
}

/**
 * Notifies of 80 % and of 100 %, once each in a month: for the transaction that reserves. `isFull`: a call
 * did not fit any more, which counts as both.
 */
export function noticesOf(db: Db, ceiling: Ceiling, at: number, isFull = false): Statement[] {
  const { projectId, month } = ceiling;
  const notices = PERCENTS.map((percent) => {
    const isReached = isFull ? sql`1` : sql`${spent(ceiling)} * 100 >= ${mostOf(ceiling)} * ${percent}`;
    const known = sql`SELECT 1 FROM cost_notices WHERE project_id = ${projectId} AND month = ${month} AND percent = ${percent}`;
    const when = sql`(CASE WHEN ${mostOf(ceiling)} IS NULL THEN 0 ELSE ${isReached} AND NOT EXISTS (${known}) END)`;
    return { percent, when };
  });
  return notices.flatMap(({ percent, when }) => [
    usageEvents.insert(
      db,
      {
        projectId,
        subjectId: projectId,
        type: "usage.near_limit",
        message: SENTENCES[percent],
        detail: { month, percent },
        at,
      },
      when,
    ),
    insertWhere(db, costNoticesTable, { projectId, month, percent }, when).onConflictDoNothing(),
  ]);
}

const SENTENCES = {
  80: "Platforms have charged 80 % of what this project may cost in a month. Reading slows down.",
  100: "What is left of this project's platform cost of the month does not cover the next call. Such calls wait for the next month, or for a higher ceiling.",
} as const;

/** Jobs check again this often: what another call had reserved may be free. A check calls no platform. */
const CHECK_MS = 6 * HOUR;
/** Jobs that wait for the next month do not begin in the same second. */
const SPREAD_MS = 10 * MINUTE;

/**
 * The call would pass the ceiling: the job continues next month, or when the ceiling is raised. The wait does
 * not count against its deadline.
 */
export class CostCeilingReached extends RetryLater {
  constructor({ projectId }: Ceiling, { mostMicros }: Standing) {
    const now = Date.now();
    const until = Math.min(nextMonth(now), now + CHECK_MS) + Math.random() * SPREAD_MS;
    const amount = spokenMicros(mostMicros ?? 0);
    const message = `This project may cost ${amount} at platforms in a month, and this call would pass it. It continues next month (UTC), or when the operator of this service raises the ceiling.`;
    const cause = { code: "cost_ceiling", message, resumeKey: resumeKeyOf(projectId) } as const;
    const seconds = Math.ceil((until - now) / SECOND);
    super(seconds, cause, [], seconds);
  }
}

/** Makes calls; returns `otherwise` of the error if one of them would pass the ceiling. */
export async function withinCeiling<T, O>(
  call: () => Promise<T>,
  otherwise: (error: CostCeilingReached) => O,
): Promise<T | O> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CostCeilingReached) return otherwise(error);
    throw error;
  }
}

/** The key under which the jobs of a project wait for a higher ceiling. */
export const resumeKeyOf = (projectId: ProjectId): string => `cost:${projectId}`;

function nextMonth(now: number): number {
  const day = new Date(now);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
}

export function putCeiling(db: Db, projectId: ProjectId, mostMicros: number): Statement {
  return db
    .insert(costCeilingsTable)
    .values({ projectId, mostMicros })
    .onConflictDoUpdate({ target: costCeilingsTable.projectId, set: { mostMicros } });
}
