import { z } from "zod";
import type { AccountContext } from "../context.ts";
import { PlatformId } from "../json.ts";
import { type GraphApi, type GraphClient, graphClient } from "../meta/graph.ts";
import { THREADS_ERRORS } from "./errors.ts";

/**
 * Threads' own Graph API: one version, which is not that of Meta's others, and login addresses without any.
 */
export const ORIGIN = "https://graph.threads.net";

export const THREADS: GraphApi = {
  ...THREADS_ERRORS,
  // The only version, checked 2026-11-21: developers.facebook.com/docs/threads
  baseUrl: `${ORIGIN}/v1.0`,
  tokenIn: "header",
  isProven: false,
  listEnd: "no_cursor",
};

/**
 * With the profile's token. Writes go to `me`: a number that is stale is refused as if the post did not
 * exist.
 */
export function graphOf(context: AccountContext): GraphClient {
  return graphClient(THREADS, context, context.credentials.accessToken);
}

/** What creating answers: a container's id, or a post's. */
export const Created = z.object({ id: PlatformId });
