import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The process that makes the load; ends with the scope. `run(job)` answers one run's numbers. */
export function startLoad(scope) {
  const child = fork(fileURLToPath(new URL("load.mjs", import.meta.url)));
  scope.defer(() => child.kill());
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error("The load process has died."));
        child.once("exit", gone);
        child.once("message", (result) => {
          child.off("exit", gone);
          resolve(result);
        });
        child.send(job);
      }),
  };
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The counts of a `Server-Timing` header (design.md): what a request asked of the storage around it. */
export function readCosts(header) {
  const count = (name, field) =>
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
