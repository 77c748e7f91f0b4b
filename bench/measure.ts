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

/** The storage calls of a request; NaN if the header does not contain the count. */
export interface Costs {
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly kv: number;
  readonly objects: number;
  readonly sends: number;
}

/** The counts of a `Server-Timing` header (src/core/meter.ts). */
export function readCosts(header: string | null): Costs {
  const count = (name: string, field: string) =>
    Number(new RegExp(`${name};desc="[^"]*\\b${field}=(\\d+)`).exec(header ?? "")?.[1] ?? Number.NaN);
  return {
    calls: count("d1", "calls"),
    statements: count("d1", "statements"),
    rowsRead: count("d1", "rows_read"),
    rowsWritten: count("d1", "rows_written"),
    kv: count("kv", "reads"),
    objects: count("do", "calls"),
    sends: count("queue", "sends"),
  };
}

/** The median of each count. */
function medianCosts(samples: readonly Costs[]): Costs {
  const of = (name: keyof Costs) => median(samples.map((each) => each[name]));
  return {
    calls: of("calls"),
    statements: of("statements"),
    rowsRead: of("rowsRead"),
    rowsWritten: of("rowsWritten"),
    kv: of("kv"),
    objects: of("objects"),
    sends: of("sends"),
  };
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
  return medianCosts(samples);
}
