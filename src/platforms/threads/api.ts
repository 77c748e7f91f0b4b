import { z } from "zod";
import type { AccountContext } from "../context.ts";
import { PlatformId } from "../json.ts";
import { type GraphApi, type GraphClient, graphClient } from "../meta/graph.ts";
import { API_VERSIONS } from "../versions.ts";
import { THREADS_ERRORS } from "./errors.ts";

/** Threads' Graph API. It has one version, which differs from Meta's others; login URLs have none. */
export const ORIGIN = "https://graph.threads.net";

export const THREADS: GraphApi = {
  ...THREADS_ERRORS,
  baseUrl: `${ORIGIN}/${API_VERSIONS.threads.version}`,
  tokenIn: "header",
  isProven: false,
  listEnd: "no_cursor",
};

/** With the profile's token. Writes go to `me`, because an outdated id is refused as "not found". */
export function graphOf(context: AccountContext): GraphClient {
  return graphClient(THREADS, context, context.credentials.accessToken);
}

/** The answer of a creation: the id of a container or of a post. */
export const Created = z.object({ id: PlatformId });
