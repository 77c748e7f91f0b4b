import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { RefusalTable } from "../refusals.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { linkedinTable } from "./errors.ts";

/**
 * Calls to LinkedIn's versioned API and its one unversioned resource. How refusals are classified: errors.ts.
 */
const API = "https://api.linkedin.com";

/** LINKEDIN_VERSION overrides it. */
const VERSION = API_VERSIONS.linkedin.version;

/** Access tokens last sixty days: the remaining time shows when one was issued. */
export const TOKEN_SECONDS = 60 * 24 * 60 * 60;

/** Describes an app's own tokens; other tokens are only reported as inactive. */
export const INTROSPECT = "https://www.linkedin.com/oauth/v2/introspectToken";
export const Introspected = z.object({ active: z.boolean() });

export type Context = AppContext & Pick<AccountContext, "credentials">;
export interface Call extends Pick<CallRequest, "method" | "query" | "json"> {
  /** Versioned (`rest/posts`) or unversioned (`v2/userinfo`); URNs in it are encoded (`encodeUrn`). */
  readonly path: string;
  /** The Rest.li method, if the HTTP method does not determine it. */
  readonly restli?: "FINDER" | "DELETE";
}

/** Reads with the credentials of one login. */
export type Read = <S extends z.ZodType>(call: Call, schema: S) => Promise<ReadResult<z.output<S>>>;

/** The uninterpreted answer. */
export function request({ send, app, credentials }: Context, call: Call): Promise<Answered | Lost> {
  const { path, restli, ...rest } = call;
  const versioned: Record<string, string> = path.startsWith("rest/")
    ? { "linkedin-version": app.options?.version ?? VERSION, "x-restli-protocol-version": "2.0.0" }
    : {};
  const method: Record<string, string> = restli === undefined ? {} : { "x-restli-method": restli };
  const headers = { authorization: `Bearer ${credentials.accessToken}`, ...versioned, ...method };
  return send({ ...rest, url: `${API}/${path}`, headers });
}

/** A call that may be repeated: an unclear answer counts as a temporary error. */
export async function read<S extends z.ZodType>(
  context: Context,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(tableOf(context), await request(context, call), schema, context.now);
}

/** For calls whose body is not needed. */
export const ANY_BODY = z.unknown().transform(() => true);

/** The refusals of calls with these credentials. */
export function tableOf({ credentials: { expiresAt } }: Pick<Context, "credentials">): RefusalTable {
  return linkedinTable(expiresAt === null ? null : expiresAt - TOKEN_SECONDS * 1000);
}

/** A URN for a path: all reserved characters are encoded, parentheses included. */
export function encodeUrn(urn: string): string {
  return encodeURIComponent(urn).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
