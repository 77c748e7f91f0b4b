import { existsSync, readdirSync, readFileSync } from "node:fs";

/** How much memory a Worker's process has resident (Linux: from /proc), in bytes. */

const SAMPLE_MS = 100;

export interface MemoryWatch {
  /** The growth of the peak over what it was at the beginning; ends the watch. */
  end(): { readonly before: number; readonly growth: number };
}

/**
 * Watches the workerd processes of this process group. Null where there is no /proc, or no such process: then
 * nothing can be told.
 */
export function watchMemory(group: number | undefined): MemoryWatch | null {
  const pids = group === undefined ? [] : workerdsOf(group);
  const resident = () => pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
  const before = resident();
  if (before === 0) return null;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, resident());
  }, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      return { before, growth: Math.max(peak, resident()) - before };
    },
  };
}

/** What the workerd processes of this process group have resident now; 0 where nothing can be told. */
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

/** Empty for a process that has just gone. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
