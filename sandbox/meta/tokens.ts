// The token of a Graph call: where it is sent, whether it is valid, and its app secret proof.

import { hex, hmac } from "../digest";
import { GraphError } from "./errors";
import type { GraphContext } from "./params";

export interface GraphToken {
  token: string;
  scopes: string[];
  /** Why the token is invalid; null if it is valid. */
  trouble: { subcode: number; message: string } | null;
}

export interface TokenRules<T extends GraphToken> {
  /** Any token that was ever issued, valid or not; null for any other text. */
  find(token: string): T | null;
  /** The app secret that signs the proof of this token; null if it needs none. */
  secretFor(token: T): string | null;
  /** Whether a call without a proof is rejected. */
  isProofRequired: boolean;
}

export function sentToken(c: GraphContext): string | null {
  const param = c.var.params.access_token;
  if (typeof param === "string" && param !== "") return param;
  return /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
}

/** Authenticates the call: the token is known and valid, and its app secret proof matches if required. */
export async function workingToken<T extends GraphToken>(c: GraphContext, rules: TokenRules<T>): Promise<T> {
  const sent = sentToken(c);
  if (sent === null) throw new GraphError(104, "An access token is required to request this resource.");
  const token = rules.find(sent);
  if (!token) throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token");
  if (token.trouble) throw new GraphError(190, token.trouble.message, { subcode: token.trouble.subcode });
  const secret = rules.secretFor(token);
  if (secret !== null) await checkProof(c, sent, secret, rules.isProofRequired);
  return token;
}

async function checkProof(c: GraphContext, token: string, secret: string, isRequired: boolean): Promise<void> {
  const proof = c.var.params.appsecret_proof;
  const type = "GraphMethodException";
  if (proof === undefined) {
    if (!isRequired) return;
    throw new GraphError(100, "API calls from the server require an appsecret_proof argument", { type });
  }
  if (proof !== hex(await hmac(secret, token))) {
    throw new GraphError(100, "Invalid appsecret_proof provided in the API argument", { type });
  }
}

export function requireScopes(token: GraphToken, ...scopes: string[]): void {
  const lacking = scopes.filter((scope) => !token.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new GraphError(200, `(#200) Requires ${lacking.join(" and ")} permission to manage the object.`);
}
