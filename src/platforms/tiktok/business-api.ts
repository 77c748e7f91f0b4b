import { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext } from "../context.ts";
import type { RefusalTable } from "../refusals.ts";
import type { CallRequest } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { NO_UPDATE, TIKTOK_BUSINESS } from "./business-errors.ts";

/**
 * Calls to TikTok's API for Business v1.3: a different product from the publishing API, with its own apps,
 * tokens and ids. It serves accounts (comments) and advertisers (ads/api.ts) alike. Classification of
 * refusals: business-errors.ts.
 */
const API = `https://business-api.tiktok.com/open_api/${API_VERSIONS.tiktok_business.version}`;

/** Reading the profile, reading comments, writing comments. */
export const IDENTITY_SCOPES = ["user.info.basic", "user.info.username"] as const;
export const READ_SCOPE = "comment.list";
export const WRITE_SCOPE = "comment.list.manage";
export const BUSINESS_SCOPES = [...IDENTITY_SCOPES, READ_SCOPE, WRITE_SCOPE] as const;

export type BusinessContext = Pick<AppContext, "send" | "now"> & Pick<AccountContext, "credentials">;

/** Numbers as they are, lists and objects as JSON text. */
type Query = Readonly<Record<string, string | number | boolean | object>>;
type Body = Readonly<Record<string, unknown>>;

/** The calls, with the refusal table of their purpose. */
export function businessCalls(table: RefusalTable) {
  return {
    /**
     * A call that may be repeated; returns the content of `data`. An unclear answer is a temporary failure.
     */
    async read<S extends z.ZodType>(
      { send, credentials, now }: BusinessContext,
      path: string,
      query: Query,
      data: S,
    ): Promise<ReadResult<z.output<S>>> {
      const answer = await send({
        method: "GET",
        url: `${API}/${path}/`,
        headers: { "access-token": credentials.accessToken },
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, inQuery(value)])),
      });
      return interpretRead(table, answer, dataOf(data), now);
    },

    /** A call that must not be repeated blindly. */
    async write<S extends z.ZodType>(
      context: BusinessContext,
      path: string,
      json: Body,
      data: S,
    ): Promise<WriteResult<z.output<S>>> {
      return interpretWrite(table, await context.send(post(path, json, context)), dataOf(data), context.now);
    },

    /** A call with a body that may still be repeated: a query, or one that sets a value. */
    async apply<S extends z.ZodType>(
      context: BusinessContext,
      path: string,
      json: Body,
      data: S,
    ): Promise<ReadResult<z.output<S>>> {
      return interpretRead(table, await context.send(post(path, json, context)), dataOf(data), context.now);
    },

    /** A call that our app authenticates, to get or check a token; may be repeated. */
    async call<S extends z.ZodType>(
      { send, now }: Pick<AppContext, "send" | "now">,
      path: string,
      json: Body,
      data: S,
    ): Promise<ReadResult<z.output<S>>> {
      return interpretRead(table, await send(post(path, json)), dataOf(data), now);
    },
  };
}

export const {
  read: readBusiness,
  write: writeBusiness,
  apply: applyBusiness,
  call: callBusiness,
} = businessCalls(TIKTOK_BUSINESS);

function post(path: string, json: Body, by?: Pick<BusinessContext, "credentials">): CallRequest {
  const call = { method: "POST", url: `${API}/${path}/`, json } as const;
  return by ? { ...call, headers: { "access-token": by.credentials.accessToken } } : call;
}

function inQuery(value: Query[string]): string | number | boolean {
  return typeof value === "object" ? JSON.stringify(value) : value;
}

const Data = z.object({ code: z.literal([0, NO_UPDATE]), data: z.unknown() }).transform(({ data }) => data);

function dataOf<S extends z.ZodType>(data: S) {
  return Data.pipe(data);
}
