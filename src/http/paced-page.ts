import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import { isNear, type Numbered, REACH } from "../core/page.ts";
import { SECOND } from "../core/time.ts";
import type { AppEnv } from "./environment.ts";

/** An entry of a merged list that is passed over costs two rows (db/merge.ts). */
const ROWS_PASSED = 2;

/**
 * Reads a numbered page: one that may read many rows waits for its project's turn (core/row-pace.ts), all others do
 * not. `isCounted`: whether a counter knows the total, so that page 1 is none of these. Throws `rate_limited`.
 */
export async function readPaced<T>(
  c: Context<AppEnv>,
  asked: Numbered & { readonly isCounted: boolean },
  read: () => Promise<T>,
): Promise<T> {
  if (isNear(asked) && asked.isCounted) return read();
  const { caller, deps } = c.var;
  const { memory, meter } = deps;
  const rows = ROWS_PASSED * Math.min((asked.page - 1) * asked.limit, REACH);
  const turn = memory.rowPace.enter(caller.projectId, rows, Date.now());
  if (turn.kind === "full") {
    const message =
      "The project reads more pages far from the start of its lists than are answered at once. Go by `cursor`.";
    throw new AppError("rate_limited", message, { retryAfterSeconds: Math.ceil(turn.retryAfterMs / SECOND) });
  }
  if (turn.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, turn.waitMs));
  const before = meter.d1RowsRead;
  try {
    return await read();
  } finally {
    memory.rowPace.correct(caller.projectId, meter.d1RowsRead - before - rows, Date.now());
  }
}
