import type { z } from "zod";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { bindingOf } from "./binding.ts";
import { BLUESKY, errorName, PROOF_REFUSALS } from "./errors.ts";
import { locate } from "./identity.ts";
import { keepNonce, nonceOf, proofOf } from "./proofs.ts";

/** Calls (XRPC) to the server that holds the account. Classification of refusals: errors.ts. */

type Call = Omit<CallRequest, "url"> & {
  /** The name of the method, such as `com.atproto.repo.putRecord`. */
  readonly name: string;
};

const RECONNECT = "The connection to Bluesky cannot be read. Reconnect the account.";
const MOVED = "The account has moved to another server. Reconnect the account.";

/**
 * The server that holds the account and issued the credentials. `disconnected` if the account has moved: the
 * old server still accepts posts, into a copy that no reader sees.
 */
export async function serverOf(
  context: AccountContext,
  { isFresh }: { readonly isFresh: boolean },
): Promise<{ readonly kind: "server"; readonly origin: string } | Failure> {
  const binding = bindingOf(context.credentials);
  if (binding === null) return { kind: "failed", reason: "disconnected", message: RECONNECT };
  const identity = await locate(context, context.account.id, { isFresh });
  if ("kind" in identity) return identity;
  if (identity.server !== binding.server) return { kind: "failed", reason: "disconnected", message: MOVED };
  return { kind: "server", origin: identity.server };
}

/** The raw answer of a call as the account. A refusal of the proof alone did nothing: one more is sent. */
export async function request(context: AccountContext, origin: string, call: Call): Promise<Answered | Lost> {
  const { name, headers, ...rest } = call;
  const key = bindingOf(context.credentials)?.key;
  if (!key) return { kind: "lost", message: RECONNECT, isCutOff: true };
  const url = `${origin}/xrpc/${name}`;
  const { accessToken } = context.credentials;
  const isStreamed = rest.part !== undefined && rest.part.kind !== "bytes";
  // A stream can be sent only once, so its call must not be the one that learns the nonce.
  if (isStreamed && nonceOf(origin, context.now) === null) await requestSession(context, origin);
  const send = async () => {
    const dpop = await proofOf(key, { method: rest.method, url, accessToken, now: context.now });
    const answer = await context.send({
      ...rest,
      url,
      headers: { ...headers, authorization: `DPoP ${accessToken}`, dpop },
    });
    const given = answer.kind === "answered" ? answer : answer.refusal;
    if (given) keepNonce(origin, given.headers, context.now);
    return answer;
  };
  const answer = await send();
  const refusal = answer.kind === "answered" ? errorName(answer) : null;
  const isRepeated = refusal !== null && PROOF_REFUSALS.includes(refusal) && !isStreamed;
  return isRepeated ? send() : answer;
}

/** What the account's server says about the session. */
export function requestSession(context: AccountContext, origin: string): Promise<Answered | Lost> {
  return request(context, origin, { method: "GET", name: "com.atproto.server.getSession" });
}

/** A call that may be repeated: an unclear answer is a temporary failure. */
export async function read<S extends z.ZodType>(
  context: AccountContext,
  origin: string,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  return interpretRead(BLUESKY, await request(context, origin, call), schema, context.now);
}

/** Interprets the answer to a call that must not be repeated blindly: an unclear one stays unknown. */
export function interpret<S extends z.ZodType>(
  context: AccountContext,
  answer: Answered | Lost,
  schema: S,
): WriteResult<z.output<S>> {
  return interpretWrite(BLUESKY, answer, schema, context.now);
}
