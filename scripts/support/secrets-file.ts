import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { lackingModelSettings, MODEL_VARIABLES } from "../../src/models/server.ts";
import { APPS } from "../../src/platforms/apps.ts";
import { type ConfigProblem, weaknessesOf } from "../../src/service/config-problems.ts";
import { makeSecrets, writePrivate } from "./secrets.ts";

/**
 * The files that secrets are kept in outside the service: `.dev.vars` for `wrangler dev`, `.prod.vars` for
 * `npm run deploy`.
 */

export const PRODUCTION_FILE = ".prod.vars";

/** What wrangler.toml says the service cannot be without (`[secrets]`). */
export const REQUIRED_SECRETS = ["CREDENTIAL_KEYS", "SIGNING_KEY", "OPERATOR_KEY"] as const;
type RequiredSecret = (typeof REQUIRED_SECRETS)[number];

/** Both of a pair, or none: an app at a platform. */
export const APP_PAIRS = Object.values(APPS).map(({ id, secret }) => [id, secret] as const);

type Values = Readonly<Record<string, string>>;

/** Its filled lines by name; null when there is no such file. */
export function readSecretsFile(file: string): Values | null {
  if (!existsSync(file)) return null;
  const lines = Object.entries(parseEnv(readFileSync(file, "utf8")));
  return Object.fromEntries(lines.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * What is wrong with these values as a production service would see them. `elsewhere` are names whose values
 * nobody can read any more: they count as good.
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
    return [{ variable: absent, problem: `is missing, while ${there} is there` }];
  });
  const there = MODEL_VARIABLES.filter(isThere).join(" and ");
  const parts = lackingModelSettings(isThere)
    .filter(() => there !== "")
    .map((variable) => ({ variable, problem: `is missing, while ${there} is there` }));
  return [...missing, ...weaknessesOf(values), ...halves, ...parts];
}

/** Adds what the file lacks; what is there stays as it is. Answers the names that it made. */
export function completeSecretsFile(file: string, extras: Values): readonly string[] {
  const present = readSecretsFile(file) ?? {};
  const made: Values = makeSecrets();
  const all: readonly [string, string | undefined][] = [
    ...REQUIRED_SECRETS.map((name: RequiredSecret) => [name, made[name]] as [string, string | undefined]),
    ...Object.entries(extras),
  ];
  const lacking = all.filter(([name]) => present[name] === undefined);
  const text = existsSync(file) ? readFileSync(file, "utf8").replace(/\n*$/, "\n") : "";
  // An empty line of the same name would come after, and win.
  const kept = text.replace(/^([A-Z_]+)=\s*(""|'')?\s*\n/gm, (line, name) =>
    lacking.some(([one]) => one === name) ? "" : line,
  );
  if (lacking.length > 0) writePrivate(file, kept + lacking.map(([name, value]) => `${name}=${value}\n`).join(""));
  return lacking.map(([name]) => name);
}
