// npm takes the options before `--` for itself: `npm run token --list` would create a token. It passes
// them on as variables (`npm_config_list=true`), together with settings that npm or a person made, which
// are no options of ours.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(import.meta.url), "..", "..", "..");
/** npm has options of these names too, so people expect them to work before `--`; here they do. */
const SHARED_WITH_NPM = ["dry-run", "yes"];

/**
 * The options of our commands that npm took from this command line.
 * @param {Record<string, string>} usages what --help prints, by the file of the command
 * @param {string} file the command
 * @returns {{ refusal: string | null, options: string[] }} a sentence if nothing may run; otherwise the
 * options that count for the command
 */
export function optionsFromNpm(usages, file) {
  const script = process.env.npm_lifecycle_event;
  if (script === undefined) return { refusal: null, options: [] };
  const ours = new Map(
    Object.values(usages)
      .flatMap(optionsIn)
      .map((option) => [keyOf(option), option]),
  );
  const settings = settingsOfPerson();
  const taken = Object.keys(process.env)
    .flatMap(nameOfVariable)
    .filter((name) => !settings.has(name))
    .filter((name) => ours.has(keyOf(name)));
  const misplaced = taken.find((name) => !SHARED_WITH_NPM.includes(name));
  if (misplaced === undefined) {
    const own = optionsIn(usages[file] ?? "");
    const isGiven = (/** @type {string} */ name) => process.env[`npm_config_${name.replace("-", "_")}`] === "true";
    const shared = taken.filter((name) => isGiven(name) && own.includes(`--${name}`));
    return { refusal: null, options: shared.map((name) => `--${name}`) };
  }
  const refused = ours.get(keyOf(misplaced));
  const command = script === "start" || script === "test" ? `npm ${script}` : `npm run ${script}`;
  const advice = `Put \`--\` before the options: \`${command} -- ${refused}\`.`;
  return { refusal: `npm took ${refused} for itself, so nothing was run. ${advice}`, options: [] };
}

/**
 * @param {string} usage
 * @returns {string[]} such as `--list`
 */
function optionsIn(usage) {
  return usage.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? [];
}

/**
 * Equal for an option and what npm makes of it, or of its misspelling: npm calls `--no-tests` `tests`.
 * @param {string} option
 */
function keyOf(option) {
  return option.replace(/^-*(no-)?/, "").replaceAll("-", "");
}

/** @param {string} variable */
function nameOfVariable(variable) {
  const name = /^npm_config_([^=]+)/.exec(variable)?.[1];
  return name === undefined ? [] : [name.replaceAll("_", "-")];
}

/**
 * What the person's npmrc files and environment set, such as `email`. The environment with which npm was
 * started is only visible on Linux.
 */
function settingsOfPerson() {
  const { npm_config_userconfig: user = "", npm_config_globalconfig: global = "" } = process.env;
  const lines = [user, global, join(ROOT, ".npmrc")].flatMap((path) => textOf(path).match(/^\s*[\w-]+/gm) ?? []);
  const variables = textOf(`/proc/${process.ppid}/environ`).split("\0").flatMap(nameOfVariable);
  return new Set([...lines.map((name) => name.trim().replaceAll("_", "-")), ...variables]);
}

/** @param {string} path of a file that may be absent, or unreadable for this user */
function textOf(path) {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
