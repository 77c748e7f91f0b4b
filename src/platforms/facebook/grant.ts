import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { Inspected, RevokeOutcome } from "../login.ts";
import { graphTable } from "../meta/errors.ts";
import { graphClient, Success } from "../meta/graph.ts";
import { appToken, readTokenFacts } from "../meta/token-facts.ts";
import { down } from "../outcomes.ts";
import { FACEBOOK } from "./api.ts";

/**
 * What a person has allowed our app at Facebook. `debug_token` inspects any token of the app, and the app can
 * revoke all permissions of a person
 * (developers.facebook.com/docs/graph-api/reference/user/permissions, checked 2026-11-21: with a user's token
 * or the app's).
 *
 * - A Page token does not expire, but "data access" ends 90 days after the login. Reads then fail or return
 *   nothing until the person consents again.
 */

/** Whether the token works. A refusal of our own app says nothing about the token. */
export async function inspect(context: AccountContext): Promise<Inspected | Failure> {
  const facts = await readTokenFacts(FACEBOOK, context, context.credentials.accessToken);
  if (facts.kind === "failed") return facts.reason === "throttled" ? facts : down(facts.message);
  if (facts.isValid) return { kind: "alive", reconnectBy: facts.reconnectBy };
  return { kind: "failed", reason: "disconnected", message: "Facebook no longer accepts the connection." };
}

/** Revokes all permissions that the person of the login has granted our app. */
export async function revoke(context: AccountContext): Promise<RevokeOutcome> {
  const facts = await readTokenFacts(FACEBOOK, context, context.credentials.accessToken);
  if (facts.kind === "failed") return facts;
  if (!facts.isValid || facts.personId === null) return { kind: "revoked" };
  const graph = graphClient(FACEBOOK, context, appToken(context));
  const answer = await graph.request({ method: "DELETE", path: `${facts.personId}/permissions` });
  const outcome = interpretRead(graphTable(FACEBOOK), answer, Success, context.now);
  return outcome.kind === "failed" ? outcome : { kind: "revoked" };
}
