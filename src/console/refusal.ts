import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../core/errors.ts";
import { STATUS } from "../http/statuses.ts";
import type { LanguageCode } from "../pages/languages.ts";
import { type Fields, FormProblem, type RefusedForm } from "./definition.ts";
import { inLanguage } from "./problem-texts.ts";

/** Actions that are refused: what the page with the form shows. */

/** Whether the action changed nothing. After other errors this is unknown. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof FormProblem || (error instanceof AppError && error.code !== "unexpected");

/** Whether a page shows the error's message: the others say nothing that a person could act on. */
export const isShown = (error: unknown): error is AppError =>
  error instanceof AppError && error.code !== "not_found" && error.code !== "unexpected";

/** Whether a field of the form names an object that the project does not have. */
export const isAbsentInForm = (error: unknown): boolean => error instanceof AppError && error.details.isAbsent === true;

/** What the page of a form is opened with. */
export interface ShownForm {
  readonly status: ContentfulStatusCode;
  readonly form: RefusedForm;
}

interface Refusal extends ShownForm {
  readonly code: string;
}

/** Null for an error that the page with the form cannot show. */
export function refusalOf(error: unknown, fields: Fields, language: LanguageCode): Refusal | null {
  if (error instanceof FormProblem) {
    return { status: 422, code: "invalid_request", form: { fields, problem: null, errors: error.errors } };
  }
  if (!(error instanceof AppError) || error.code === "unexpected") return null;
  const { code } = error;
  const { key: _, ...others } = fields;
  // A form that was sent before with other values: what is shown now is another form.
  const shown = code === "idempotency_conflict" ? others : fields;
  return {
    status: isAbsentInForm(error) ? 404 : STATUS[code],
    code,
    form: { fields: shown, ...inLanguage(error, language) },
  };
}
