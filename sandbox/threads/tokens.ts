// Tokens of a Threads login (short- and long-lived, app), and the responses to calls with an injected fault.

import { GraphError } from "../meta/errors";
import { appToken, findIssued, type LoginToken, revokeGrant, type TokenKind } from "../meta/logins";
import type { GraphContext } from "../meta/params";
import { sentToken, workingToken } from "../meta/tokens";
import { countCall, limited, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import type { Sandbox } from "../sandbox";
import { lost } from "./errors";

export const APP_ID = "444000222000001";
export const APP_SECRET = "sandbox-threads-secret";
export const APP_TOKEN = `TH|${APP_ID}|${APP_SECRET}`;

export const APP_NAME = "Belfry (simulated)";

/** A Threads login has one account. */
export interface Token extends LoginToken {
  accountId: string;
}

/** Any token that was ever issued, valid or not; null for any other text. */
export function findToken(sandbox: Sandbox, text: string): Token | null {
  const token = text === APP_TOKEN ? appToken(text, APP_ID) : findIssued(sandbox, text, [APP_ID]);
  return token && { ...token, accountId: token.subjects[0] ?? "" };
}

/** The validated token of the call, which must be of one of these kinds; no app secret proof is required. */
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

/** Every permission also requires `threads_basic`. */
export function requireScope(token: Token, scope: string): void {
  const lacking = ["threads_basic", scope].find((one) => !token.scopes.includes(one));
  if (lacking === undefined) return;
  throw new GraphError(10, `(#10) Application does not have permission for this action: ${lacking} is missing.`);
}

/** The account of the call; another account's id is reported as missing. */
export function ownAccount(token: Token, id: string): string {
  if (id !== "me" && id !== token.accountId) throw lost();
  return token.accountId;
}

/** Counts the call and sets the usage headers; returns an error if the limit is exceeded, otherwise null. */
export function countUse(sandbox: Sandbox, c: GraphContext): GraphError | null {
  const account = findToken(sandbox, sentToken(c) ?? "")?.accountId || null;
  const percent = countCall(sandbox, `threads ${account ?? "app"}`, sandbox.settings.all.threads_calls_per_hour);
  const usage = usageHeaders(subjectOf(account), Math.min(percent, 100), percent >= 100 ? 60 : 0);
  for (const [name, value] of Object.entries(usage)) c.header(name, value);
  return percent < 100 ? null : LIMIT;
}

const LIMIT = new GraphError(17, "(#17) User request limit reached");

const subjectOf = (account: string | null) => (account === null ? null : { type: "threads", id: account });

const suspicious = () =>
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
    return limited(sandbox, LIMIT, subjectOf(findToken(sandbox, sentToken(c) ?? "")?.accountId || null));
  },
  expireToken(c) {
    sandbox.db.run("UPDATE meta_tokens SET dead_subcode = 463 WHERE token = ?", sentToken(c) ?? "");
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) revokeGrant(sandbox, token);
  },
});
