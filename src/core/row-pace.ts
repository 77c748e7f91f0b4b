import type { ProjectId } from "./ids.ts";
import { SECOND } from "./time.ts";

/**
 * Rows per second that a project's costly reads may read; at the deepest pages of posts, two or three pages a
 * second.
 */
const ROWS_PER_SECOND = 40_000;
const MS_PER_ROW = SECOND / ROWS_PER_SECOND;
/** A project that is ahead of its pace by no more than this need not wait. */
const SPARED_MS = 100;
/** The same for a request of which nobody knows that it reads much. */
const REQUEST_SPARED_MS = SECOND;
/** The longest wait of a read; a read that would wait longer is refused with a retry time. */
const MAX_WAIT_MS = 5 * SECOND;
/** A project is ahead of its pace by at most this much, whatever one request has read. */
const MAX_DEBT_MS = 2 * MAX_WAIT_MS;

export type Turn =
  | { readonly kind: "go"; readonly waitMs: number }
  | { readonly kind: "full"; readonly retryAfterMs: number };

/**
 * Paces the reads that may cost many rows, per project in this isolate. The database runs one statement at a
 * time, so one project's reads delay all others. Pure: the time is an argument.
 */
export class RowPace {
  /** When the pace has covered the rows that the project read or is about to read. */
  readonly #paidAt = new Map<ProjectId, number>();

  /** Requests a turn for a read of about this many rows. */
  enter(project: ProjectId, rows: number, now: number): Turn {
    for (const [other, at] of this.#paidAt) if (at <= now) this.#paidAt.delete(other);
    const paidAt = this.#paidAt.get(project) ?? now;
    const waitMs = paidAt - now <= SPARED_MS ? 0 : paidAt - now;
    if (waitMs > MAX_WAIT_MS) return { kind: "full", retryAfterMs: waitMs - MAX_WAIT_MS };
    this.#paidAt.set(project, paidAt + rows * MS_PER_ROW);
    return { kind: "go", waitMs };
  }

  /** Corrects an estimate: the read took `rows` more than estimated, or fewer if negative. */
  correct(project: ProjectId, rows: number, now: number): void {
    this.#paidAt.set(project, (this.#paidAt.get(project) ?? now) + rows * MS_PER_ROW);
  }

  /** The turn of a request that may read little: only a project that is far ahead of its pace waits. */
  request(project: ProjectId, now: number): Turn {
    const waitMs = (this.#paidAt.get(project) ?? now) - now - REQUEST_SPARED_MS;
    if (waitMs > MAX_WAIT_MS) return { kind: "full", retryAfterMs: waitMs - MAX_WAIT_MS };
    return { kind: "go", waitMs: Math.max(0, waitMs) };
  }

  /** What a request of the project has read: its next requests wait for it, those of others do not. */
  charge(project: ProjectId, rows: number, now: number): void {
    const paidAt = Math.max(this.#paidAt.get(project) ?? now, now) + rows * MS_PER_ROW;
    this.#paidAt.set(project, Math.min(paidAt, now + MAX_DEBT_MS));
  }
}
