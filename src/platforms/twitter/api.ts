import type { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { errorOf, X } from "./errors.ts";

/** Calls to X's API v2, and the meaning of individual answers. Classification of refusals: errors.ts. */
export const API = `https://api.x.com/${API_VERSIONS.twitter.version}`;

type Context = AppContext & Pick<AccountContext, "credentials">;
type Call = Omit<CallRequest, "url"> & { readonly path: string };

/** The raw answer. */
export function request(context: Context, call: Call): Promise<Answered | Lost> {
  const { path, headers, ...rest } = call;
  const authorization = `Bearer ${context.credentials.accessToken}`;
  return context.send({ ...rest, url: `${API}/${path}`, headers: { ...headers, authorization } });
}

/** A call that may be repeated: an unclear answer is a temporary failure. */
export async function read<S extends z.ZodType>(
  context: Context,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(X, await request(context, call), schema, context.now);
}

/** Interprets the answer to a call that must not be repeated: an unclear one stays unknown. */
export function interpret<S extends z.ZodType>(
  context: Context,
  answer: Answered | Lost,
  schema: S,
): WriteResult<z.output<S>> {
  return interpretWrite(X, answer, schema, context.now);
}

/** Whether X reports that the object does not exist (404, or a partial error inside a 200). */
export function isGone(answer: Answered): boolean {
  const error = errorOf(answer);
  if (error === null) return false;
  return answer.status === 404 || (answer.status === 200 && /resource-not-found/.test(error.type ?? ""));
}

/**
 * Whether X reports that the parent post does not exist: for items of a thread it may only not be visible
 * yet.
 */
export function isParentMissing(answer: Answered): boolean {
  const error = errorOf(answer);
  if (error === null || answer.status >= 500) return false;
  return error.code === 385 || (answer.status === 403 && /deleted or not visible/i.test(error.detail ?? ""));
}

/** Whether X rejects the form of a request: an unknown parameter or value. */
export function isMisspelt(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && answer.status === 400 && errorOf(answer) !== null;
}
