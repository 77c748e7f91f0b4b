// Runs every command: `node scripts/run.mjs FILE ARGUMENT…`, as package.json has it.
//   1. Refuses options that npm took for itself (support/npm-options.mjs).
//   2. For --help, prints the command's text from usages.json.
//   3. Installs what is missing on a fresh clone (support/install.mjs).
//   4. Runs FILE, under the machine's Node.js, or under the installed one where the machine's is too old.
// Without a FILE, as the last step of `npm install`, it only installs Node.js where that is needed: then
// no command needs the network. This file and what it imports are plain JavaScript, because Node 20 must
// run them with nothing installed.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IS_TOO_OLD, installAfterNpm, installedNode, installOnce } from "./support/install.mjs";
import { optionsFromNpm } from "./support/npm-options.mjs";
import { watchParent } from "./support/watch-parent.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "..", "..");

const [, , file, ...args] = process.argv;
if (file === undefined) await installAfterNpm();
else await runCommand(file);

/** @param {string} file */
async function runCommand(file) {
  /** @type {Record<string, string>} what --help prints, by the file of the command */
  const usages = JSON.parse(readFileSync(join(ROOT, "scripts", "usages.json"), "utf8"));
  const { refusal, options } = optionsFromNpm(usages, file);
  if (refusal !== null) {
    process.stderr.write(`${refusal}\n`);
    process.exit(2);
  }
  const usage = usages[file];
  if (usage !== undefined && isHelpWanted()) {
    process.stdout.write(usage);
    return;
  }
  await installOnce(file);
  process.argv.push(...options);
  const node = IS_TOO_OLD ? installedNode() : null;
  if (node !== null) await runUnder(node);
  else await runHere(file);
}

function isHelpWanted() {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return options.some((arg) => arg === "--help" || arg === "-h");
}

/** @param {string} folder of the installed `node` */
async function runUnder(folder) {
  const path = [folder, join(ROOT, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(join(folder, "node"), process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, PATH: path },
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

/** @param {string} file */
async function runHere(file) {
  process.argv.splice(1, 1);
  watchParent(() => process.kill(process.pid, "SIGTERM"));
  await import(pathToFileURL(resolve(ROOT, file)).href);
}
