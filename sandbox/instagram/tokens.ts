// Tokens of both logins: of Facebook Login the person's and those of Pages, of Instagram Login the account's
// own; what they open; and how a call without luck fares.

import { GraphError, missingObject } from "../meta/errors";
import type { GraphContext } from "../meta/params";
import { type GraphToken, requireScopes, sentToken, workingToken } from "../meta/tokens";
import { countCall, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { type AccountRow, findAccount, strings } from "./store";

export const APP_ID = "100000000000002";
export const APP_SECRET = "sandbox-instagram-secret";
export const APP_NAME = "Belfry for Instagram (simulated)";

export type Login = "facebook" | "instagram";
export type TokenKind = "app" | "short" | "long" | "page";

export interface Token extends GraphToken {
  kind: TokenKind;
  login: Login;
  grantId: number;
  pageId: string | null;
  accountIds: string[];
  issuedAt: number;
  expiresAt: number;
}

const ENDED = "Error validating access token: ";
const DEAD: Readonly<Record<number, string>> = {
  458: `${ENDED}The user has not authorized application ${APP_ID}.`,
  463: `${ENDED}Session has expired.`,
};

type TokenRow = {
  kind: TokenKind;
  grant_id: number;
  page_id: string | null;
  issued_at: number;
  expires_at: number;
  dead_subcode: number | null;
  login: Login;
  scopes: string;
  account_ids: string;
  grant_dead: number | null;
};

/** Any token we ever gave out, working or not; null for one we never did. */
export function findToken(sandbox: Sandbox, token: string): Token | null {
  if (token === `${APP_ID}|${APP_SECRET}`) {
    const nobody = { grantId: 0, pageId: null, accountIds: [], scopes: [], issuedAt: 0, expiresAt: 0, trouble: null };
    return { token, kind: "app", login: "facebook", ...nobody };
  }
  const row = sandbox.db.first<TokenRow>(
    `SELECT t.kind, t.grant_id, t.page_id, t.issued_at, t.expires_at, t.dead_subcode, g.login, g.scopes,
       g.account_ids, g.dead_subcode AS grant_dead
     FROM instagram_tokens t JOIN instagram_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );
  if (!row) return null;
  const isExpired = row.expires_at > 0 && row.expires_at <= sandbox.now();
  const subcode = row.grant_dead ?? row.dead_subcode ?? (isExpired ? 463 : null);
  return {
    token,
    kind: row.kind,
    login: row.login,
    grantId: row.grant_id,
    pageId: row.page_id,
    accountIds: strings(row.account_ids),
    // The two logins name the same permissions differently.
    scopes: strings(row.scopes).map((scope) => scope.replace(/^instagram_business_/, "instagram_")),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    trouble: subcode === null ? null : { subcode, message: DEAD[subcode] ?? `${ENDED}It is no longer valid.` },
  };
}

export function issueToken(
  sandbox: Sandbox,
  token: { grantId: number; kind: TokenKind; login: Login; pageId?: string; lastsMs: number | null },
): string {
  const prefix = token.login === "instagram" ? "IGAA" : token.kind === "page" ? "EAAP" : "EAAB";
  const text = `${prefix}${randomText(160)}`;
  const now = sandbox.now();
  sandbox.db.run(
    "INSERT INTO instagram_tokens (token, grant_id, kind, page_id, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
    text,
    token.grantId,
    token.kind,
    token.pageId ?? null,
    now,
    token.lastsMs === null ? 0 : now + token.lastsMs,
  );
  return text;
}

/** On which of the two Graph hosts the call came. */
export const loginOfHost = (c: GraphContext): Login =>
  new URL(c.req.url).host === "graph.instagram.com" ? "instagram" : "facebook";

/** The token of the call, checked: of this host's login, and of one of these kinds. */
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
 * The account of the path, for a token that opens it with these permissions and a person with the Page's
 * task.
 */
export async function accountOf(
  sandbox: Sandbox,
  c: GraphContext,
  id: string,
  { scopes = [], task }: { scopes?: readonly string[]; task?: string } = {},
): Promise<{ account: AccountRow; token: Token }> {
  const token = await authenticate(sandbox, c);
  const [own] = token.accountIds;
  const account = findAccount(sandbox, id === "me" && token.login === "instagram" ? (own ?? "") : id);
  if (!account || !opens(token, account)) throw missingObject(id, c.req.method.toLowerCase());
  requireBasics(token, ...scopes);
  if (task !== undefined) requireTask(token, account, task);
  return { account, token };
}

/** Whether the login was given the account. */
export const opens = (token: Token, account: AccountRow): boolean =>
  token.accountIds.includes(account.id) && (token.pageId === null || token.pageId === account.page_id);

/** What everything on an account needs, and this beside it. */
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

// --- usage and misbehaviour ---

/** Counts the call and puts the usage headers on its answer; null while there is room, else the refusal. */
export function countUse(sandbox: Sandbox, c: GraphContext): GraphError | null {
  const [id = null] = findToken(sandbox, sentToken(c) ?? "")?.accountIds ?? [];
  const percent = countCall(sandbox, id ?? "instagram app", sandbox.settings.all.instagram_calls_per_hour);
  const subject = id === null ? null : { type: "instagram", id };
  const usage = usageHeaders(subject, Math.min(percent, 100), percent >= 100 ? 60 : 0);
  for (const [name, value] of Object.entries(usage)) c.header(name, value);
  if (percent < 100) return null;
  return id === null
    ? new GraphError(4, "(#4) Application request limit reached")
    : new GraphError(80_002, "(#80002) There have been too many calls to this Instagram account.");
}

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
    const [id = "0"] = findToken(sandbox, sentToken(c) ?? "")?.accountIds ?? [];
    const refusal = new GraphError(80_002, "(#80002) There have been too many calls to this Instagram account.");
    const answer = refusal.toResponse();
    // Minutes are the header's unit; a reset that lies seconds ahead is a fraction of one.
    const minutes = Math.ceil((sandbox.settings.all.rate_limit_reset_ms / 60_000) * 100) / 100;
    for (const [name, value] of Object.entries(usageHeaders({ type: "instagram", id }, 100, minutes)))
      answer.headers.set(name, value);
    return answer;
  },
  expireToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE instagram_tokens SET dead_subcode = 463 WHERE grant_id = ?", token.grantId);
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE instagram_grants SET dead_subcode = 458 WHERE id = ?", token.grantId);
  },
});
