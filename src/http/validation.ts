import type { z } from "zod";
import { AppError, type FieldErrors, summarize } from "../core/errors.ts";
import { listWords, plural } from "../core/text.ts";

/** Nobody reads more, and the answer must not be larger than the request. */
const MAX_TOLD = 100;
const MAX_NAME = 100;

type Checked = object & ({ readonly success: true } | { readonly success: false; readonly error: z.core.$ZodError });

/** The validators' hook: what does not fit ends the request with our 422. */
export function refuseInvalid(result: Checked): void {
  if (!result.success) throw invalidRequest(result.error, "data" in result ? result.data : undefined);
}

/** Turns zod's findings into our 422: every sentence names the field, what is wrong, and what is allowed. */
export function invalidRequest(error: z.core.$ZodError, input: unknown): AppError {
  // A map, for a field may be called `constructor`.
  const found = new Map<string, string[]>();
  for (const issue of error.issues.flatMap(flatten).slice(0, MAX_TOLD)) {
    const path = issue.path.map((key) => String(key).slice(0, MAX_NAME)).join(".");
    const field = path === "" ? "body" : path;
    const sentences = found.get(field) ?? [];
    sentences.push(sentence(path === "" ? "The request" : path, issue, valueAt(input, issue.path)));
    found.set(field, sentences);
  }
  const errors: FieldErrors = Object.fromEntries(found);
  return new AppError("invalid_request", summarize(errors), { errors });
}

type Issue = z.core.$ZodIssue;

function flatten(issue: Issue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_TOLD).map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
  }
  return [issue];
}

function sentence(field: string, issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return `${field} is required: ${article(issue.expected)}.`;
      return `${field} must be ${article(issue.expected)}, not ${describe(value)}.`;
    case "too_small":
      return tooSmall(field, issue);
    case "too_big":
      return tooBig(field, issue);
    case "invalid_value":
      if (value === undefined) return `${field} is required: one of ${listWords(issue.values.map(String), "or")}.`;
      return `${field} must be ${issue.values.length > 1 ? "one of " : ""}${listWords(issue.values.map(String), "or")}.`;
    case "invalid_format":
      return custom(issue.message) ? complete(field, issue.message) : `${field} must be a valid ${issue.format}.`;
    case "unrecognized_keys":
      return `${field} cannot be changed here.`;
    case "not_multiple_of":
      return `${field} must be a multiple of ${issue.divisor}.`;
    default:
      return complete(field, issue.message);
  }
}

function tooSmall(field: string, issue: z.core.$ZodIssueTooSmall): string {
  const min = Number(issue.minimum);
  if (issue.origin === "string")
    return min === 1 ? `${field} must not be empty.` : `${field} must have at least ${min} characters.`;
  if (issue.origin === "array") return `${field} must have at least ${plural(min, "entry", "entries")}.`;
  return issue.inclusive ? `${field} must be at least ${min}.` : `${field} must be greater than ${min}.`;
}

function tooBig(field: string, issue: z.core.$ZodIssueTooBig): string {
  const max = Number(issue.maximum);
  if (issue.origin === "string") return `${field} must have at most ${plural(max, "character")}.`;
  if (issue.origin === "array") return `${field} must have at most ${plural(max, "entry", "entries")}.`;
  return `${field} must be at most ${max}.`;
}

/** Our own messages are written as "must …" or "is …" and completed with the field. */
function complete(field: string, message: string): string {
  return /^[a-z]/.test(message) ? `${field} ${message}` : message;
}

function custom(message: string): boolean {
  return !message.startsWith("Invalid");
}

function article(type: string): string {
  const name = { int: "integer", record: "object", tuple: "array" }[type] ?? type;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a string";
  return typeof value === "number" ? "a number with a fraction or out of range" : article(typeof value);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
