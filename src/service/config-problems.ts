import type { z } from "zod";
import { FixedTextError } from "../core/error-text.ts";
import { parseSealingKeys, weaknessOfBytes, weaknessOfText } from "../core/secrets.ts";
import { withoutEnding } from "../core/text.ts";

/**
 * What is wrong with one variable or secret, as the end of a sentence that begins with its name. Never its
 * value.
 */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** The message names every variable that is missing, malformed or weak. */
export class ConfigError extends FixedTextError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(`The service is not configured. ${sentencesOf(problems)}`);
    this.problems = problems;
  }
}

export function sentencesOf(problems: readonly ConfigProblem[]): string {
  return problems.map(({ variable, problem }) => `${variable} ${problem}.`).join(" ");
}

export const SEALING_KEYS_FORM = "must read `id:base64` with 32 bytes a key, newest first, comma-separated";

type Given = Readonly<Record<string, unknown>>;

/** The problem of a value that the schema of the variables refuses. */
export function problemOf(issue: z.core.$ZodIssue, given: Given): ConfigProblem {
  const variable = String(issue.path[0] ?? "the environment");
  const isMissing = given[variable] === undefined;
  return { variable, problem: isMissing ? "is missing" : `is not usable (${issue.message})` };
}

/** Our secrets that are malformed or weak, addresses that would expose one, and settings of development. */
export function weaknessesOf(given: Given): ConfigProblem[] {
  const {
    CREDENTIAL_KEYS: keys,
    SIGNING_KEY: signing,
    OPERATOR_KEY: operator,
    AI_BASE_URL: models,
    MAIL_URL: mail,
    OPERATOR_WEBHOOK: alerts,
    PACE_FACTOR: haste,
    PUBLIC_ORIGIN: origin,
    SANDBOX_URL: sandbox,
  } = given;
  const found = [
    ...sealingWeaknesses(keys),
    { variable: "SIGNING_KEY", problem: textWeakness(signing) },
    { variable: "OPERATOR_KEY", problem: textWeakness(operator) },
    {
      variable: "OPERATOR_KEY",
      problem: operator !== undefined && operator === signing ? "is the same as SIGNING_KEY" : null,
    },
    {
      variable: "PACE_FACTOR",
      problem:
        haste === undefined || String(haste) === "1"
          ? null
          : "is for development only: platforms block accounts that act so fast",
    },
    {
      variable: "AI_BASE_URL",
      problem:
        typeof models === "string" && /^http:/i.test(models) ? "must be https, because each call sends the key" : null,
    },
    {
      variable: "MAIL_URL",
      problem:
        typeof mail === "string" && /^http:/i.test(mail)
          ? "must be https, because messages contain sign-in codes"
          : null,
    },
    { variable: "PUBLIC_ORIGIN", problem: originWeakness(origin) },
    {
      variable: "SANDBOX_URL",
      problem:
        typeof sandbox === "string" && sandbox !== ""
          ? "is for development only: a program that answers there answers as every platform"
          : null,
    },
    {
      variable: "OPERATOR_WEBHOOK",
      problem: typeof alerts === "string" && /^http:/i.test(alerts) ? "must be https" : null,
    },
  ];
  return found.flatMap(({ variable, problem }) => (problem === null ? [] : [{ variable, problem }]));
}

/** Empty: taken from each request, which is https in production (entry/https-only.ts). */
function originWeakness(origin: unknown): string | null {
  const url = typeof origin === "string" && origin !== "" ? URL.parse(origin) : null;
  if (url === null) return null;
  if (url.protocol !== "https:") return "must be https, because sign-in links, cookies and tokens go there";
  const rest = `${url.username}${url.password}${url.search}${url.hash}${withoutEnding(url.pathname, /\//)}`;
  return rest === "" ? null : "must be an address without a path, such as https://belfry.example.com";
}

function textWeakness(secret: unknown): string | null {
  const weakness = typeof secret === "string" ? weaknessOfText(secret) : null;
  return weakness === null ? null : `is weak: it ${weakness}`;
}

/**
 * Checks the newest key, which seals. Older keys only open, and must remain usable until everything is
 * resealed.
 */
function sealingWeaknesses(text: unknown): { readonly variable: string; readonly problem: string | null }[] {
  if (typeof text !== "string") return [];
  const variable = "CREDENTIAL_KEYS";
  const [newest] = parseSealingKeys(text) ?? [];
  if (!newest) return [{ variable, problem: `is not usable (it ${SEALING_KEYS_FORM})` }];
  const weakness = weaknessOfBytes(newest.bytes);
  return [{ variable, problem: weakness === null ? null : `is weak: its key ${newest.id} ${weakness}` }];
}
