// The way into every command: `node scripts/run.mjs FILE ARGUMENT…`, as package.json says it. It installs the packages on a
// fresh clone, starts itself again under the Node of node_modules (package "node") where the machine's is older, and runs
// the file. So it alone is plain JavaScript and imports nothing of ours: Node 20 must be able to run it, with nothing installed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const OLDEST_NODE = 24;
const ROOT = resolve(fileURLToPath(import.meta.url), "..", "..");
const BIN = join(ROOT, "node_modules", ".bin");
const PARENT_POLL_MS = 500;

if (!isInstalled()) await install();
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) await runAgainUnderOurNode();
else await runHere();

/** Whether node_modules holds what package-lock.json names: read from the list that npm itself leaves there. */
function isInstalled() {
  try {
    const wanted = packagesOf("package-lock.json");
    const present = packagesOf(join("node_modules", ".package-lock.json"));
    return (
      existsSync(join(BIN, "node")) &&
      Object.entries(wanted).every(
        ([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version,
      )
    );
  } catch {
    return false;
  }
}

/**
 * @param {string} file a lock of npm's
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")).packages;
}

async function install() {
  const lock = join(ROOT, ".wrangler", "install.lock");
  while (!takeLock(lock)) await sleep(500);
  try {
    if (isInstalled()) return;
    process.stderr.write("Installing packages, once …\n");
    // Not `npm ci`: it refuses a lock made where the registry had not every other system's variant of a package. The
    // lock decides all the same, and stays as it is.
    const npmArguments = ["install", "--no-save", "--include=dev", "--no-audit", "--no-fund", "--no-update-notifier"];
    const npm = process.env.npm_execpath;
    const [file, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
    const result = spawnSync(file, [...first, ...npmArguments], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    if (result.status !== 0) {
      process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n`);
      process.stderr.write("The packages could not be installed. See above, then try `npm install` by hand.\n");
      process.exitCode = 1;
    }
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  if (process.exitCode) process.exit();
}

/**
 * Two commands may meet on a fresh clone; the lock of a process that died is taken over.
 * @param {string} lock
 */
function takeLock(lock) {
  mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(lock, "utf8")) || process.pid, 0);
    } catch {
      rmSync(lock, { force: true });
    }
    return false;
  }
}

async function runAgainUnderOurNode() {
  const child = spawn(join(BIN, "node"), process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH ?? ""}` },
  });
  process.on("SIGINT", () => child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  watchParent(() => child.kill("SIGTERM"));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  process.exit(code);
}

async function runHere() {
  process.argv.splice(1, 1);
  watchParent(() => process.kill(process.pid, "SIGTERM"));
  await import(pathToFileURL(resolve(ROOT, process.argv[1] ?? "")).href);
}

/**
 * Calls `gone` once when npm, or the shell that it started us through, has died without telling us. Only under npm: a
 * command started by hand may well outlive its shell.
 * @param {() => void} gone
 */
function watchParent(gone) {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    gone();
  }, PARENT_POLL_MS);
  timer.unref();
}
