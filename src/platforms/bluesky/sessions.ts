import { processRefreshTokenResponse, refreshTokenGrantRequest, revocationRequest } from "oauth4webapi";
import { DAY } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { GrantRules, Renewal } from "../login.ts";
import { down } from "../outcomes.ts";
import { requestSession } from "./api.ts";
import { type Binding, bindingOf } from "./binding.ts";
import { keyNamed } from "./client-keys.ts";
import { toCredentials } from "./oauth.ts";
import { failureOf, type Grip, gripOn, metadataOf, withNonce } from "./oauth-calls.ts";
import { keepNonce, nonceOf, proofOf } from "./proofs.ts";

/** Renewing and ending sessions. The first facts of oauth.ts say why both are delicate. */

/** A session ends after three months without a renewal. */
const IDLE_SECONDS = (60 * DAY) / 1000;
const DEAD = { reason: "disconnected", message: "The account's server has ended this connection." } as const;

interface SessionGrip extends Grip {
  readonly kind: "grip";
  readonly binding: Binding;
  readonly revocationUrl: string;
}

/** The session's handle on its server; a failure if its keys are not known any more. */
async function sessionGrip(context: AccountContext): Promise<SessionGrip | Failure> {
  const binding = bindingOf(context.credentials);
  const clientKey = binding && (await keyNamed(context.app, binding.clientKey));
  if (!binding || !clientKey) {
    const message = "The key of this service that began the connection is not known any more. Reconnect the account.";
    return { kind: "failed", reason: "disconnected", message };
  }
  const found = await metadataOf(context, binding.issuer);
  // A server may answer anything for a while; only its refusal of the session ends it.
  if (found.kind === "failed") return found.reason === "rejected" ? down(found.message) : found;
  const grip = await gripOn(context, found.as, { key: binding.key, clientKey });
  return { kind: "grip", binding, revocationUrl: found.as.revocation_endpoint, ...grip };
}

export const renewal = {
  by: "refresh_token",
  idleSeconds: IDLE_SECONDS,
  async refresh(context) {
    const { refreshToken } = context.credentials;
    if (refreshToken === null) return { kind: "failed", ...DEAD };
    const grip = await sessionGrip(context);
    if (grip.kind === "failed") return grip;
    const { as, client, auth, options, binding } = grip;
    try {
      const token = await withNonce(async () =>
        processRefreshTokenResponse(
          as,
          client,
          await refreshTokenGrantRequest(as, client, auth, refreshToken, options),
        ),
      );
      return { kind: "refreshed", credentials: toCredentials(context, token, binding) };
    } catch (error) {
      return failureOf(error, DEAD);
    }
  },
} satisfies Renewal;

/** Ends the session, and checks that it has ended. */
export const revoke: NonNullable<GrantRules["revoke"]> = async (context) => {
  const grip = await sessionGrip(context);
  if (grip.kind === "failed") return grip.reason === "disconnected" ? { kind: "revoked" } : grip;
  const { origin } = new URL(grip.revocationUrl);
  // A proof without the server's nonce does nothing, and its answer gives the nonce.
  if (nonceOf(origin, context.now) === null) {
    const failure = await endSession(context, grip);
    if (failure) return failure;
  }
  const failure = await endSession(context, grip);
  if (failure) return failure;
  const session = await requestSession(context, grip.binding.server);
  const isOpen = session.kind === "answered" && session.status === 200;
  return isOpen ? down("The account's server still accepts the connection.") : { kind: "revoked" };
};

async function endSession(context: AccountContext, grip: SessionGrip): Promise<Failure | null> {
  const { as, client, auth, options, binding, revocationUrl: url } = grip;
  const { refreshToken, accessToken } = context.credentials;
  const { DPoP: _handle, ...others } = options;
  try {
    const dpop = await proofOf(binding.key, { method: "POST", url, now: context.now });
    const sent = { ...others, headers: { dpop } };
    const answer = await revocationRequest(as, client, auth, refreshToken ?? accessToken, sent);
    keepNonce(new URL(url).origin, answer.headers, context.now);
    return answer.status >= 500 ? down("The account's server could not end the connection.") : null;
  } catch (error) {
    return failureOf(error, DEAD);
  }
}
