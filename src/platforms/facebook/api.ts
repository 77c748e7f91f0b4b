import type { AccountContext } from "../context.ts";
import { type GraphApi, type GraphClient, graphClient, VERSION } from "../meta/graph.ts";
import { FACEBOOK_ERRORS } from "./errors.ts";

/** Facebook's Graph API. */
export const FACEBOOK: GraphApi = {
  ...FACEBOOK_ERRORS,
  baseUrl: `https://graph.facebook.com/${VERSION}`,
  tokenIn: "header",
  isProven: true,
  listEnd: "no_next",
};

/** With the Page's own token. */
export function graphOf(context: AccountContext): GraphClient {
  return graphClient(FACEBOOK, context, context.credentials.accessToken);
}
