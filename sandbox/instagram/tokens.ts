// Tokens of both logins (Facebook Login: user and Page tokens; Instagram Login: account tokens), their
// access, and the responses to calls with an injected fault.

import { GraphError, missingObject } from "../meta/errors";
import { appToken, findIssued, type LoginToken, revokeGrant, strings, type TokenKind } from "../meta/logins";
import type { GraphContext } from "../meta/params";
import { requireScopes, sentToken, workingToken } from "../meta/tokens";
import { countCall, limited, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import type { Sandbox } from "../sandbox";
import { type AccountRow, findAccount } from "./store";

export const APP_ID = "100000000000002";
export const APP_SECRET = "sandbox-instagram-secret";
export const APP_NAME = "Belfry for Instagram (simulated)";

export type Login = "facebook" | "instagram";
/** The app of Instagram Login; the surrounding Meta app has another id and secret. */
export const LOGIN_APP = { id: "200000000000002", secret: "sandbox-instagram-login-secret" };

export interface Token extends LoginToken {
  login: Login;
}

/** Any token that was ever issued, valid or not; null for any other text. */
export function findToken(sandbox: Sandbox, text: string): Token | null {
  if (text === `${APP_ID}|${APP_SECRET}`) return { ...appToken(text, APP_ID), login: "facebook" };
  const token = findIssued(sandbox, text, [APP_ID, LOGIN_APP.id]);
  if (!token) return null;
  // The two logins have different names for the same permissions.
  const scopes = token.scopes.map((scope) => scope.replace(/^instagram_business_/, "instagram_"));
  return { ...token, login: token.appId === APP_ID ? "facebook" : "instagram", scopes };
}

/** Which of the two Graph hosts the call uses. */
export const loginOfHost = (c: GraphContext): Login =>
  new URL(c.req.url).host === "graph.instagram.com" ? "instagram" : "facebook";

/** The validated token of the call, which must be of this host's login and of one of these kinds. */
export async function authenticate(
  sandbox: Sandbox,
  c: GraphContext,
  kinds: readonly TokenKind[] = ["short", "long", "page"],
): Promise<Token> {
  const login = loginOfHost(c);
  const token = await workingToken(c, {
    find: (sent) => {
      const found = findToken(sandbox, sent);
      return found?.login === login ? found : null;
    },
    secretFor: ({ kind }) => (kind === "app" ? null : APP_SECRET),
    isProofRequired: login === "facebook" && sandbox.settings.all.instagram_require_appsecret_proof,
  });
  if (kinds.includes(token.kind)) return token;
  throw new GraphError(200, `(#200) This call does not accept a token of this kind (${token.kind}).`);
}

/**
 * The account of the path. Requires a token with access and these permissions, and a user with the Page's
 * task.
 */
export async function accountOf(
  sandbox: Sandbox,
  c: GraphContext,
  id: string,
  { scopes = [], task }: { scopes?: readonly string[]; task?: string } = {},
): Promise<{ account: AccountRow; token: Token }> {
  const token = await authenticate(sandbox, c);
  const [own] = token.subjects;
  const account = findAccount(sandbox, id === "me" && token.login === "instagram" ? (own ?? "") : id);
  if (!account || !opens(token, account)) throw missingObject(id, c.req.method.toLowerCase());
  requireBasics(token, ...scopes);
  if (task !== undefined) requireTask(token, account, task);
  return { account, token };
}

/** Whether the login covers the account. */
export const opens = (token: Token, account: AccountRow): boolean =>
  token.subjects.includes(account.id) && (token.pageId === null || token.pageId === account.page_id);

/** Requires the basic permission, and these scopes in addition. */
export function requireBasics(token: Token, ...scopes: readonly string[]): void {
  const pages = token.login === "facebook" ? ["pages_show_list", "pages_read_engagement"] : [];
  requireScopes(token, "instagram_basic", ...pages, ...scopes);
}

export function requireTask(token: Token, account: AccountRow, task: string): void {
  if (token.login === "instagram") return;
  const tasks = strings(account.tasks);
  if (tasks.includes(task) || tasks.includes("MANAGE")) return;
  throw new GraphError(200, `(#200) The person lacks the task ${task} on the Page of this account.`);
}

/** Counts the call and sets the usage headers; returns an error if the limit is exceeded, otherwise null. */
export function countUse(sandbox: Sandbox, c: GraphContext): GraphError | null {
  const [id = null] = findToken(sandbox, sentToken(c) ?? "")?.subjects ?? [];
  const percent = countCall(sandbox, id ?? "instagram app", sandbox.settings.all.instagram_calls_per_hour);
  const subject = id === null ? null : { type: "instagram", id };
  const usage = usageHeaders(subject, Math.min(percent, 100), percent >= 100 ? 60 : 0);
  for (const [name, value] of Object.entries(usage)) c.header(name, value);
  if (percent < 100) return null;
  return id === null ? new GraphError(4, "(#4) Application request limit reached") : tooManyCalls();
}

const tooManyCalls = () => new GraphError(80_002, "(#80002) There have been too many calls to this Instagram account.");

const OUTAGES = {
  "2": () => new GraphError(2, "An unexpected error has occurred. Please retry your request later."),
  "2207001": () => new GraphError(-1, "Instagram server error", { subcode: 2207001, status: 500 }),
  "2207051": () => new GraphError(4, "Application request limit reached", { subcode: 2207051, status: 400 }),
  "2207085": () => new GraphError(-1, "Fatal", { subcode: 2207085, status: 400 }),
};

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<GraphContext> => ({
  refusals: {},
  outage(c) {
    const isPublishing = c.env.call.operation === "publish";
    return OUTAGES[isPublishing ? sandbox.settings.all.instagram_outage : "2"]().toResponse();
  },
  rateLimited(c) {
    const [id = "0"] = findToken(sandbox, sentToken(c) ?? "")?.subjects ?? [];
    return limited(sandbox, tooManyCalls(), { type: "instagram", id });
  },
  expireToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE meta_tokens SET dead_subcode = 463 WHERE grant_id = ?", token.grantId);
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) revokeGrant(sandbox, token);
  },
});
