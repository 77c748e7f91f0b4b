import { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { CallRequest } from "../request.ts";
import { TIKTOK_BUSINESS } from "./business-errors.ts";

/**
 * Calls to TikTok's API for Business v1.3, as far as it serves accounts that are no advertisers: another product than the one
 * that publishes, with an app, tokens and ids of its own. How refusals are sorted: business-errors.ts.
 */
const API = "https://business-api.tiktok.com/open_api/v1.3";

/** Who the account is; reading comments; writing them. */
export const IDENTITY_SCOPES = ["user.info.basic", "user.info.username"] as const;
export const READ_SCOPE = "comment.list";
export const WRITE_SCOPE = "comment.list.manage";
export const BUSINESS_SCOPES = [...IDENTITY_SCOPES, READ_SCOPE, WRITE_SCOPE] as const;

export type BusinessContext = Pick<AppContext, "send" | "now"> & Pick<AccountContext, "credentials">;

/** Numbers as they are, lists as JSON text. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A call that may be repeated, for what is in `data`: an unclear answer is passing trouble. */
export async function readBusiness<S extends z.ZodType>(
  context: BusinessContext,
  path: string,
  query: Query,
  data: S,
): Promise<ReadResult<z.output<S>>> {
  const { send, credentials, now } = context;
  const answer = await send({
    method: "GET",
    url: `${API}/${path}/`,
    headers: { "access-token": credentials.accessToken },
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, inQuery(value)])),
  });
  return interpretRead(TIKTOK_BUSINESS, answer, dataOf(data), now);
}

/** A call that must not be repeated blindly. */
export async function writeBusiness<S extends z.ZodType>(
  { send, credentials, now }: BusinessContext,
  path: string,
  json: Readonly<Record<string, unknown>>,
  data: S,
): Promise<WriteResult<z.output<S>>> {
  const headers = { "access-token": credentials.accessToken };
  return interpretWrite(TIKTOK_BUSINESS, await send({ ...post(path, json), headers }), dataOf(data), now);
}

/** A call in which our app proves itself, for or about a token; may be repeated. */
export async function askBusiness<S extends z.ZodType>(
  { send, now }: Pick<AppContext, "send" | "now">,
  path: string,
  json: Readonly<Record<string, unknown>>,
  data: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(TIKTOK_BUSINESS, await send(post(path, json)), dataOf(data), now);
}

function post(path: string, json: Readonly<Record<string, unknown>>): CallRequest {
  return { method: "POST", url: `${API}/${path}/`, json };
}

function inQuery(value: Query[string]): string | number | boolean {
  return typeof value === "object" ? JSON.stringify(value) : value;
}

const Data = z.object({ code: z.literal(0), data: z.unknown() }).transform(({ data }) => data);

function dataOf<S extends z.ZodType>(data: S) {
  return Data.pipe(data);
}
