import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { lackingModelSettings, MODEL_VARIABLES } from "../../src/models/server.ts";
import { APPS } from "../../src/platforms/apps.ts";
import { type ConfigProblem, weaknessesOf } from "../../src/service/config-problems.ts";
import { makeSecrets, writePrivate } from "./secrets.ts";

/**
 * The secrets files outside the service: `.dev.vars` for `wrangler dev`, `.prod.vars` for `npm run deploy`.
 */

export const PRODUCTION_FILE = ".prod.vars";

/** The secrets that wrangler.toml requires (`[secrets]`). */
export const REQUIRED_SECRETS = ["CREDENTIAL_KEYS", "SIGNING_KEY", "OPERATOR_KEY"] as const;
type RequiredSecret = (typeof REQUIRED_SECRETS)[number];

/** Id and secret of an app at a platform: both or neither. */
export const APP_PAIRS = Object.values(APPS).map(({ id, secret }) => [id, secret] as const);

type Values = Readonly<Record<string, string>>;

/** The non-empty lines by name; null if the file does not exist. */
export function readSecretsFile(file: string): Values | null {
  if (!existsSync(file)) return null;
  const lines = Object.entries(parseEnv(readFileSync(file, "utf8")));
  return Object.fromEntries(lines.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * The problems that a production service would report for these values. `elsewhere`: names whose values
 * cannot be read any more; they count as valid.
 */
export function problemsOf(values: Values, elsewhere: readonly string[]): readonly ConfigProblem[] {
  const isThere = (name: string) => values[name] !== undefined || elsewhere.includes(name);
  const missing = REQUIRED_SECRETS.filter((name) => !isThere(name)).map((variable) => ({
    variable,
    problem: "is missing",
  }));
  const halves = APP_PAIRS.flatMap(([id, secret]) => {
    if (isThere(id) === isThere(secret)) return [];
    const [there, absent] = isThere(id) ? [id, secret] : [secret, id];
    return [{ variable: absent, problem: `is missing, while ${there} is set` }];
  });
  const there = MODEL_VARIABLES.filter(isThere).join(" and ");
  const parts = lackingModelSettings(isThere)
    .filter(() => there !== "")
    .map((variable) => ({ variable, problem: `is missing, while ${there} is set` }));
  return [...missing, ...weaknessesOf(values), ...halves, ...parts];
}

/** Adds missing values and keeps existing ones. Returns the added names. */
export function completeSecretsFile(file: string, extras: Values): readonly string[] {
  const present = readSecretsFile(file) ?? {};
  const made: Values = makeSecrets();
  const all: readonly [string, string | undefined][] = [
    ...REQUIRED_SECRETS.map((name: RequiredSecret) => [name, made[name]] as [string, string | undefined]),
    ...Object.entries(extras),
  ];
  const lacking = all.filter(([name]) => present[name] === undefined);
  const text = existsSync(file) ? readFileSync(file, "utf8").replace(/\n*$/, "\n") : "";
  // Removes empty lines of the same name: they would come later and take precedence.
  const kept = text.replace(/^([A-Z_]+)=\s*(""|'')?\s*\n/gm, (line, name) =>
    lacking.some(([one]) => one === name) ? "" : line,
  );
  if (lacking.length > 0) writePrivate(file, kept + lacking.map(([name, value]) => `${name}=${value}\n`).join(""));
  return lacking.map(([name]) => name);
}
