// Tokens of a Threads login, short and long, the app's own, and how a call without luck fares.

import { z } from "zod";
import { GraphError } from "../meta/errors";
import type { GraphContext } from "../meta/params";
import { type GraphToken, sentToken, workingToken } from "../meta/tokens";
import { countCall, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import type { Sandbox } from "../sandbox";
import { lost } from "./errors";

export const APP_ID = "444000222000001";
export const APP_SECRET = "sandbox-threads-secret";
export const APP_TOKEN = `TH|${APP_ID}|${APP_SECRET}`;

export type TokenKind = "app" | "short" | "long";

export interface Token extends GraphToken {
  kind: TokenKind;
  grantId: number;
  accountId: string;
  issuedAt: number;
  expiresAt: number;
}

const CONNECT_AGAIN = "Error validating access token: ";
const DEAD: Readonly<Record<number, string>> = {
  458: `${CONNECT_AGAIN}The user has not authorized application ${APP_ID}.`,
  460: `${CONNECT_AGAIN}The session has been invalidated because the user changed their password.`,
  463: `${CONNECT_AGAIN}Session has expired.`,
};

type TokenRow = {
  token: string;
  kind: "short" | "long";
  grant_id: number;
  issued_at: number;
  expires_at: number;
  dead_subcode: number | null;
  account_id: string;
  scopes: string;
  grant_dead: number | null;
};

/** Any token that was ever given out, working or not; null for one that never was. */
export function findToken(sandbox: Sandbox, token: string): Token | null {
  if (token === APP_TOKEN) {
    return { token, kind: "app", grantId: 0, accountId: "", issuedAt: 0, expiresAt: 0, scopes: [], trouble: null };
  }
  const row = sandbox.db.first<TokenRow>(
    `SELECT t.*, g.account_id, g.scopes, g.dead_subcode AS grant_dead
     FROM threads_tokens t JOIN threads_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );
  if (!row) return null;
  const isExpired = row.expires_at <= sandbox.now();
  const subcode = row.grant_dead ?? row.dead_subcode ?? (isExpired ? 463 : null);
  return {
    token,
    kind: row.kind,
    grantId: row.grant_id,
    accountId: row.account_id,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    scopes: z.array(z.string()).parse(JSON.parse(row.scopes)),
    trouble: subcode === null ? null : { subcode, message: DEAD[subcode] ?? `${CONNECT_AGAIN}It is no longer valid.` },
  };
}

/** The token of the call, checked, and of one of these kinds; no proof is asked for. */
export async function authenticate(
  sandbox: Sandbox,
  c: GraphContext,
  kinds: readonly TokenKind[] = ["short", "long"],
): Promise<Token> {
  const token = await workingToken(c, {
    find: (sent) => findToken(sandbox, sent),
    secretFor: () => null,
    isProofRequired: false,
  });
  if (kinds.includes(token.kind)) return token;
  throw new GraphError(190, `This call does not accept a token of this kind (${token.kind}).`, { status: 401 });
}

/** Without `threads_basic` no other permission is worth anything. */
export function requireScope(token: Token, scope: string): void {
  const lacking = ["threads_basic", scope].find((one) => !token.scopes.includes(one));
  if (lacking === undefined) return;
  throw new GraphError(10, `(#10) Application does not have permission for this action: ${lacking} is missing.`);
}

/** The account that a call acts for; another's id is as lost as a stale one. */
export function ownAccount(token: Token, id: string): string {
  if (id !== "me" && id !== token.accountId) throw lost();
  return token.accountId;
}

/** Counts the call and puts the usage headers on its answer; null while there is room, else the refusal. */
export function countUse(sandbox: Sandbox, c: GraphContext): GraphError | null {
  const account = findToken(sandbox, sentToken(c) ?? "")?.accountId || null;
  const percent = countCall(sandbox, `threads ${account ?? "app"}`, sandbox.settings.all.threads_calls_per_hour);
  for (const [name, value] of Object.entries(usage(account, Math.min(percent, 100), percent >= 100 ? 60 : 0))) {
    c.header(name, value);
  }
  return percent < 100 ? null : LIMIT;
}

const LIMIT = new GraphError(17, "(#17) User request limit reached");

const usage = (account: string | null, percent: number, minutes: number) =>
  usageHeaders(account === null ? null : { type: "threads", id: account }, percent, minutes);

export const suspicious = () =>
  new GraphError(4, "Application request limit reached", {
    status: 403,
    subcode: 2207051,
    userTitle: "Action is blocked",
    userMessage: "We restrict certain activity to protect our community.",
  });

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<GraphContext> => ({
  refusals: {},
  outage(c) {
    const isPublishing = c.env.call.operation === "publish";
    if (isPublishing && sandbox.settings.all.threads_outage === "suspicious") return suspicious().toResponse();
    return new GraphError(2, "An unexpected error has occurred. Please retry your request later.").toResponse();
  },
  rateLimited(c) {
    const account = findToken(sandbox, sentToken(c) ?? "")?.accountId || null;
    const refusal = LIMIT.toResponse();
    // Minutes are the header's unit; a reset that lies seconds ahead is a fraction of one.
    const minutes = Math.ceil((sandbox.settings.all.rate_limit_reset_ms / 60_000) * 100) / 100;
    for (const [name, value] of Object.entries(usage(account, 100, minutes))) refusal.headers.set(name, value);
    return refusal;
  },
  expireToken(c) {
    sandbox.db.run("UPDATE threads_tokens SET dead_subcode = 463 WHERE token = ?", sentToken(c) ?? "");
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE threads_grants SET dead_subcode = 458 WHERE id = ?", token.grantId);
  },
});
