import type { ProjectId } from "../core/ids.ts";
import { keyIdOf } from "../core/sealing.ts";
import { DAY } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";

/** Webhook secrets: shown once, encrypted at rest like credentials, and never logged. */

/** How long the previous secret still signs after a rotation. */
export const OLD_SECRET_MS = DAY;
const SECRET_BYTES = 24;

export interface SealedSecrets {
  readonly secret: string;
  readonly secretKey: string;
  readonly oldSecret: string | null;
  readonly oldUntil: number | null;
}

export type NewSecret = Pick<SealedSecrets, "secret" | "secretKey">;

/** A secret in the format of Standard Webhooks: `whsec_` and base64. */
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
 * The secrets that sign messages now, the newest first. Null if the newest cannot be decrypted; then only a
 * rotation helps.
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

/** The same secrets, encrypted with the newest sealing key; null if they cannot be decrypted. */
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
