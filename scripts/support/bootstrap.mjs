// Import this first. On a fresh clone it installs the packages, and under an older Node it starts the same command again
// under the Node of node_modules (package "node"), passing on signals and the exit code. The script's own body runs only
// under the right Node. Nothing here, nor in what scripts import statically, may need more than Node 20 by itself.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watchParent } from "./parent.mjs";
import { ROOT } from "./paths.mjs";

const OLDEST_NODE = 24;
const BIN = join(ROOT, "node_modules", ".bin");

if (!isInstalled()) await install();
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) await runAgainUnderOurNode();

/** Whether node_modules holds what package-lock.json names: read from the list that npm itself leaves there. */
function isInstalled() {
  try {
    const wanted = packagesOf("package-lock.json");
    const present = packagesOf(join("node_modules", ".package-lock.json"));
    const isThere = ([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version;
    return existsSync(join(BIN, "node")) && Object.entries(wanted).every(isThere);
  } catch {
    return false;
  }
}

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

/** Two commands may meet on a fresh clone; the lock of a process that died is taken over. */
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
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  watchParent(() => child.kill("SIGTERM"));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (...how) => resolve(how));
  });
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
}
