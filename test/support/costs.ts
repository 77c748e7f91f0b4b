import { projectsTable } from "../../src/accounts/table.ts";
import { createMeter, type Meter } from "../../src/core/meter.ts";
import { createDeps, type Deps } from "../../src/service/deps.ts";
import { isHooked } from "../../src/webhooks/dispatch-events.ts";
import { bindings } from "./queue.ts";
import type { Answer } from "./world.ts";

/** What a request used: counts, not times. */
export interface Cost {
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly kvReads: number;
  readonly objectCalls: number;
  readonly queueSends: number;
}

/** As its `Server-Timing` says; NaN for what that does not. */
export function costOf(answer: Pick<Answer, "headers">): Cost {
  const header = answer.headers.get("Server-Timing") ?? "";
  const number = (pattern: RegExp): number => Number(pattern.exec(header)?.[1] ?? Number.NaN);
  return {
    calls: number(/d1;desc="calls=(\d+)/),
    statements: number(/statements=(\d+)/),
    rowsRead: number(/rows_read=(\d+)/),
    rowsWritten: number(/rows_written=(\d+)/),
    kvReads: number(/kv;desc="reads=(\d+)"/),
    objectCalls: number(/do;desc="calls=(\d+)"/),
    queueSends: number(/queue;desc="sends=(\d+)"/),
  };
}

/**
 * The same of what is no request: a sweep, or a delivery. Which projects have webhooks is read before it,
 * because an isolate reads that once each half minute, whatever it does meanwhile.
 */
export async function costsOf(act: (deps: Deps) => Promise<unknown>): Promise<Meter> {
  const meter = createMeter();
  const before = createDeps(bindings, { test: true });
  const projects = await before.db.select({ id: projectsTable.id }).from(projectsTable);
  for (const id of [null, ...projects.map((project) => project.id)]) await isHooked(before, id);
  await act(createDeps(bindings, { test: true }, meter));
  return meter;
}
