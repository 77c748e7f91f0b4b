// Tokens of a Facebook login: of the app, of the person (short and long), of a Page; and how a call without
// luck fares.

import { z } from "zod";
import { GraphError } from "../meta/errors";
import type { GraphContext } from "../meta/params";
import { type GraphToken, sentToken, workingToken } from "../meta/tokens";
import { countCall, usageHeaders } from "../meta/usage";
import type { Misbehaviour } from "../operation";
import type { Sandbox } from "../sandbox";

export const APP_ID = "100000000000001";
export const APP_SECRET = "sandbox-facebook-secret";
export const APP_NAME = "Belfry (simulated)";

export type TokenKind = "app" | "user_short" | "user_long" | "page";

export interface Token extends GraphToken {
  kind: TokenKind;
  grantId: number;
  personId: string;
  pageId: string | null;
}

const CONNECT_AGAIN = "Error validating access token: ";
const DEAD: Readonly<Record<number, string>> = {
  458: `${CONNECT_AGAIN}The user has not authorized application ${APP_ID}.`,
  460: `${CONNECT_AGAIN}The session has been invalidated because the user changed their password.`,
  463: `${CONNECT_AGAIN}Session has expired.`,
  467: `${CONNECT_AGAIN}The session is invalid because the user logged out.`,
  492: `${CONNECT_AGAIN}The user no longer has a role on this Page.`,
};

type TokenRow = {
  token: string;
  kind: TokenKind;
  grant_id: number;
  page_id: string | null;
  expires_at: number;
  dead_subcode: number | null;
  person_id: string;
  scopes: string;
  grant_dead: number | null;
};

/** Any token we ever gave out, working or not; null for one we never did. */
export function findToken(sandbox: Sandbox, token: string): Token | null {
  if (token === `${APP_ID}|${APP_SECRET}`) {
    return { token, kind: "app", grantId: 0, personId: "", pageId: null, scopes: [], trouble: null };
  }
  const row = sandbox.db.first<TokenRow>(
    `SELECT t.token, t.kind, t.grant_id, t.page_id, t.expires_at, t.dead_subcode, g.person_id, g.scopes,
       g.dead_subcode AS grant_dead
     FROM facebook_tokens t JOIN facebook_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );
  if (!row) return null;
  const isExpired = row.expires_at > 0 && row.expires_at <= sandbox.now();
  const subcode = row.grant_dead ?? row.dead_subcode ?? (isExpired ? 463 : null);
  return {
    token,
    kind: row.kind,
    grantId: row.grant_id,
    personId: row.person_id,
    pageId: row.page_id,
    scopes: z.array(z.string()).parse(JSON.parse(row.scopes)),
    trouble: subcode === null ? null : { subcode, message: DEAD[subcode] ?? `${CONNECT_AGAIN}It is no longer valid.` },
  };
}

/** The token of the call, checked, and of one of these kinds. */
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

// --- usage and misbehaviour ---

const subjectOf = (pageId: string | null) => (pageId === null ? null : { type: "pages", id: pageId });

/** Counts the call and puts the usage headers on its answer; null while there is room, else the refusal. */
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
  refusals: {},
  outage: () => new GraphError(2, "An unexpected error has occurred. Please retry your request later.").toResponse(),
  rateLimited(c) {
    const pageId = findToken(sandbox, sentToken(c) ?? "")?.pageId ?? null;
    const refusal = new GraphError(32, "(#32) Page request limit reached").toResponse();
    // Minutes are the header's unit; a reset that lies seconds ahead is a fraction of one.
    const minutes = Math.ceil((sandbox.settings.all.rate_limit_reset_ms / 60_000) * 100) / 100;
    for (const [name, value] of Object.entries(usageHeaders(subjectOf(pageId), 100, minutes)))
      refusal.headers.set(name, value);
    return refusal;
  },
  expireToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (!token) return;
    // The person's own tokens end too: else the next look at /me/accounts would hand out a fresh page token.
    sandbox.db.run(
      "UPDATE facebook_tokens SET dead_subcode = 463 WHERE token = ? OR (grant_id = ? AND kind <> 'page')",
      token.token,
      token.grantId,
    );
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE facebook_grants SET dead_subcode = 458 WHERE id = ?", token.grantId);
  },
});
