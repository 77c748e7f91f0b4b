import { said } from "./checks.ts";
import { type AppError, type FieldProblem, invalidFields } from "./errors.ts";
import { fieldOf } from "./sentences.ts";
import { type FaultyText, faultyTexts, type TextFault } from "./text-faults.ts";

/** A longer list is not useful. */
const MAX_SHOWN = 20;

/** Refuses a value with an unusable text at any depth. */
export function requireUsableTexts(value: unknown): void {
  const refusal = textRefusal(value);
  if (refusal) throw refusal;
}

/** The refusal of a value with an unusable text at any depth; null for others. */
export function textRefusal(value: unknown): AppError | null {
  const found: FieldProblem[] = [];
  for (const faulty of faultyTexts(value)) {
    if (found.length >= MAX_SHOWN) break;
    found.push(problemOf(faulty));
  }
  const [first, ...others] = found;
  return first ? invalidFields([first, ...others]) : null;
}

function problemOf({ path, isName, fault }: FaultyText): FieldProblem {
  const field = fieldOf(path);
  return { field, code: "invalid_request", ...faultProblem(isName ? `${field} (its name)` : field, fault) };
}

function faultProblem(field: string, fault: TextFault) {
  return fault === "null_character"
    ? said(`${field} must not have the character U+0000: remove it.`, "null_character")
    : said(
        `${field} must not have half a character (a lone surrogate, such as \\ud83d): send the whole character, or leave it out.`,
        "half_character",
      );
}
