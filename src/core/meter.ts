/**
 * What one invocation (a request, a batch of messages, a sweep) used: calls to the database, storage and
 * network. Printed in `Server-Timing`, asserted by test/posts/lists/costs.test.ts.
 */
export interface Meter {
  d1Calls: number;
  d1Statements: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  kvReads: number;
  kvWrites: number;
  objectCalls: number;
  queueSends: number;
  /** Outgoing requests to platforms and media servers; each redirect counts too. */
  fetches: number;
  /** Of `d1RowsRead`, what the pace of the project has already. */
  pacedRows: number;
}

export function createMeter(): Meter {
  return {
    d1Calls: 0,
    d1Statements: 0,
    d1RowsRead: 0,
    d1RowsWritten: 0,
    kvReads: 0,
    kvWrites: 0,
    objectCalls: 0,
    queueSends: 0,
    fetches: 0,
    pacedRows: 0,
  };
}

/** The runtime's limit per invocation: every call above is a subrequest. */
const MAX_SUBREQUESTS = 1000;
/** At this share no delivery starts anything new: the rest is for the writes of those that are running. */
const SPENT_SHARE = 0.8;

export function subrequestsOf({ d1Calls, kvReads, kvWrites, objectCalls, queueSends, fetches }: Meter): number {
  return d1Calls + kvReads + kvWrites + objectCalls + queueSends + fetches;
}

/** Whether the invocation should start nothing new. */
export function isNearlySpent(meter: Meter): boolean {
  return subrequestsOf(meter) >= SPENT_SHARE * MAX_SUBREQUESTS;
}

/** The `Server-Timing` header: the time, the D1 calls and the rows of a request. */
export function serverTiming(meter: Meter, totalMs: number): string {
  const d1 = `calls=${meter.d1Calls} statements=${meter.d1Statements} rows_read=${meter.d1RowsRead} rows_written=${meter.d1RowsWritten}`;
  return [
    `d1;desc="${d1}"`,
    `kv;desc="reads=${meter.kvReads}"`,
    `do;desc="calls=${meter.objectCalls}"`,
    `queue;desc="sends=${meter.queueSends}"`,
    `total;dur=${totalMs.toFixed(1)}`,
  ].join(", ");
}
