import type { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { errorOf, X } from "./errors.ts";

/** Calls to X's API v2, and what single answers say. How refusals are sorted: errors.ts. */
export const API = "https://api.x.com/2";

type Context = AppContext & Pick<AccountContext, "credentials">;
type Call = Omit<CallRequest, "url"> & { readonly path: string };

/** The answer as it came. */
export function request(context: Context, call: Call): Promise<Answered | Lost> {
  const { path, headers, ...rest } = call;
  const authorization = `Bearer ${context.credentials.accessToken}`;
  return context.send({ ...rest, url: `${API}/${path}`, headers: { ...headers, authorization } });
}

/** A call that may be repeated: an unclear answer is passing trouble. */
export async function read<S extends z.ZodType>(
  context: Context,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(X, await request(context, call), schema, context.now);
}

/** What the answer to a call means that must not be repeated: an unclear one stays unknown. */
export function interpret<S extends z.ZodType>(
  context: Context,
  answer: Answered | Lost,
  schema: S,
): WriteResult<z.output<S>> {
  return interpretWrite(X, answer, schema, context.now);
}

/** Whether X says that the thing does not exist (404, or a partial error inside a 200). */
export function isGone(answer: Answered): boolean {
  const error = errorOf(answer);
  if (error === null) return false;
  return answer.status === 404 || (answer.status === 200 && /resource-not-found/.test(error.type ?? ""));
}

/**
 * Whether X says that the post to reply to is not there: for the items of a thread it may only not be there
 * yet.
 */
export function isParentMissing(answer: Answered): boolean {
  const error = errorOf(answer);
  if (error === null || answer.status >= 500) return false;
  return error.code === 385 || (answer.status === 403 && /deleted or not visible/i.test(error.detail ?? ""));
}

/** Whether X refuses the form of a request: a parameter or a value that it does not know. */
export function isMisspelt(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && answer.status === 400 && errorOf(answer) !== null;
}
