import { z } from "zod";
import type { Credentials } from "../context.ts";

/**
 * What a session is bound to: the account's server, the server that issued the tokens, the key that signs
 * every call, and our key that began it. Renewing with other keys ends the session.
 */
export const PrivateKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type PrivateKey = z.output<typeof PrivateKey>;

export const Binding = z.object({
  issuer: z.string(),
  server: z.string(),
  key: PrivateKey,
  /** The name of our key. */
  clientKey: z.string(),
  /** When the session began, epoch milliseconds. */
  since: z.number(),
});
export type Binding = z.output<typeof Binding>;

/** Null for credentials that no login of this adapter has made. */
export function bindingOf({ binding }: Credentials): Binding | null {
  return Binding.safeParse(binding).data ?? null;
}
