import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ROOT } from "./paths.mjs";

const GUARD = fileURLToPath(new URL("guard.mjs", import.meta.url));
const TAIL_LINES = 60;

/**
 * Starts a long-running command in a process group of its own, which ends with us whatever happens to us.
 * `onLine(line, stream)` gets its output line by line.
 */
export function startGuarded(command, args, { env = {}, onLine = () => {} } = {}) {
  const tail = [];
  const guard = spawn(process.execPath, [GUARD, command, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // It may be gone before we close its input.
  guard.stdin.on("error", () => {});
  for (const stream of ["stdout", "stderr"]) {
    createInterface({ input: guard[stream] }).on("line", (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      onLine(line, stream);
    });
  }
  let hasExited = false;
  const exited = new Promise((resolve) => {
    guard.once("error", (error) => tail.push(error.message));
    guard.once("exit", () => killGroup(guard.pid));
    guard.once("close", () => {
      hasExited = true;
      resolve();
    });
  });
  return {
    exited,
    get hasExited() {
      return hasExited;
    },
    /** The last lines it wrote. */
    tail: () => tail.join("\n"),
    /** Asks it to end; what has not ended after a moment is killed. */
    async stop() {
      guard.stdin.end();
      const timer = setTimeout(() => killGroup(guard.pid), 3000);
      await exited;
      clearTimeout(timer);
    },
    /** SIGKILL to the whole group, as a crash would. */
    async kill() {
      killGroup(guard.pid);
      await exited;
    },
  };
}

/** Runs a command to its end; its output is text. */
export function run(command, args, { env = {}, cwd = ROOT, stdio = ["ignore", "pipe", "pipe"], input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: input === undefined ? stdio : ["pipe", ...stdio.slice(1)],
    });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.stdin?.end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, stdout, stderr, output: `${stdout}${stderr}` }));
  });
}

/** Whether a process of this id lives (perhaps another user's). */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left.
  }
}
