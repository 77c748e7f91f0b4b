import { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { TIKTOK } from "./errors.ts";

/** Calls to TikTok's API v2. Classification of refusals: errors.ts. */
export const API = `https://open.tiktokapis.com/${API_VERSIONS.tiktok.version}`;

/** The required scopes of a grant: reading the profile and the published posts, and publishing. */
/** Required by every login. */
export const SCOPES = ["user.info.basic", "user.info.profile", "video.publish", "video.list"] as const;
/** Requested too: followers are missing without it. */
export const STATS_SCOPE = "user.info.stats";
export const PUBLISH_SCOPE = "video.publish";
export const LIST_SCOPE = "video.list";

export type Context = AppContext & Pick<AccountContext, "credentials">;

interface Call {
  readonly path: string;
  readonly query?: CallRequest["query"];
  /** Absent for an empty body. */
  readonly json?: unknown;
}

/** A call that may be repeated; returns the content of `data`. An unclear answer is a temporary failure. */
export async function read<S extends z.ZodType>(
  context: Context,
  method: "GET" | "POST",
  call: Call,
  data: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRepeatable(context, await request(context, method, call), data);
}

/** A call that must not be repeated blindly. */
export async function write<S extends z.ZodType>(
  context: Context,
  call: Call,
  data: S,
): Promise<WriteResult<z.output<S>>> {
  return interpretWrite(TIKTOK, await request(context, "POST", call), dataOf(data), context.now);
}

/** Interprets the answer to a call that may be repeated. */
export function interpretRepeatable<S extends z.ZodType>(
  { now }: Pick<Context, "now">,
  answer: Answered | Lost,
  data: S,
): ReadResult<z.output<S>> {
  return interpretRead(TIKTOK, answer, dataOf(data), now);
}

const Data = z.object({ data: z.unknown() }).transform(({ data }) => data);

function dataOf<S extends z.ZodType>(data: S) {
  return Data.pipe(data);
}

/** TikTok's documentation requires the character set. */
const JSON_TYPE = "application/json; charset=UTF-8";

/** The raw answer. */
export function request(
  { send, credentials }: Context,
  method: "GET" | "POST",
  { path, query, json }: Call,
): Promise<Answered | Lost> {
  const authorization = `Bearer ${credentials.accessToken}`;
  const call = { method, url: `${API}/${path}`, ...(query ? { query } : {}) };
  if (method === "GET") return send({ ...call, headers: { authorization } });
  const bytes = Uint8Array.from(new TextEncoder().encode(json === undefined ? "" : JSON.stringify(json)));
  return send({ ...call, headers: { authorization, "content-type": JSON_TYPE }, bytes });
}
