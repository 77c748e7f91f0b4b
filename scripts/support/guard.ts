// Stands between a script and a server it starts: `node guard.ts COMMAND ARGUMENT…`, leader of its own
// process group. Our standard input is a pipe that the script holds open and never writes to. When it closes,
// because the script ended us or because the script is gone, however it went, the whole group ends. So no
// server outlives its script.
import { spawn } from "node:child_process";

const GRACE_MS = 1500;

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
// What it leaves behind must not keep the ports; this ends us as well.
child.on("exit", killGroup);

let isEnding = false;
process.stdin.on("close", end);
process.stdin.resume();
process.on("SIGTERM", end);
process.on("SIGINT", end);

/** The command ends what it started itself, given the time. */
function end(): void {
  if (isEnding) return;
  isEnding = true;
  child.kill("SIGTERM");
  setTimeout(killGroup, GRACE_MS);
}

function killGroup(): void {
  process.kill(-process.pid, "SIGKILL");
}
