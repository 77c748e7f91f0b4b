// Meta's webhooks: callback verification, body escaping, and signatures.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { fetchText, isCallable, type Signature } from "../webhooks";
import { GraphError } from "./errors";
import type { JsonObject } from "./fields";
import { text } from "./params";

// Meta still sends the older digest as well.
const SIGNATURES: readonly Signature[] = [
  { header: "x-hub-signature-256", hash: "SHA-256", encoding: "hex", prefix: "sha256=" },
  { header: "x-hub-signature", hash: "SHA-1", encoding: "hex", prefix: "sha1=" },
];

export const NewSubscription = z.object({ object: text, callback_url: text, fields: text, verify_token: text });

export const includesField = (fields: string, field: string) => fields.split(",").some((one) => one.trim() === field);

/** Verifies that the callback belongs to the app; throws the error of the failed registration. */
export async function verifyCallback(sandbox: Sandbox, callback: string, verifyToken: string): Promise<void> {
  if (!isCallable(callback)) throw notVerified("The address is not an https one");
  if (sandbox.webhooks.isHeld) return;
  const challenge = String(1_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
  const url = new URL(callback);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.challenge", challenge);
  url.searchParams.set("hub.verify_token", verifyToken);
  const answer = await fetchText(url);
  if (!answer) throw notVerified("curl_errno = 7; the address did not answer");
  if (answer.status !== 200) throw notVerified(`HTTP Status Code = ${answer.status}`);
  if (answer.text !== challenge) throw notVerified("the response does not match the challenge");
}

const notVerified = (why: string) =>
  new GraphError(2200, `(#2200) Callback verification failed with the following errors: ${why}`);

export function notify(
  sandbox: Sandbox,
  { platform, url, secret, payload }: { platform: string; url: string; secret: string; payload: JsonObject },
): void {
  sandbox.webhooks.add({ platform, url, body: escaped(payload), secret, signatures: SIGNATURES });
}

/**
 * Escapes non-ASCII characters as `\uXXXX`. Signatures cover these bytes, so a body that was parsed and
 * serialized again does not match.
 */
const escaped = (payload: JsonObject) =>
  JSON.stringify(payload).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
