import type { z } from "zod";
import type { AccountContext, AppContext, Duplicate, Failure, Unknown } from "../platform.ts";
import { type Answered, type CallRequest, type Lost, parseBody } from "../request.ts";
import { classify, problemOf, sentence, unknown } from "./errors.ts";

/**
 * One call to X's API v2, and what its answer says. How refusals are sorted: errors.ts.
 *
 * A 5xx, a gateway's page or a lost answer to a POST does not say whether the post is up.
 */
export const API = "https://api.x.com/2";

export type Asked<T> = { readonly kind: "ok"; readonly value: T } | Failure;

export function call(
  context: AppContext & Pick<AccountContext, "credentials">,
  request: Omit<CallRequest, "url"> & { readonly path: string },
): Promise<Answered | Lost> {
  const { path, headers, ...rest } = request;
  const authorization = `Bearer ${context.credentials.accessToken}`;
  return context.send({ ...rest, url: `${API}/${path}`, headers: { ...headers, authorization } });
}

/** What an answer means for a call that must not be repeated blindly: an unclear answer stays unknown. */
export function judge<S extends z.ZodType>(
  answer: Answered | Lost,
  schema: S,
  now: number,
): Asked<z.output<S>> | Unknown {
  if (answer.kind === "lost") return { kind: "unknown", message: `X's answer was lost: ${answer.message}` };
  if (answer.status < 200 || answer.status >= 300) return classify(answer, now);
  const value = parseBody(schema, answer);
  if (value !== null) return { kind: "ok", value };
  const problem = problemOf(answer);
  return problem === null ? unknown("X answered in a form that it does not document.") : classify(answer, now);
}

/** The same for a call that may be repeated: an unclear answer is passing trouble. */
export function settle<T>(outcome: Asked<T> | Unknown): Asked<T> {
  return outcome.kind === "unknown" ? { kind: "failed", reason: "down", message: outcome.message } : outcome;
}

/** Whether X says that the thing does not exist (404, or a partial error inside a 200). */
export function isGone(answer: Answered): boolean {
  const problem = problemOf(answer);
  if (problem === null) return false;
  return answer.status === 404 || (answer.status === 200 && /resource-not-found/.test(problem.type ?? ""));
}

/** Whether X says that the post to reply to is not there: for the items of a thread it may only not be there yet. */
export function isParentMissing(answer: Answered): boolean {
  const problem = problemOf(answer);
  if (problem === null) return false;
  return problem.code === 385 || (answer.status === 403 && /deleted or not visible/i.test(problem.detail ?? ""));
}

/** X's word that this account has posted the same already, or null. It names no id. */
export function duplicateOf(answer: Answered): Duplicate | null {
  const problem = problemOf(answer);
  const isDuplicate = answer.status === 403 && /duplicate content/i.test(problem?.detail ?? "");
  if (problem === null || !(isDuplicate || problem.code === 187)) return null;
  const advice = "X says that this account has already posted exactly this text.";
  return { kind: "duplicate", message: sentence(advice, problem, answer.status) };
}

/** Whether X refuses the form of a request: a parameter or a value that it does not know. */
export function isMisspelt(answer: Answered): boolean {
  return answer.status === 400 && problemOf(answer) !== null;
}
