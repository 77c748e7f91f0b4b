import type { ProjectId } from "./ids.ts";
import { SECOND } from "./time.ts";

/**
 * How many rows a second a project's costly reads may read; at the deepest pages of posts, two or three a
 * second.
 */
const ROWS_PER_SECOND = 40_000;
const MS_PER_ROW = SECOND / ROWS_PER_SECOND;
/** A project that has read no more than this too fast need not wait. */
const SPARED_MS = 100;
/** How long a read waits at most: who would wait longer is told when to come again. */
const MAX_WAIT_MS = 5 * SECOND;

export type Turn =
  | { readonly kind: "go"; readonly waitMs: number }
  | { readonly kind: "full"; readonly retryAfterMs: number };

/**
 * The pace of reads that may cost many rows, project by project in this isolate: the database does one
 * statement at a time, so what one project reads at once keeps all others waiting. Pure: time comes in as an
 * argument.
 */
export class RowPace {
  /** When what was read, or is about to be, is paid for. */
  readonly #paidAt = new Map<ProjectId, number>();

  /** A turn for a read of about so many rows. */
  enter(project: ProjectId, rows: number, now: number): Turn {
    for (const [other, at] of this.#paidAt) if (at <= now) this.#paidAt.delete(other);
    const paidAt = this.#paidAt.get(project) ?? now;
    const waitMs = paidAt - now <= SPARED_MS ? 0 : paidAt - now;
    if (waitMs > MAX_WAIT_MS) return { kind: "full", retryAfterMs: waitMs - MAX_WAIT_MS };
    this.#paidAt.set(project, paidAt + rows * MS_PER_ROW);
    return { kind: "go", waitMs };
  }

  /** It has read so many more rows than was thought, or fewer. */
  correct(project: ProjectId, rows: number, now: number): void {
    this.#paidAt.set(project, (this.#paidAt.get(project) ?? now) + rows * MS_PER_ROW);
  }
}
