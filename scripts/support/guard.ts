// Runs between a script and a server that it starts: `node guard.ts COMMAND ARGUMENT…`, as the leader of a
// separate process group. The script holds our standard input open as a pipe and never writes to it. When the
// pipe closes, because the script stopped us or exited in any way, the whole group is killed. So no server
// outlives its script.
import { spawn } from "node:child_process";

const GRACE_MS = 1500;

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
// Leftover child processes must not keep the ports; this also kills this process.
child.on("exit", killGroup);

let isEnding = false;
process.stdin.on("close", end);
process.stdin.resume();
process.on("SIGTERM", end);
process.on("SIGINT", end);

/** Gives the command time to stop its own child processes. */
function end(): void {
  if (isEnding) return;
  isEnding = true;
  child.kill("SIGTERM");
  setTimeout(killGroup, GRACE_MS);
}

function killGroup(): void {
  process.kill(-process.pid, "SIGKILL");
}
