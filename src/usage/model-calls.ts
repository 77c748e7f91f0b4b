import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../core/errors.ts";
import type { AutomationId, ProjectId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { DAY, HOUR, SECOND } from "../core/time.ts";
import { type Allowance, countUse, hasRoom, usedOf } from "../db/allowances.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { failed, type ModelFailure } from "../models/outcome.ts";
import { spokenMicros } from "../platforms/pricing.ts";
import type { Config } from "../service/config.ts";
import { ceilingOf, isBeyond, mostOf, noticesOf } from "./ceiling.ts";
import { countUses } from "./store.ts";

/**
 * Every call of a model is one of a day's calls (UTC) of its project, and of its bot: strangers' comments
 * cause them. Trials have an allowance of their own, so that they take nothing from answers. With a price of
 * the operator's (`MODEL_PRICES`), it counts under the project's cost ceiling as well.
 */
export interface ModelCaller {
  readonly projectId: ProjectId;
  /** The bot that answers; null for a generation. */
  readonly automationId: AutomationId | null;
  readonly isTrial: boolean;
}

/** One call. `units`: texts, images, texts that are spoken; seconds of a video. */
export interface ModelUse {
  readonly operation: ModelOperation;
  readonly units: number;
}
export type ModelOperation = "text" | "image" | "speech" | "video";

interface Counting {
  readonly db: Db;
  readonly config: Pick<Config, "quotas" | "modelPrices">;
}

interface Named extends Allowance {
  /** Whose calls, in a refusal. */
  readonly whose: string;
}

type NamedOnes = readonly [Named, Named?];

/** The allowances that a call takes from: the project's, and the bot's. */
export function modelAllowances({ config }: Pick<Counting, "config">, caller: ModelCaller, now: number): NamedOnes {
  const { projectId, automationId, isTrial } = caller;
  const { modelTrialsADay, modelCallsADay, modelCallsOfBot } = config.quotas;
  const windowMs = DAY - (now % DAY);
  const key = `model-calls:${projectId}`;
  if (isTrial) {
    return [{ key: `model-trials:${projectId}`, most: modelTrialsADay, windowMs, whose: "Trials of this project" }];
  }
  const ofProject = { key, most: modelCallsADay, windowMs, whose: "This project" };
  if (automationId === null) return [ofProject];
  return [ofProject, { key: `${key}:${automationId}`, most: modelCallsOfBot, windowMs, whose: "This automation" }];
}

/** What a call costs by the operator's price. */
const microsOf = ({ config }: Pick<Counting, "config">, { operation, units }: ModelUse): number =>
  Math.ceil((config.modelPrices[operation] ?? 0) * units);

/** Whether the call may be made, as a condition of the statement that begins it. */
export function mayCall(counting: Counting, caller: ModelCaller, use: ModelUse, now: number): SQL {
  const micros = microsOf(counting, use);
  const rooms = modelAllowances(counting, caller, now).flatMap((one) => (one ? [hasRoom(one, now)] : []));
  const isWithin = sql`NOT ${isBeyond(ceilingOf(counting.config, caller.projectId, now), micros)}`;
  return sql.join(micros > 0 ? [...rooms, isWithin] : rooms, sql` AND `);
}

/**
 * Counts a call, for the transaction that begins it: while the condition holds. The first statement returns a
 * row if it counted.
 */
export function countModelCall(
  counting: Counting,
  caller: ModelCaller,
  { operation, units }: ModelUse,
  { now, condition }: { readonly now: number; readonly condition: SQL },
) {
  const { db, config } = counting;
  const { projectId } = caller;
  const micros = microsOf(counting, { operation, units });
  const [allowance, ...others] = modelAllowances(counting, caller, now);
  const isCounted = sql`changes() > 0`;
  const use = { operation, calls: 1, units, micros };
  return {
    counted: countUse(db, allowance, now, condition),
    others: [
      ...others.flatMap((other) => (other ? [countUse(db, other, now, isCounted)] : [])),
      countUses(db, { projectId, service: "models" }, [use], { at: now, condition: isCounted }),
      ...(micros > 0 ? noticesOf(db, ceilingOf(config, projectId, now), now) : []),
    ] satisfies Statement[],
  };
}

/** Counts a call that no journal has; the reason if it must not be made. One D1 call. */
export async function beginModelCall(
  counting: Counting,
  caller: ModelCaller,
  use: ModelUse,
): Promise<ModelFailure | null> {
  const now = Date.now();
  const condition = mayCall(counting, caller, use, now);
  const { counted } = await writeTogether(counting.db, countModelCall(counting, caller, use, { now, condition }));
  return counted.length > 0 ? null : refusalOfCall(counting, caller, use);
}

/** Why a call may not be made; null if it may. */
export async function refusalOfCall(
  counting: Counting,
  caller: ModelCaller,
  use: ModelUse,
): Promise<ModelFailure | null> {
  const { db, config } = counting;
  const now = Date.now();
  const [first, second] = modelAllowances(counting, caller, now);
  const ceiling = ceilingOf(config, caller.projectId, now);
  const [found] = await db
    .select({
      may: sql<number>`${mayCall(counting, caller, use, now)}`.as("may"),
      first: usedOf(first, now).as("first"),
      second: second ? usedOf(second, now).as("second") : sql<number>`0`.as("second"),
      mostMicros: mostOf(ceiling).as("most_micros"),
    })
    .from(sql`(SELECT 1)`);
  if (!found || found.may === 1) return null;
  const full = found.first >= first.most ? first : second && found.second >= second.most ? second : null;
  const ask = "or ask the operator of this service for more";
  if (full) {
    const message = `${full.whose} may call models ${grouped(full.most)} times a day (UTC), which is used up. Try again tomorrow, ${ask}.`;
    return failed("over_quota", message, Math.ceil(full.windowMs / SECOND));
  }
  const amount = spokenMicros(found.mostMicros ?? 0);
  const message = `This project may cost ${amount} in a month, and this call of a model would pass it. Try again next month (UTC), ${ask}.`;
  return failed("over_quota", message, DAY / SECOND);
}

/** For a request: the refusal as its answer. */
export const modelQuotaExceeded = ({ message, retryAfterSeconds = HOUR / SECOND }: ModelFailure): AppError =>
  new AppError("quota_exceeded", message, { retryAfterSeconds });

/** For a batch: what a project has used today, for `usage`. */
export function selectModelCalls(counting: Counting, projectId: ProjectId, now: number) {
  const [calls, trials] = dayAllowances(counting, projectId, now);
  return counting.db
    .select({ calls: usedOf(calls, now).as("calls"), trials: usedOf(trials, now).as("trials") })
    .from(sql`(SELECT 1)`);
}

export function toModelCalls(
  counting: Pick<Counting, "config">,
  projectId: ProjectId,
  rows: readonly { readonly calls: number; readonly trials: number }[],
) {
  const [calls, trials] = dayAllowances(counting, projectId, 0);
  return {
    today: rows[0]?.calls ?? 0,
    most: calls.most,
    most_of_automation: counting.config.quotas.modelCallsOfBot,
    trials_today: rows[0]?.trials ?? 0,
    most_trials: trials.most,
  };
}

function dayAllowances({ config }: Pick<Counting, "config">, projectId: ProjectId, now: number) {
  const of = (isTrial: boolean) => modelAllowances({ config }, { projectId, automationId: null, isTrial }, now)[0];
  return [of(false), of(true)] as const;
}
