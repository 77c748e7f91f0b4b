import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";
import type { AppEnv } from "./environment.ts";

/**
 * The rows that a request reads are charged to the pace of its project (core/row-pace.ts): the database runs
 * one statement at a time, so a request that reads too much slows the next ones of its author, not those of
 * others.
 */

/** Rows that every request may read: what a list of a hundred posts with their contents takes. */
const SPARED_ROWS = 1_000;

/**
 * Before the work of a request, of which this project pays for the rows: waits while the project is ahead of
 * its pace. Errors: `rate_limited`.
 */
export async function pay(c: Context<AppEnv>, deps: Deps, project: ProjectId): Promise<void> {
  c.set("payer", { deps, projectId: project });
  const turn = deps.memory.rowPace.request(project, Date.now());
  if (turn.kind === "full") {
    const message = "Requests of this project have read very many rows of the database. Try again in some seconds.";
    throw new AppError("rate_limited", message, { retryAfterSeconds: Math.ceil(turn.retryAfterMs / SECOND) });
  }
  if (turn.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, turn.waitMs));
}

/** After it: charges what it has read beyond the rows that are spared, or that had a turn (paced-page.ts). */
export function chargeRows({ memory, meter }: Pick<Deps, "memory" | "meter">, project: ProjectId): void {
  const rows = meter.d1RowsRead - meter.pacedRows - SPARED_ROWS;
  if (rows > 0) memory.rowPace.charge(project, rows, Date.now());
}
