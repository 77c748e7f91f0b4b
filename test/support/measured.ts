import { expect } from "vitest";
import { COUNTS, type Counts, type Work } from "../../scripts/support/bill.ts";
import { createMeter, type Meter } from "../../src/core/meter.ts";
import { consume } from "../../src/entry/dispatch.ts";
import { kindOf } from "../../src/jobs/messages.ts";
import { costOf, costsOf } from "./costs.ts";
import { queue } from "./queue.ts";
import type { Answer } from "./world.ts";

/** What a piece of work took, compared with the counts of `npm run bill`. */

const NAMES = ["rowsRead", "rowsWritten", "kvReads", "objectCalls"] as const;
export type Measured = Pick<Counts, (typeof NAMES)[number]>;

/** The count is what was measured, and no more than a third too high. */
export function expectCounted(piece: keyof Work, measured: Measured): void {
  const counts = COUNTS[piece];
  for (const name of NAMES) {
    expect(measured[name], name).toBeLessThanOrEqual(counts[name]);
    expect(counts[name], name).toBeLessThanOrEqual(Math.ceil(measured[name] * 1.34) + 2);
  }
}

export function measuredOf(meters: readonly Meter[]): Measured {
  const sum = (name: keyof Meter) => meters.reduce((all, meter) => all + meter[name], 0);
  return {
    rowsRead: sum("d1RowsRead"),
    rowsWritten: sum("d1RowsWritten"),
    kvReads: sum("kvReads"),
    objectCalls: sum("objectCalls"),
  };
}

/** A request, as a meter: of what its answer says. */
export function meterOf(answer: Pick<Answer, "status" | "body" | "headers">): Meter {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { rowsRead, rowsWritten, kvReads, objectCalls } = costOf(answer);
  return { ...createMeter(), d1RowsRead: rowsRead, d1RowsWritten: rowsWritten, kvReads, objectCalls };
}

/** What the delivery of the only message of this kind takes, a job's or a task's; others are lost. */
export async function costOfDelivery(kind: string): Promise<Meter> {
  const own = queue.messages.filter((message) => {
    if (message.type === "job") return kindOf(message.key) === kind;
    return message.type === "recurring" && message.tasks.some(({ key }) => kindOf(key) === kind);
  });
  const [message, ...others] = own;
  if (!message || others.length > 0) throw new Error(`There are ${own.length} messages of ${kind}.`);
  queue.loseAll();
  return costsOf((deps) => consume(deps, message));
}
