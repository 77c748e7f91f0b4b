// Installs the packages, and Node.js where the machine's is too old for them (wrangler and vitest need 22,
// our commands 24). A command calls it before each run; it does nothing where everything is installed.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { watchParent } from "./watch-parent.mjs";

const OLDEST_NODE = 24;
export const IS_TOO_OLD = Number.parseInt(process.versions.node, 10) < OLDEST_NODE;

const ROOT = resolve(fileURLToPath(import.meta.url), "..", "..", "..");
/** Not in node_modules: a machine whose Node is new enough does without its 120 MB. */
const NODE_FOLDER = join(ROOT, "scripts", "node");
const NODE_PACKAGES = join(NODE_FOLDER, "node_modules");
/** Commands that need only the packages of the service, not those of the tests, checks and generators. */
const LEAN_COMMANDS = [
  "start",
  "build",
  "account",
  "project",
  "token",
  "ceiling",
  "bill",
  "doctor",
  "secrets",
  "deploy",
  "backup",
];
/** Two npm in one folder break each other's work. Holds the ids of the processes that install. */
const LOCK = join(ROOT, ".wrangler", "install.lock");
/** Set for the npm that this file starts: its last step, scripts/run.mjs, has nothing to do. */
const INSTALLING = "BELFRY_INSTALLING";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The last step of a person's own `npm install`. */
export async function installAfterNpm() {
  if (!hasNode() && !process.env[INSTALLING]) await install({ packages: null });
}

/**
 * Installs what the command of this file needs. Two commands may meet on a fresh clone: the second waits.
 * Ends the process if the installation fails or is stopped.
 * @param {string} file
 */
export async function installOnce(file) {
  const isLean = LEAN_COMMANDS.includes(basename(file, ".ts")) && !hasWorkspaces();
  const isDone = () => hasPackages(isLean) && hasNode();
  if (isDone()) return;
  while (!takeLock()) await sleep(500);
  try {
    if (!isDone()) await install({ packages: hasPackages(isLean) ? null : isLean ? "lean" : "all" });
  } finally {
    rmSync(LOCK, { force: true });
  }
  if (process.exitCode) process.exit();
}

function hasNode() {
  return !IS_TOO_OLD || installedNode() !== null;
}

/** The folder of the installed program `node`; null without one. Not `.bin`, where npm 10 puts nothing. */
export function installedNode() {
  const names = existsSync(NODE_PACKAGES) ? readdirSync(NODE_PACKAGES) : [];
  const folders = names.filter((name) => name.startsWith("node-")).map((name) => join(NODE_PACKAGES, name, "bin"));
  return folders.find((folder) => existsSync(join(folder, "node"))) ?? null;
}

/** If the tests' packages are installed, all commands keep all packages current. */
function hasWorkspaces() {
  return existsSync(join(ROOT, "node_modules", "belfry-tests"));
}

/**
 * Compares package-lock.json with the list that npm keeps in node_modules: each package that is needed
 * directly is present, and each one that is present has the locked version.
 * @param {boolean} isLean
 */
function hasPackages(isLean) {
  try {
    const wanted = packagesOf("package-lock.json");
    const present = packagesOf(join("node_modules", ".package-lock.json"));
    const folders = ["", ...(isLean ? [] : (wanted[""]?.workspaces ?? []))];
    const isPresent = folders.every((folder) =>
      Object.keys({ ...wanted[folder]?.dependencies, ...wanted[folder]?.devDependencies }).every(
        (name) => present[join(folder, "node_modules", name)] ?? present[join("node_modules", name)],
      ),
    );
    const isCurrent = Object.entries(present).every(([path, { version }]) => {
      const locked = wanted[path];
      return locked === undefined || locked.version === version;
    });
    return isPresent && isCurrent;
  } catch {
    return false;
  }
}

/**
 * @typedef {Record<string, string>} Names
 * @typedef {{ version?: string, workspaces?: string[] }} Described
 * @typedef {Described & { dependencies?: Names, devDependencies?: Names }} Package
 * @param {string} file a lock of npm's
 * @returns {Record<string, Package>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")).packages;
}

/**
 * Installs packages and Node.js at the same time.
 * @param {{ packages: "lean" | "all" | null }} what
 */
async function install({ packages }) {
  const names = [
    ...(packages ? ["packages"] : []),
    ...(hasNode() ? [] : [`Node.js ${OLDEST_NODE} for this machine's ${process.version}`]),
  ];
  const seconds = packages === null ? 5 : packages === "lean" ? 20 : 40;
  const endProgress = showProgress(
    `Installing ${names.join(" and ")} (once, about ${seconds} seconds with a warm cache)`,
  );
  await Promise.all([
    ...(packages ? [npmInstall(ROOT, ["--include=dev", ...(packages === "lean" ? ["--no-workspaces"] : [])])] : []),
    ...(hasNode() ? [] : [installNode()]),
  ]);
  endProgress();
}

async function installNode() {
  await npmInstall(NODE_FOLDER, []);
  const folder = installedNode();
  // 67 MB of headers for addons in C++.
  if (folder !== null) rmSync(join(folder, "..", "include"), { recursive: true, force: true });
  else if (!process.exitCode) {
    const system = `${process.platform} on ${process.arch}`;
    process.stderr.write(`npm has no Node.js ${OLDEST_NODE} for ${system}. Install it yourself: https://nodejs.org\n`);
    process.exitCode = 1;
  }
}

/**
 * Runs npm, which prints its errors itself, and sets the exit code if it fails. This process ends after npm,
 * even if it is asked to stop.
 *
 * Not `npm ci`: it rejects a lock file that was made while the registry lacked another system's variant of a
 * package. The versions are those of the lock file, which does not change.
 * @param {string} folder
 * @param {string[]} options
 * @returns {Promise<void>}
 */
function npmInstall(folder, options) {
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const args = ["install", "--prefix", folder, "--prefer-offline", "--ignore-scripts", ...quiet, ...options];
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  return new Promise((resolve) => {
    const env = { ...process.env, [INSTALLING]: "1" };
    const child = spawn(program, [...first, ...args], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
    // If this process is killed, the lock still names npm.
    if (child.pid !== undefined && existsSync(LOCK)) appendFileSync(LOCK, `${child.pid}\n`);
    const stop = () => {
      process.exitCode = 130;
      child.kill("SIGTERM");
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    watchParent(stop);
    /** @param {string} why */
    const end = (why) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      if (why && !process.exitCode) {
        process.stderr.write(`\nThe installation failed${why}. Then try \`npm install\` in ${folder}.\n`);
        process.exitCode = 1;
      }
      resolve();
    };
    child.once("error", (error) => end(`: ${error.message}`));
    child.once("close", (code) => end(code === 0 ? "" : ": npm names the reason above"));
  });
}

/**
 * Shows on stderr that a long step is running.
 * @param {string} step
 */
function showProgress(step) {
  const since = Date.now();
  const passed = () => `${Math.round((Date.now() - since) / 1000)} s`;
  process.stderr.write(`${step} …\n`);
  const timer = setInterval(() => process.stderr.write(`… ${passed()}\n`), 10_000);
  return () => {
    clearInterval(timer);
    process.stderr.write(`${process.exitCode ? "Not installed" : "Installed"} after ${passed()}.\n`);
  };
}

/** Whether this process may install now. Takes over the lock of processes that died. */
function takeLock() {
  mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
  try {
    writeFileSync(LOCK, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch {
    const ids = existsSync(LOCK) ? readFileSync(LOCK, "utf8").match(/\d+(?=\n)/g) : null;
    if (ids?.every((id) => !isAlive(Number(id)))) rmSync(LOCK, { force: true });
    return false;
  }
}

/** @param {number} id of a process */
function isAlive(id) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
