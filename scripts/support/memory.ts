import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The resident memory of a Worker's process in bytes (Linux, from /proc). */

/** The current resident memory of the workerd processes of this process group; 0 if unknown. */
export function residentOf(group: number | undefined): number {
  return group === undefined ? 0 : workerdsOf(group).reduce((sum, pid) => sum + residentBytes(pid), 0);
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`;

function workerdsOf(group: number): readonly number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      // `id (name) state parent group …`
      const [, name, , , processGroup] = /^\d+ \((.*)\) (\S) (\d+) (\d+)/.exec(read(`/proc/${pid}/stat`)) ?? [];
      return name === "workerd" && Number(processGroup) === group;
    });
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Empty if the process has just exited. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
