import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import type { Paced } from "../core/page.ts";
import { SECOND } from "../core/time.ts";
import type { AppEnv } from "./environment.ts";

/** Skipping an entry of a merged list costs two rows (db/merge.ts). */
const ROWS_PASSED = 2;

/**
 * Reads a page of a list. Before it skips or counts many rows, `read` takes a turn of its project
 * (core/row-pace.ts); all other pages need not wait. Throws `rate_limited`.
 */
export async function readPaced<T>(c: Context<AppEnv>, read: (turn: Paced["turn"]) => Promise<T>): Promise<T> {
  const { caller, deps } = c.var;
  const { memory, meter } = deps;
  const taken = { turns: 0, rows: 0 };
  const before = meter.d1RowsRead;
  const turn = async (passed: number) => {
    const rows = ROWS_PASSED * passed;
    const given = memory.rowPace.enter(caller.projectId, rows, Date.now());
    if (given.kind === "full") {
      const message = "Too many requests of this project read pages far from the ends of its lists. Use `cursor`.";
      throw new AppError("rate_limited", message, { retryAfterSeconds: Math.ceil(given.retryAfterMs / SECOND) });
    }
    taken.turns++;
    taken.rows += rows;
    if (given.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, given.waitMs));
  };
  try {
    return await read(turn);
  } finally {
    if (taken.turns > 0) {
      const rows = meter.d1RowsRead - before;
      memory.rowPace.correct(caller.projectId, rows - taken.rows, Date.now());
      meter.pacedRows += rows;
    }
  }
}
