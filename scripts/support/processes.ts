import { type StdioOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./paths.ts";

const GUARD = join(import.meta.dirname, "guard.ts");
const TAIL_LINES = 60;

/** Over that of this process; `undefined` leaves a variable out. */
type Environment = Readonly<Record<string, string | undefined>>;

export interface GuardedOptions {
  readonly env?: Environment;
  /** Receives the output line by line. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface Guarded {
  /** The guard's process id; it leads the group. */
  readonly pid: number | undefined;
  readonly exited: Promise<void>;
  readonly hasExited: boolean;
  /** The last lines of output. */
  tail(): string;
  /** Requests a stop; kills the process after a grace period. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the whole group, like a crash. */
  kill(): Promise<void>;
}

/** Starts a long-running command in a separate process group, which never outlives this process. */
export function startGuarded(command: string, args: readonly string[], options: GuardedOptions = {}): Guarded {
  const { env = {}, onLine = () => {} } = options;
  const tail: string[] = [];
  const guard = spawn(process.execPath, [GUARD, command, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // The guard may exit before its input is closed.
  guard.stdin.on("error", () => {});
  for (const stream of [guard.stdout, guard.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      onLine(line);
    });
  }
  let hasExited = false;
  const exited = new Promise<void>((resolve) => {
    guard.once("error", (error) => tail.push(error.message));
    guard.once("exit", () => killGroup(guard.pid));
    guard.once("close", () => {
      hasExited = true;
      resolve();
    });
  });
  return {
    pid: guard.pid,
    exited,
    get hasExited() {
      return hasExited;
    },
    tail: () => tail.join("\n"),
    async stop() {
      guard.stdin.end();
      const timer = setTimeout(() => killGroup(guard.pid), 3000);
      await exited;
      clearTimeout(timer);
    },
    async kill() {
      killGroup(guard.pid);
      await exited;
    },
  };
}

export interface RunOptions {
  readonly env?: Environment;
  /** As for `spawn`; standard output and errors are collected unless inherited. */
  readonly stdio?: StdioOptions;
}

export interface Ended {
  readonly code: number;
  /** Standard output and errors. */
  readonly output: string;
}

/** Runs a command of this repository to its end. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, stdio = ["ignore", "pipe", "pipe"] } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output: `${stdout}${stderr}` }));
  });
}

/** Whether a process with this id exists, possibly of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is already empty.
  }
}
