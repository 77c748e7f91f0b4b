import { findProject } from "../accounts/store.ts";
import { issueToken, revokeToken } from "../accounts/tokens.ts";
import type { Permission } from "../core/permissions.ts";
import { base64Url, sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../service/deps.ts";
import { type AccessRequest, findByCode, markRedeemed, notePoll, noteToken } from "./store.ts";

/** What a client receives for its code. Errors are those of RFC 6749 and RFC 8628. */
export type Redeemed =
  | {
      readonly kind: "token";
      readonly token: string;
      readonly permissions: readonly Permission[];
      readonly expiresAt: number | null;
    }
  | { readonly kind: "refused"; readonly error: OAuthError; readonly description: string };

export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "unsupported_grant_type"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "temporarily_unavailable";

const refused = (error: OAuthError, description: string): Redeemed => ({ kind: "refused", error, description });

/** A poll of a terminal. */
export async function redeemDeviceCode(
  deps: Deps,
  deviceCode: string,
  clientId: string,
  now: number,
): Promise<Redeemed> {
  const request = await notePoll(deps.directory, await sha256Hex(deviceCode), await sha256Hex(clientId), now);
  if (!request) return refused("invalid_grant", "The device code is unknown.");
  if (request.expiresAt <= now) return refused("expired_token", "The code has expired. Sign in again.");
  if (request.isTooSoon) return refused("slow_down", `Wait ${request.intervalSeconds} seconds between requests.`);
  switch (request.state) {
    case "pending":
      return refused("authorization_pending", "The person has not decided yet.");
    case "denied":
      return refused("access_denied", "The person denied access.");
    case "redeemed":
      return refused("invalid_grant", "The device code was used.");
    case "allowed":
      return redeem(deps, request, now);
  }
}

interface CodeExchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** An app's code. If its holder uses it again, it may have been stolen: the token is revoked. */
export async function redeemCode(deps: Deps, exchange: CodeExchange, now: number): Promise<Redeemed> {
  const { code, clientId, redirectUri, verifier } = exchange;
  const request = await findByCode(deps.directory, await sha256Hex(code), await sha256Hex(clientId));
  if (!request || request.redirectUri !== redirectUri) return refused("invalid_grant", "The code is unknown.");
  if (request.codeChallenge !== (await challengeOf(verifier))) {
    return refused("invalid_grant", "The code_verifier does not match.");
  }
  if (request.state === "redeemed") {
    if (request.tokenId !== null) await revokeToken(deps, request.tokenId);
    return refused("invalid_grant", "The code was used before. Its token is revoked.");
  }
  if (request.expiresAt <= now) return refused("invalid_grant", "The code has expired.");
  return redeem(deps, request, now);
}

async function redeem(deps: Deps, request: AccessRequest, now: number): Promise<Redeemed> {
  const { id, kind: via, clientName: name, projectId, permissions, createdBy, tokenExpiresAt: expiresAt } = request;
  if (projectId === null || permissions === null) throw new Error("An allowed request names its project.");
  if (!(await markRedeemed(deps.directory, id, now))) {
    return refused("access_denied", "The code was used, or the person is no longer an owner of the project.");
  }
  const project = await findProject(deps.directory, projectId);
  // Whoever holds it may be a program that reads what strangers write: a person confirms what it spends.
  const wanted = { name, permissions, expiresAt, createdBy, via, moneyNeedsPerson: true };
  const issued = project && (await issueToken(deps, project, wanted));
  if (!issued) return refused("access_denied", "The project has the maximum of valid access tokens. Revoke one first.");
  await noteToken(deps.directory, id, issued.id);
  return { kind: "token", token: issued.token, permissions, expiresAt };
}

/** S256 (RFC 7636, 4.2). */
async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}
