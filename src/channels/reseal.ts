import { runBatch } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { seal, unseal } from "./credentials.ts";
import { listSealedWith, type Sealed, storeResealed } from "./grant-store.ts";

/** Credentials of one sweep, which runs every minute: ten thousand channels take less than an hour. */
const AT_ONCE = 200;

/**
 * Re-encrypts credentials of older keys with the newest key, so that an old key can be dropped although its
 * grants never expire. Part of the minute sweep; costs one or two queries if there is nothing to do.
 */
export async function resealOldCredentials(deps: Deps): Promise<void> {
  const [, ...old] = deps.config.credentialKeys;
  for (const { id: keyId } of old) {
    const grants = await listSealedWith(deps.db, keyId, AT_ONCE);
    await reseal(deps, grants, keyId);
  }
}

async function reseal(deps: Deps, grants: readonly Sealed[], what: string): Promise<void> {
  const statements = await Promise.all(
    grants.map(async (grant) => {
      const credentials = await unseal(deps, grant, grant.credentials);
      if (credentials === null) return [];
      return [storeResealed(deps.db, grant, await seal(deps, grant, credentials), credentials.scopes)];
    }),
  );
  await runBatch(deps.db, statements.flat());
  if (grants.length > 0) deps.log.event("credentials_resealed", { key: what, grants: statements.flat().length });
}
