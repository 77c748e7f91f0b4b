// Runs every command: `node scripts/run.mjs FILE ARGUMENT…`, as package.json has it. On a fresh clone it
// installs the packages. Where the machine's Node is too old, it installs another (scripts/node) and starts
// itself again under that. Without a FILE it does only the latter, as the last step of `npm ci`: no command
// needs the network after that. Plain JavaScript without imports of this project: Node 20 must run it with
// nothing installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const OLDEST_NODE = 24;
const ROOT = resolve(fileURLToPath(import.meta.url), "..", "..");
const BIN = join(ROOT, "node_modules", ".bin");
/** Not in node_modules: a machine whose Node is new enough does without its 120 MB. */
const NODE_FOLDER = join(ROOT, "scripts", "node");
const NODE_BIN = join(NODE_FOLDER, "node_modules", ".bin");
const PARENT_POLL_MS = 500;
/**
 * Commands that need only the packages that the service runs on, not those of the workspaces (tests, checks,
 * generators).
 */
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
];
/** Two commands may meet on a fresh clone: the second waits. Holds the ids of the processes that install. */
const INSTALL_LOCK = join(ROOT, ".wrangler", "install.lock");
/** Set for npm by a command that installs Node.js itself: the step after npm's installation leaves it out. */
const INSTALLING = "BELFRY_INSTALLING";
/** Holds the checksum of the lock of which the lean part is installed. */
const LEAN_RECORD = join(ROOT, "node_modules", ".lean");

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
let holdsLock = false;

const isTooOld = Number.parseInt(process.versions.node, 10) < OLDEST_NODE;

if (process.argv.length > 2) {
  refuseOptionsOfNpm();
  await installOnce();
  if (isTooOld) await runAgainUnderOurNode();
  else await runHere();
} else if (!hasNode() && !process.env[INSTALLING]) await install();

/**
 * npm takes options before `--` as its own: `npm run token --list` would create a token. An option that npm
 * does not know was meant for the command, so nothing runs.
 */
function refuseOptionsOfNpm() {
  const [first] = unknownOptionsOfNpm();
  const script = process.env.npm_lifecycle_event;
  if (first === undefined || script === undefined) return;
  const isShort = script === "start" || script === "test";
  const command = `npm ${isShort ? script : `run ${script}`} -- --${first}`;
  process.stderr.write(
    `npm took --${first} for itself, so nothing was run. Put \`--\` before the options: \`${command}\`.\n`,
  );
  process.exit(2);
}

/** @returns {string[]} the options of this npm command line that npm does not know; empty if not readable */
function unknownOptionsOfNpm() {
  const npm = process.env.npm_execpath;
  try {
    if (!npm || !process.env.npm_lifecycle_event) return [];
    const definitions = join(dirname(npm), "..", "node_modules", "@npmcli", "config", "lib", "definitions", "index.js");
    const configured = ["npm_config_userconfig", "npm_config_globalconfig"].map((name) => process.env[name] ?? "");
    const known = new Set([
      ...Object.keys(createRequire(import.meta.url)(definitions).definitions),
      "local-prefix",
      "global-prefix",
      "npm-version",
      // The environment that npm was started with, where the system shows it.
      ...readFileSync(`/proc/${process.ppid}/environ`, "utf8").split("\0").flatMap(nameOfSetting),
      ...[...configured, join(ROOT, ".npmrc"), join(dirname(npm), "..", "npmrc")].flatMap(settingsIn),
    ]);
    return Object.keys(process.env)
      .flatMap(nameOfSetting)
      .filter((name) => !known.has(name));
  } catch {
    return [];
  }
}

/** @param {string} variable */
function nameOfSetting(variable) {
  const name = /^npm_config_([^=]+)/i.exec(variable)?.[1];
  return name === undefined ? [] : [name.toLowerCase().replaceAll("_", "-")];
}

/** @param {string} file an npmrc, which may be absent */
function settingsIn(file) {
  if (!existsSync(file)) return [];
  return Array.from(readFileSync(file, "utf8").matchAll(/^\s*([\w-]+)/gm), ([, name = ""]) =>
    name.toLowerCase().replaceAll("_", "-"),
  );
}

/** Whether the lean part is enough for this command. If everything is installed, all of it stays current. */
function isLean() {
  const command = basename(process.argv[2] ?? "", ".ts");
  return LEAN_COMMANDS.includes(command) && !existsSync(join(ROOT, "node_modules", "belfry-tests"));
}

function checksumOfLock() {
  return createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
}

/**
 * Whether node_modules has what this command needs: the lean part by our own record, everything by the list
 * that npm stores there, compared with package-lock.json.
 */
function isInstalled() {
  try {
    if (isLean()) return readFileSync(LEAN_RECORD, "utf8") === checksumOfLock();
    const wanted = packagesOf("package-lock.json");
    const present = packagesOf(join("node_modules", ".package-lock.json"));
    return Object.entries(wanted).every(
      ([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

function hasNode() {
  return !isTooOld || existsSync(NODE_BIN);
}

/**
 * @param {string} file a lock of npm's
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")).packages;
}

async function installOnce() {
  const isDone = () => isInstalled() && hasNode();
  if (isDone()) return;
  while (!takeLock()) await sleep(500);
  holdsLock = true;
  try {
    if (!isDone()) await install();
  } finally {
    holdsLock = false;
    rmSync(INSTALL_LOCK, { force: true });
  }
  if (process.exitCode) process.exit();
}

/** Installs the packages and Node.js, what is missing of them, at the same time. */
async function install() {
  const [needsPackages, needsNode] = [process.argv.length > 2 && !isInstalled(), !hasNode()];
  const names = [
    ...(needsPackages ? ["packages"] : []),
    ...(needsNode ? [`Node.js ${OLDEST_NODE} for this machine's ${process.version}`] : []),
  ];
  const seconds = !needsPackages ? 5 : isLean() ? 20 : 40;
  const endProgress = showProgress(
    `Installing ${names.join(" and ")} (once, about ${seconds} seconds with a warm cache)`,
  );
  const texts = await Promise.all([
    ...(needsPackages ? [installPackages()] : []),
    ...(needsNode ? [installNode()] : []),
  ]);
  endProgress();
  process.stderr.write(texts.join(""));
}

async function installPackages() {
  const isLeanPart = isLean();
  rmSync(LEAN_RECORD, { force: true });
  const text = await npmInstall(ROOT, ["--include=dev", ...(isLeanPart ? ["--no-workspaces"] : [])]);
  if (isLeanPart && !process.exitCode) writeFileSync(LEAN_RECORD, checksumOfLock());
  return text;
}

async function installNode() {
  const text = await npmInstall(NODE_FOLDER, []);
  // 67 MB of headers for addons in C++.
  const packages = join(NODE_FOLDER, "node_modules");
  for (const name of existsSync(packages) ? readdirSync(packages) : [])
    if (name.startsWith("node-")) rmSync(join(packages, name, "include"), { recursive: true, force: true });
  return text;
}

/**
 * Not `npm ci`: it rejects a lock file that was made while the registry lacked another system's variant of a
 * package. The versions are those of the lock file, which does not change.
 * @param {string} folder
 * @param {string[]} options
 * @returns {Promise<string>} why it failed; empty if it did not, or was stopped
 */
async function npmInstall(folder, options) {
  const quiet = [
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--prefer-offline",
    "--ignore-scripts",
  ];
  const npm = process.env.npm_execpath;
  const [file, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const { code, output } = await runToEnd(
    file,
    [...first, "install", "--prefix", folder, ...quiet, ...options],
    folder,
  );
  if (code === 0) return "";
  process.exitCode = 1;
  if (code === null) return "";
  return `${output}\nThe installation failed. See above, then try \`npm install\` in ${folder}.\n`;
}

/**
 * Runs npm. It ends before this process does: two in one folder break each other's work. `code` is null if
 * this process was asked to stop.
 * @param {string} file
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function runToEnd(file, args, cwd) {
  return new Promise((resolve) => {
    const env = { ...process.env, [INSTALLING]: "1" };
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    // If this process is killed, the lock still names those that work.
    if (holdsLock) appendFileSync(INSTALL_LOCK, `${child.pid}\n`);
    let wasStopped = false;
    const stop = () => {
      wasStopped = true;
      child.kill("SIGTERM");
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    watchParent(stop);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => resolve({ code: 1, output: `${output}${error.message}` }));
    child.once("close", (code) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve({ code: wasStopped ? null : code, output });
    });
  });
}

/**
 * Shows on stderr that a long step is running: one line that counts the seconds on a terminal, a line every
 * ten seconds elsewhere.
 * @param {string} step
 */
function showProgress(step) {
  const { isTTY } = process.stderr;
  const since = Date.now();
  const line = () => `${step} … ${Math.round((Date.now() - since) / 1000)} s`;
  process.stderr.write(isTTY ? line() : `${step} …\n`);
  const timer = setInterval(() => process.stderr.write(isTTY ? `\r${line()}` : `${line()}\n`), isTTY ? 1_000 : 10_000);
  return () => {
    clearInterval(timer);
    process.stderr.write(isTTY ? `\r${line()}\n` : `${line()}: done\n`);
  };
}

/** Takes over the lock of a process that died. */
function takeLock() {
  mkdirSync(join(ROOT, ".wrangler"), { recursive: true });
  try {
    writeFileSync(INSTALL_LOCK, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch {
    const ids = existsSync(INSTALL_LOCK) ? readFileSync(INSTALL_LOCK, "utf8").match(/\d+(?=\n)/g) : null;
    if (ids?.every((id) => !isAlive(Number(id)))) rmSync(INSTALL_LOCK, { force: true });
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

async function runAgainUnderOurNode() {
  const child = spawn(join(NODE_BIN, "node"), process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, PATH: [NODE_BIN, BIN, process.env.PATH ?? ""].join(delimiter) },
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
 * Calls `gone` once when npm, or the shell through which npm started this process, has died. Only under npm:
 * a command that was started by hand may outlive its shell.
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
