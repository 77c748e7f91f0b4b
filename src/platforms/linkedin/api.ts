import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { RefusalTable } from "../refusals.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { linkedinTable } from "./errors.ts";

/**
 * Calls to LinkedIn's versioned API, and to the one resource that has no version. How refusals are sorted:
 * errors.ts.
 */
export const API = "https://api.linkedin.com";

/**
 * The newest version that the documents of 2026-11 name; served until 2027-09-15. LINKEDIN_VERSION goes over
 * it.
 */
const VERSION = "202609";

/** Access tokens live sixty days; from what is left of them follows when one was given. */
export const TOKEN_SECONDS = 60 * 24 * 60 * 60;

/** Tells an app about a token of its own; of others it only says that they are not active. */
export const INTROSPECT = "https://www.linkedin.com/oauth/v2/introspectToken";
export const Introspected = z.object({ active: z.boolean() });

export type Context = AppContext & Pick<AccountContext, "credentials">;
export interface Call extends Pick<CallRequest, "method" | "query" | "json"> {
  /** With its version (`rest/posts`), or without (`v2/userinfo`); URNs in it encoded (`encodeUrn`). */
  readonly path: string;
  /** Which Rest.li method it is, where the HTTP method does not tell. */
  readonly restli?: "FINDER" | "DELETE";
}

/** Asks something of one login. */
export type Read = <S extends z.ZodType>(call: Call, schema: S) => Promise<ReadResult<z.output<S>>>;

/** The answer as it came. */
export function request({ send, app, credentials }: Context, call: Call): Promise<Answered | Lost> {
  const { path, restli, ...rest } = call;
  const versioned: Record<string, string> = path.startsWith("rest/")
    ? { "linkedin-version": app.options?.version ?? VERSION, "x-restli-protocol-version": "2.0.0" }
    : {};
  const method: Record<string, string> = restli === undefined ? {} : { "x-restli-method": restli };
  const headers = { authorization: `Bearer ${credentials.accessToken}`, ...versioned, ...method };
  return send({ ...rest, url: `${API}/${path}`, headers });
}

/** A call that may be repeated: an unclear answer is passing trouble. */
export async function read<S extends z.ZodType>(
  context: Context,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(tableOf(context), await request(context, call), schema, context.now);
}

/** Of calls whose answer is their status, and headers: the body is empty, or of no interest. */
export const ANY_BODY = z.unknown().transform(() => true);

/** How LinkedIn refuses these credentials. */
export function tableOf({ credentials: { expiresAt } }: Pick<Context, "credentials">): RefusalTable {
  return linkedinTable(expiresAt === null ? null : expiresAt - TOKEN_SECONDS * 1000);
}

/** A URN as it must stand in a path: every reserved character encoded, parentheses too. */
export function encodeUrn(urn: string): string {
  return encodeURIComponent(urn).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
