// Tokens of a Facebook login (app, short- and long-lived user, Page), and the responses to calls with an
// injected fault.

import { GraphError, roleMissing } from "../meta/errors";
import { appToken, findIssued, type LoginToken, revokeGrant, type TokenKind } from "../meta/logins";
import type { GraphContext } from "../meta/params";
import { sentToken, workingToken } from "../meta/tokens";
import { countCall, limited, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import type { Sandbox } from "../sandbox";

export const APP_ID = "100000000000001";
export const APP_SECRET = "sandbox-facebook-secret";
export const APP_NAME = "Belfry (simulated)";

export type Token = LoginToken;

/** Any token that was ever issued, valid or not; null for any other text. */
export const findToken = (sandbox: Sandbox, token: string): Token | null =>
  token === `${APP_ID}|${APP_SECRET}` ? appToken(token, APP_ID) : findIssued(sandbox, token, [APP_ID]);

/** The validated token of the call, which must be of one of these kinds. */
export async function authenticate(sandbox: Sandbox, c: GraphContext, kinds: readonly TokenKind[]): Promise<Token> {
  const token = await workingToken(c, {
    find: (sent) => findToken(sandbox, sent),
    secretFor: ({ kind }) => (kind === "app" ? null : APP_SECRET),
    isProofRequired: sandbox.settings.all.facebook_require_appsecret_proof,
  });
  if (!kinds.includes(token.kind)) {
    if (kinds.includes("page")) {
      const message = "A Page access token is required for this call for the new Pages experience.";
      throw new GraphError(190, message, { subcode: 2069032 });
    }
    throw new GraphError(200, `(#200) This call does not accept a token of this kind (${token.kind}).`);
  }
  return token;
}

const subjectOf = (pageId: string | null) => (pageId === null ? null : { type: "pages", id: pageId });

/** Counts the call and sets the usage headers; returns an error if the limit is exceeded, otherwise null. */
export function countUse(sandbox: Sandbox, c: GraphContext): GraphError | null {
  const pageId = findToken(sandbox, sentToken(c) ?? "")?.pageId ?? null;
  const percent = countCall(sandbox, pageId ?? "app", sandbox.settings.all.facebook_calls_per_hour);
  const usage = usageHeaders(subjectOf(pageId), Math.min(percent, 100), percent >= 100 ? 60 : 0);
  for (const [name, value] of Object.entries(usage)) c.header(name, value);
  if (percent < 100) return null;
  return pageId === null
    ? new GraphError(4, "(#4) Application request limit reached")
    : new GraphError(32, "(#32) Page request limit reached");
}

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<GraphContext> => ({
  refusals: { page_role_missing: () => roleMissing().toResponse() },
  outage: () => new GraphError(2, "An unexpected error has occurred. Please retry your request later.").toResponse(),
  rateLimited(c) {
    const pageId = findToken(sandbox, sentToken(c) ?? "")?.pageId ?? null;
    return limited(sandbox, new GraphError(32, "(#32) Page request limit reached"), subjectOf(pageId));
  },
  expireToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (!token) return;
    // Also expires the user's own tokens. Otherwise the next call of /me/accounts would return a valid Page
    // token.
    sandbox.db.run(
      "UPDATE meta_tokens SET dead_subcode = 463 WHERE token = ? OR (grant_id = ? AND kind <> 'page')",
      token.token,
      token.grantId,
    );
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) revokeGrant(sandbox, token);
  },
});
