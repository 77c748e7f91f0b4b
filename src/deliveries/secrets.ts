import type { ProjectId } from "../core/ids.ts";
import { keyIdOf } from "../core/sealing.ts";
import { DAY } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";

/** Secrets of webhooks: told once, sealed at rest like credentials, and never in a log. */

/** How long the secret before a rotation still signs. */
export const OLD_SECRET_MS = DAY;
const SECRET_BYTES = 24;

export interface SealedSecrets {
  readonly secret: string;
  readonly secretKey: string;
  readonly oldSecret: string | null;
  readonly oldUntil: number | null;
}

export type NewSecret = Pick<SealedSecrets, "secret" | "secretKey">;

/** In the form of Standard Webhooks: `whsec_` and base64. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`;
}

const contextOf = (projectId: ProjectId): string => `webhook:${projectId}`;

export async function sealSecret(
  { sealer }: Pick<Deps, "sealer">,
  projectId: ProjectId,
  secret: string,
): Promise<NewSecret> {
  const sealed = await sealer.seal(secret, contextOf(projectId));
  return { secret: sealed, secretKey: keyIdOf(sealed) };
}

/**
 * What messages are signed with now, the newest first; null when the newest cannot be read, which only its
 * rotation mends.
 */
export async function openSecrets(
  { sealer }: Pick<Deps, "sealer">,
  projectId: ProjectId,
  { secret, oldSecret, oldUntil }: SealedSecrets,
  now: number,
): Promise<readonly string[] | null> {
  const newest = await sealer.open(secret, contextOf(projectId));
  if (newest === null) return null;
  const isValid = oldSecret !== null && oldUntil !== null && now < oldUntil;
  const old = isValid ? await sealer.open(oldSecret, contextOf(projectId)) : null;
  return old === null ? [newest] : [newest, old];
}

/** The same secrets under the newest sealing key; null when they cannot be read. */
export async function resealed(deps: Pick<Deps, "sealer">, projectId: ProjectId, sealed: SealedSecrets, now: number) {
  const [newest, old] = (await openSecrets(deps, projectId, sealed, now)) ?? [];
  if (newest === undefined) return null;
  const oldSecret = old === undefined ? null : (await sealSecret(deps, projectId, old)).secret;
  return {
    ...(await sealSecret(deps, projectId, newest)),
    oldSecret,
    oldUntil: old === undefined ? null : sealed.oldUntil,
  };
}
