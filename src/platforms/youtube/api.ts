import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { errorOf, YOUTUBE } from "./errors.ts";

/** Calls to YouTube's Data API v3. How refusals are classified: errors.ts. */
const API = `https://www.googleapis.com/youtube/${API_VERSIONS.youtube.version}`;

type Context = AppContext & Pick<AccountContext, "credentials">;
type Call = Omit<CallRequest, "url"> & { readonly path: string };

/** The uninterpreted answer. */
export function request(context: Context, { path, ...rest }: Call): Promise<Answered | Lost> {
  return context.send({ ...rest, url: `${API}/${path}`, headers: authorized(context) });
}

export function authorized({ credentials }: Context): { readonly authorization: string } {
  return { authorization: `Bearer ${credentials.accessToken}` };
}

/** A call that may be repeated: an unclear answer counts as a temporary error. */
export async function read<S extends z.ZodType>(
  context: Context,
  path: string,
  query: NonNullable<CallRequest["query"]>,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(YOUTUBE, await request(context, { method: "GET", path, query }), schema, context.now);
}

/** For calls whose body is not needed. */
export const Done = z.unknown().transform(() => true as const);

/** Whether YouTube says that the video does not exist. */
export function isGone(answer: Answered | Lost): boolean {
  return (
    answer.kind === "answered" && answer.status === 404 && (errorOf(answer)?.reasons.includes("videoNotFound") ?? false)
  );
}
