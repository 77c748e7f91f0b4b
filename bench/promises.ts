import type { Delivered } from "./deliveries.ts";
import type { Load, Measured } from "./load.ts";
import { type Costs, median } from "./measure.ts";

/** The measured sizes and operations, and their limits. */
export const SIZES = { "1k": 1000, "200k": 200_000 };
export type Size = keyof typeof SIZES;

export const BARE = "bare Hono worker, one D1 read";
export const LIST = "get-comment-automations";
export const FIND = "get-comment-automation/{id}";
export const LOG = "get-comment-automation/{id}/replies";
export const TRIAL = "test-comment-automation/{id}";
export const CREATE = "create-comment-automation";
export const GENERATED = "get-post-generations";
export const GENERATION = "post-generation/{id}";
export const CAMPAIGNS = "get-campaigns";
export const LAST_CAMPAIGNS = "get-campaigns, the last page";
export const CAMPAIGN = "get-campaign/{id}";

export const FIND_POST_AT_LEAST = 0.6;
export const GET_POSTS_AT_MOST = 1.2;
const CREATE_POST_TAIL_AT_MOST = 2;
/** D1 calls and rows read: the same limits for small and large tables. */
const COSTS_AT_MOST: Readonly<Record<string, readonly [calls: number, rowsRead: number]>> = {
  [LIST]: [1, 40],
  [FIND]: [1, 4],
  [LOG]: [2, 30],
  [TRIAL]: [2, 12],
  [CREATE]: [2, 130],
  [GENERATED]: [1, 40],
  [GENERATION]: [1, 12],
  [CAMPAIGNS]: [1, 120],
  // Read from the end, once the total is known.
  [LAST_CAMPAIGNS]: [2, 120],
  [CAMPAIGN]: [1, 12],
};

export interface Case {
  readonly operation: string;
  readonly size: Size;
  readonly port: number;
  /** The process group of the service. */
  readonly pid: number | undefined;
  readonly method: string;
  readonly body?: string;
  /** Whether the operation makes the tables grow. */
  readonly grows: boolean;
  /** Only its costs are measured: a load would reach a quota. */
  readonly isLoadless?: boolean;
  readonly requests: (tokenCount: number) => Load["requests"];
  /** The costs of one request in steady state; null if nothing is counted. */
  readonly sampleCosts: () => Promise<Costs | null>;
}
export interface Measurement extends Case {
  /** The number of tokens that its request rate needs. */
  readonly tokenCount: number;
  readonly costs: Costs | null;
  readonly runs: Measured[];
}

/** Compares the runs of each round with each other, then takes the median over the rounds. */
export function measurementOf(cases: readonly Measurement[], operation: string, size: Size): Measurement {
  const found = cases.find((each) => each.operation === operation && each.size === size);
  if (!found) throw new Error(`${operation} (${size}) was not measured.`);
  return found;
}

export interface Promised {
  readonly name: string;
  readonly found: string;
  readonly rule: string;
  readonly holds: boolean;
}

export function checkPromises(cases: readonly Measurement[], beside: Measurement): readonly Promised[] {
  const runsOf = (operation: string, size: Size) => measurementOf(cases, operation, size).runs;
  const ratio = (over: readonly Measured[], under: readonly Measured[]) =>
    median(over.map(({ perSecond }, round) => perSecond / (under[round]?.perSecond ?? Number.NaN)));
  const bare = runsOf(BARE, "1k");
  const sizes: readonly Size[] = ["1k", "200k"];
  const promises = [
    ...sizes.map((size) => {
      const found = ratio(runsOf("find-post", size), bare);
      const rule = `≥ ${FIND_POST_AT_LEAST}`;
      return { name: `find-post (${size}) / bare`, found, rule, holds: found >= FIND_POST_AT_LEAST };
    }),
    (() => {
      const found = ratio(runsOf("get-posts", "1k"), runsOf("get-posts", "200k"));
      const rule = `≤ ${GET_POSTS_AT_MOST}`;
      return { name: "get-posts, time at 200k / 1k", found, rule, holds: found <= GET_POSTS_AT_MOST };
    })(),
    (() => {
      const tails = runsOf("create-post", "1k").map(({ p99 }, round) => p99 / (beside.runs[round]?.p99 ?? Number.NaN));
      const found = median(tails);
      const rule = `≤ ${CREATE_POST_TAIL_AT_MOST}`;
      return { name: "create-post (1k) / bare, p99", found, rule, holds: found <= CREATE_POST_TAIL_AT_MOST };
    })(),
  ];
  return promises.map(({ found, ...promise }) => ({ ...promise, found: found.toFixed(2) }));
}

export function checkCosts(cases: readonly Measurement[]): readonly Promised[] {
  return cases.flatMap(({ operation, size, costs }): Promised[] => {
    const [calls, rows] = COSTS_AT_MOST[operation] ?? [];
    if (calls === undefined || rows === undefined || costs === null) return [];
    return [
      {
        name: `${operation} (${size})`,
        found: `${costs.calls} calls, ${costs.rowsRead} rows`,
        rule: `≤ ${calls}, ≤ ${rows}`,
        holds: costs.calls <= calls && costs.rowsRead <= rows,
      },
    ];
  });
}

export function checkDeliveries(delivered: readonly Delivered[]): readonly Promised[] {
  return delivered.map(({ name, cost, atMost }) => {
    const shown = ({ d1Calls, d1RowsRead, d1RowsWritten, fetches }: Delivered["atMost"]) =>
      `${d1Calls} calls, ${d1RowsRead} rows, ${d1RowsWritten} written, ${fetches} to the platform`;
    const holds =
      cost.d1Calls <= atMost.d1Calls &&
      cost.d1RowsRead <= atMost.d1RowsRead &&
      cost.d1RowsWritten <= atMost.d1RowsWritten &&
      cost.fetches <= atMost.fetches;
    return { name, found: shown(cost), rule: `≤ ${shown(atMost)}`, holds };
  });
}
