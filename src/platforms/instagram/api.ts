import type { AccountContext, AccountRef, AppCredentials } from "../context.ts";
import { type GraphApi, type GraphClient, graphClient, VERSION } from "../meta/graph.ts";
import { INSTAGRAM_ERRORS } from "./errors.ts";

/**
 * Instagram has two APIs. The login of an account decides its host and its features:
 *
 * - Facebook Login: accounts that are linked to a Page, with the person's token, on graph.facebook.com. The
 *   main one.
 * - Instagram Login: one account without a Page, with its own token, on graph.instagram.com, without
 *   deletion.
 */
export type Login = "facebook" | "instagram";

export const VIA_FACEBOOK: GraphApi = {
  ...INSTAGRAM_ERRORS,
  baseUrl: `https://graph.facebook.com/${VERSION}`,
  tokenIn: "header",
  isProven: true,
  listEnd: "no_next",
};

export const VIA_INSTAGRAM: GraphApi = {
  ...INSTAGRAM_ERRORS,
  baseUrl: `https://graph.instagram.com/${VERSION}`,
  tokenIn: "header",
  isProven: false,
  listEnd: "no_next",
};

/** By which login this account was connected. */
export function loginOf({ attributes }: AccountRef): Login {
  return attributes.login === "instagram" ? "instagram" : "facebook";
}

/** Which login our app registration is for (the operator's `INSTAGRAM_LOGIN`). */
export function loginOfApp({ options }: AppCredentials): Login {
  return options?.login === "instagram" ? "instagram" : "facebook";
}

/** The Graph API with the account's token, on the host of its login. */
export function graphOf(context: AccountContext): GraphClient {
  const api = loginOf(context.account) === "instagram" ? VIA_INSTAGRAM : VIA_FACEBOOK;
  return graphClient(api, context, context.credentials.accessToken);
}
