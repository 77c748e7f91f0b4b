import { fork } from "node:child_process";
import { join } from "node:path";
import type { Scope } from "../scripts/support/command.ts";
import type { Load, Measured } from "./load.ts";

export interface Loader {
  /** Runs the load once and returns its numbers. */
  run(load: Load): Promise<Measured>;
}

/** Starts the load process; it stops with the scope. */
export function startLoader(scope: Scope): Loader {
  const child = fork(join(import.meta.dirname, "load.ts"));
  scope.defer(() => child.kill());
  return {
    run: (load) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error("The load process has died."));
        child.once("exit", gone);
        child.once("message", (measured: Measured) => {
          child.off("exit", gone);
          resolve(measured);
        });
        child.send(load);
      }),
  };
}

/** NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (at: number) => sorted[at >> 1] ?? Number.NaN;
  return (middle(sorted.length - 1) + middle(sorted.length)) / 2;
}

/** The storage calls of a request, as the `Server-Timing` header names them (src/core/meter.ts). */
const COUNTS = {
  calls: ["d1", "calls"],
  statements: ["d1", "statements"],
  rowsRead: ["d1", "rows_read"],
  rowsWritten: ["d1", "rows_written"],
  kv: ["kv", "reads"],
  objects: ["do", "calls"],
  sends: ["queue", "sends"],
} as const;
export const COUNT_NAMES = ["calls", "statements", "rowsRead", "rowsWritten", "kv", "objects", "sends"] as const;
type Count = (typeof COUNT_NAMES)[number];
export type Costs = Readonly<Record<Count, number>>;

const costsOf = (count: (name: Count) => number): Costs => ({
  calls: count("calls"),
  statements: count("statements"),
  rowsRead: count("rowsRead"),
  rowsWritten: count("rowsWritten"),
  kv: count("kv"),
  objects: count("objects"),
  sends: count("sends"),
});

/** NaN for a count that the header does not contain. */
export function readCosts(header: string | null): Costs {
  return costsOf((count) => {
    const [name, field] = COUNTS[count];
    return Number(new RegExp(`${name};desc="[^"]*\\b${field}=(\\d+)`).exec(header ?? "")?.[1] ?? Number.NaN);
  });
}

/** Costs in steady state: the median of each count over some requests of one token. */
export async function sampleCosts(
  origin: string,
  method: string,
  { path, headers = {} }: Load["requests"][number],
  body: string | undefined,
): Promise<Costs> {
  const samples: Costs[] = [];
  for (let i = 0; i < 11; i++) {
    const response = await fetch(`${origin}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
    samples.push(readCosts(response.headers.get("Server-Timing")));
  }
  return costsOf((name) => median(samples.map((each) => each[name])));
}
