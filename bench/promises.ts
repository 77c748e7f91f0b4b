import type { Finding } from "../scripts/support/driver.ts";
import { dim } from "../scripts/support/terminal.ts";
import type { Load, Measured } from "./load.ts";
import { type Costs, median } from "./measure.ts";

/** The measured sizes and operations, and their limits. */
export const SIZES = { "1k": 1000, "200k": 200_000 };
export type Size = keyof typeof SIZES;

export const BARE = "bare Hono worker, one D1 read";
export const FIND_POST_AT_LEAST = 0.6;
export const GET_POSTS_AT_MOST = 1.2;
const CREATE_POST_TAIL_AT_MOST = 2;
/** D1 calls and rows read: the same limits for small and large tables. */
export type CostLimit = readonly [calls: number, rowsRead: number];

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
  /** Publishes now, with an `Idempotency-Key` per request. Measured last: its work continues after it. */
  readonly isNow: boolean;
  /** Only its costs are measured: a load would reach a quota. */
  readonly isLoadless: boolean;
  /** Null if its costs have no limit of their own. */
  readonly atMost: CostLimit | null;
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

/** One measured limit. */
export const limited = (name: string, found: string, rule: string, holds: boolean): Finding => ({
  holds,
  text: `${name.padEnd(44)} ${found}  ${dim(`(${rule})`)}`,
});

export function checkPromises(cases: readonly Measurement[], beside: Measurement): readonly Finding[] {
  const runsOf = (operation: string, size: Size) => measurementOf(cases, operation, size).runs;
  const medianOf = (numbers: readonly number[]) => [median(numbers), median(numbers).toFixed(2)] as const;
  const ratio = (over: readonly Measured[], under: readonly Measured[]) =>
    medianOf(over.map(({ perSecond }, round) => perSecond / (under[round]?.perSecond ?? Number.NaN)));
  const finds = (["1k", "200k"] as const).map((size) => {
    const [speed, text] = ratio(runsOf("find-post", size), runsOf(BARE, "1k"));
    return limited(`find-post (${size}) / bare`, text, `≥ ${FIND_POST_AT_LEAST}`, speed >= FIND_POST_AT_LEAST);
  });
  const [slower, slowerText] = ratio(runsOf("get-posts", "1k"), runsOf("get-posts", "200k"));
  const tails = runsOf("create-post", "1k").map(({ p99 }, round) => p99 / (beside.runs[round]?.p99 ?? Number.NaN));
  const [tail, tailText] = medianOf(tails);
  return [
    ...finds,
    limited("get-posts, time at 200k / 1k", slowerText, `≤ ${GET_POSTS_AT_MOST}`, slower <= GET_POSTS_AT_MOST),
    limited(
      "create-post (1k) / bare, p99",
      tailText,
      `≤ ${CREATE_POST_TAIL_AT_MOST}`,
      tail <= CREATE_POST_TAIL_AT_MOST,
    ),
  ];
}

export function checkCosts(cases: readonly Measurement[]): readonly Finding[] {
  return cases.flatMap(({ operation, size, costs, atMost }): Finding[] => {
    if (atMost === null || costs === null) return [];
    const [calls, rows] = atMost;
    const found = `${costs.calls} calls, ${costs.rowsRead} rows`;
    const holds = costs.calls <= calls && costs.rowsRead <= rows;
    return [limited(`${operation} (${size})`, found, `≤ ${calls}, ≤ ${rows}`, holds)];
  });
}
