import { z } from "zod";
import { PERMISSIONS, type Permission } from "../core/permissions.ts";
import type { Sealer } from "../core/sealing.ts";

/**
 * The request of an app, sealed into the address of its page: everyone may send a browser here, so nothing is
 * stored before a person has answered. The answer is stored under a hash of the address, once.
 */
const SealedRequest = z.object({
  clientHash: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  clientState: z.string().nullable(),
  codeChallenge: z.string(),
  /** Null for all permissions: the address stays short. */
  requested: z.array(z.enum(PERMISSIONS)).nullable(),
  origin: z.string(),
  expiresAt: z.number(),
});

export type SealedRequest = Omit<z.output<typeof SealedRequest>, "requested"> & {
  readonly requested: readonly Permission[];
};

const CONTEXT = "access-request";

/** For the address of the page. */
export function sealRequest(sealer: Sealer, request: SealedRequest): Promise<string> {
  const requested = request.requested.length === PERMISSIONS.length ? null : request.requested;
  return sealer.seal(JSON.stringify({ ...request, requested }), CONTEXT);
}

/** Whether the secret of a page is such a request, and not the secret of a stored one. */
export const isSealedRequest = (secret: string): boolean => secret.includes(".");

/** Null if it was not sealed here, or is over. */
export async function openSealedRequest(sealer: Sealer, sealed: string, now: number): Promise<SealedRequest | null> {
  const plain = await sealer.open(sealed, CONTEXT);
  if (plain === null) return null;
  const request = SealedRequest.parse(JSON.parse(plain));
  return request.expiresAt > now ? { ...request, requested: request.requested ?? PERMISSIONS } : null;
}
