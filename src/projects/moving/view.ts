import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import type { Move, MoveStep } from "../table.ts";

const SERVED: readonly MoveStep[] = ["drain", "last_rows", "done", "undone"];

/** A move as the operator's command shows it. */
export function toMoveView({ movedId, name, from, to, step, requestedAt, completedAt, copied }: Move) {
  return {
    project_id: movedId,
    project: name,
    from,
    to,
    step,
    /** Whether requests are answered and work goes on: in the new database, or again in the old one. */
    is_served: SERVED.includes(step),
    is_undone: step === "undone",
    requested_at: isoUtc(requestedAt),
    completed_at: isoUtcOrNull(completedAt),
    rows: Object.values(copied).reduce((sum, { rows }) => sum + rows, 0),
  };
}
