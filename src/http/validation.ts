import type { z } from "zod";
import type { Check } from "../core/checks.ts";
import { type AppError, type FieldProblem, invalid, invalidFields, type Problem } from "../core/errors.ts";
import { fieldOf, grouped, isRequired, kindOf, must, shown, withArticle } from "../core/sentences.ts";
import { listWords, plural } from "../core/text.ts";
import type { AppEnv } from "./environment.ts";
import { type OperationInputs, type Shape, shapeAt, shapeOf } from "./shape.ts";
import { nearestName } from "./unknown-fields.ts";

/** A longer list is not useful, and the response must not be larger than the request. */
const MAX_SHOWN = 100;

type Checked = { readonly target: string } & (
  | { readonly success: true }
  | { readonly success: false; readonly error: z.core.$ZodError; readonly data?: unknown }
);

/** The hook of the operations' validators: an invalid request ends with our 422. */
export async function refuseInvalid(
  result: Checked,
  c: { readonly var: Pick<AppEnv["Variables"], "operation" | "beginWithBody"> },
): Promise<void> {
  if (result.success) {
    if (result.target === "json") await c.var.beginWithBody?.();
    return;
  }
  throw invalidRequest(result.error, result.data, inputShape(result.target, c.var.operation), c.var.operation?.readAs);
}

/** The same for a body that belongs to no operation. */
export function refuseUnlike(schema: z.ZodType): (result: Checked) => void {
  return (result) => {
    if (!result.success) throw invalidRequest(result.error, result.data, shapeOf(schema));
  };
}

function inputShape(target: string, operation: OperationInputs | undefined): Shape | null {
  if (target === "json") return operation?.body() ?? null;
  return target === "query" ? (operation?.query() ?? null) : null;
}

/** Turns Zod's issues into our 422, with sentences in the project's style (core/sentences.ts). */
export function invalidRequest(
  error: z.core.$ZodError,
  input: unknown,
  shape: Shape | null = null,
  readAs: OperationInputs["readAs"] = {},
): AppError {
  const found = error.issues.flatMap(findings).slice(0, MAX_SHOWN);
  const [first, ...others] = found.map(({ issue, name }): FieldProblem => {
    const field = fieldOf(issue.path);
    if (name !== null)
      return { field, code: "invalid_request", ...problemOf(`${field} (its name)`, issue, name, null) };
    const problem = problemOf(field, issue, valueAt(input, issue.path), shape);
    const ownName = issue.code === "unrecognized_keys" && Object.hasOwn(readAs, field) ? readAs[field] : undefined;
    if (ownName !== undefined) {
      const message = `${field} must not be sent: requests name it \`${ownName}\`.`;
      return { field, code: "invalid_request", ...problem, message };
    }
    const other = shape === null ? null : misnamed(shape, input, issue.path);
    const message = other === null ? problem.message : `${problem.message} Rename \`${other}\` to \`${field}\`.`;
    return { field, code: "invalid_request", ...problem, message };
  });
  return first ? invalidFields([first, ...others]) : invalid({});
}

/** The unknown field that was probably meant as the missing one at this path; null if there is none. */
function misnamed(shape: Shape, input: unknown, path: readonly PropertyKey[]): string | null {
  const name = path.at(-1);
  const within = path.slice(0, -1);
  const sent = valueAt(input, within);
  const place = shapeAt(shape, within);
  if (typeof name !== "string" || typeof sent !== "object" || sent === null || Object.hasOwn(sent, name)) return null;
  if (place?.kind !== "object") return null;
  const known = [...place.fields.keys()];
  const unknown = Object.keys(sent)
    .slice(0, MAX_SHOWN)
    .filter((one) => !place.fields.has(one));
  const meant = unknown.find((one) => nearestName(one, known) === name);
  return meant === undefined ? null : fieldOf([...within, meant]);
}

type Issue = z.core.$ZodIssue;

interface Finding {
  readonly issue: Issue;
  /** The name itself, if the name is invalid. */
  readonly name: string | null;
}

/** One finding per sentence: unknown keys are reported one by one, a union by its best-matching branch. */
function findings(issue: Issue): Finding[] {
  const within = (inner: Issue): Issue => ({ ...inner, path: [...issue.path, ...inner.path] });
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys
        .slice(0, MAX_SHOWN)
        .map((key) => ({ issue: { ...issue, keys: [key], path: [...issue.path, key] }, name: null }));
    case "invalid_key":
      return issue.issues.map((inner) => ({ issue: within(inner), name: String(issue.path.at(-1)) }));
    case "invalid_element":
      return issue.issues.map(within).flatMap(findings);
    case "invalid_union": {
      const branches = issue.errors.filter((branch) => branch.some(({ path }) => path.length > 0));
      const [best] = branches.toSorted((a, b) => a.length - b.length);
      return best ? best.map(within).flatMap(findings) : [{ issue, name: null }];
    }
    default:
      return [{ issue, name: null }];
  }
}

function problemOf(field: string, issue: Issue, value: unknown, shape: Shape | null): Problem {
  // A schema's own message; Zod's messages begin in upper case.
  if (/^[a-z]/.test(issue.message)) {
    const check = OWN_WORDS.find(({ begins }) => issue.message.startsWith(begins))?.check;
    return { message: complete(field, issue.message, value), check };
  }
  return { message: sentence(field, issue, value, shape), check: checkOf(issue, value) };
}

/** How the messages of schemas begin that say what a check of Zod would. */
const OWN_WORDS = [
  { begins: "is required", check: { kind: "required" } },
  { begins: "must not be blank", check: { kind: "empty" } },
  { begins: "must not be empty", check: { kind: "empty" } },
  { begins: "must not be sent", check: { kind: "unwanted" } },
  { begins: "must read YYYY-MM-DD HH:mm", check: { kind: "datetime" } },
] as const;

/** What the sentence about a kind, a limit or a format says. */
function checkOf(issue: Issue, value: unknown): Check | undefined {
  switch (issue.code) {
    case "invalid_type":
    case "invalid_value":
    case "invalid_union":
      return { kind: value === undefined ? "required" : "kind" };
    case "too_small": {
      const [limit, kind] = [Number(issue.minimum), issue.inclusive ? "at_least" : "more_than"] as const;
      if (Array.isArray(value)) return { kind: "min_entries", limit };
      if (typeof value !== "string" || issue.origin !== "string") return { kind, limit };
      return value === "" ? { kind: "empty" } : { kind: "min_length", limit };
    }
    case "too_big": {
      const [limit, kind] = [Number(issue.maximum), issue.inclusive ? "at_most" : "less_than"] as const;
      if (Array.isArray(value)) return { kind: "max_entries", limit };
      return { kind: typeof value === "string" && issue.origin === "string" ? "max_length" : kind, limit };
    }
    case "invalid_format":
      return FORMATS.find(({ name }) => name === issue.format)?.check;
    case "unrecognized_keys":
      return { kind: "unwanted" };
    default:
      return undefined;
  }
}

function sentence(field: string, issue: Issue, value: unknown, shape: Shape | null): string {
  switch (issue.code) {
    case "invalid_type":
    case "invalid_value":
    case "invalid_union":
      return ofKind(field, issue, value, shape);
    case "too_small":
      return tooSmall(field, issue, value);
    case "too_big":
      return tooBig(field, issue, value);
    case "invalid_format":
      return must(
        field,
        `be ${FORMATS.find(({ name }) => name === issue.format)?.words ?? withArticle(issue.format)}`,
        shown(value),
      );
    case "unrecognized_keys":
      return unwanted(field, issue, shape);
    case "not_multiple_of":
      return must(field, `be a multiple of ${issue.divisor}`, shown(value));
    default:
      return must(field, "be as documented", shown(value));
  }
}

const FORMATS = [
  { name: "datetime", words: "an ISO 8601 date and time with its offset", check: { kind: "datetime" } },
  { name: "url", words: "a complete URL", check: { kind: "url" } },
  { name: "uuid", words: "a UUID", check: { kind: "uuid" } },
  { name: "email", words: "an e-mail address", check: { kind: "email" } },
] as const;

type KindIssue = z.core.$ZodIssueInvalidType | z.core.$ZodIssueInvalidValue | z.core.$ZodIssueInvalidUnion;

function ofKind(field: string, issue: KindIssue, value: unknown, shape: Shape | null): string {
  const takes = (shape && shapeAt(shape, issue.path))?.takes ?? expected(issue);
  if (value === undefined) return isRequired(field, takes);
  const isOfKind =
    (issue.code === "invalid_value" && typeof value === "string") ||
    (issue.code === "invalid_type" && ["int", "number"].includes(issue.expected) && typeof value === "number");
  return must(field, `be ${takes}`, isOfKind ? shown(value) : kindOf(value));
}

function expected(issue: KindIssue): string {
  if (issue.code === "invalid_value") return listWords(issue.values.map(String), "or");
  if (issue.code === "invalid_union") return "as documented";
  return withArticle(
    { int: "whole number", record: "object", tuple: "array" }[String(issue.expected)] ?? issue.expected,
  );
}

function tooSmall(field: string, { origin, minimum, inclusive }: z.core.$ZodIssueTooSmall, value: unknown): string {
  const min = Number(minimum);
  if (Array.isArray(value)) return must(field, `have at least ${plural(min, "entry", "entries")}`, value.length);
  if (typeof value === "string" && origin === "string") {
    if (value === "") return `${field} must not be empty.`;
    return must(field, `have at least ${plural(min, "character")}`, value.length);
  }
  return must(field, `be ${inclusive ? "at least" : "greater than"} ${grouped(min)}`, shown(value));
}

function tooBig(field: string, { origin, maximum, inclusive }: z.core.$ZodIssueTooBig, value: unknown): string {
  const max = Number(maximum);
  const most = `have at most ${grouped(max)}`;
  if (Array.isArray(value)) return must(field, `${most} ${max === 1 ? "entry" : "entries"}`, grouped(value.length));
  if (typeof value === "string" && origin === "string")
    return must(field, `${most} ${max === 1 ? "character" : "characters"}`, grouped(value.length));
  return must(field, `be ${inclusive ? "at most" : "less than"} ${grouped(max)}`, shown(value));
}

function unwanted(field: string, issue: Issue, shape: Shape | null): string {
  const parent = shape && shapeAt(shape, issue.path.slice(0, -1));
  const known = parent?.kind === "object" ? `: only ${listWords([...parent.fields.keys()])} can be changed` : "";
  return `${field} must not be sent${known}.`;
}

/** A message with a full stop is complete; otherwise, what was found is added. */
function complete(field: string, words: string, value: unknown): string {
  return words.endsWith(".") ? `${field} ${words}` : `${field} ${words}, not ${shown(value)}.`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
