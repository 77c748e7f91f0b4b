import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { credentialsContext } from "./credentials.ts";
import { listSealedWith, storeResealed } from "./store.ts";

/** A minute's worth: ten thousand channels are through in less than an hour. */
const AT_ONCE = 200;

/**
 * Seals credentials of older keys anew with the newest one, so that an old key can be dropped although its channels never
 * expire. Part of the minute sweep; costs one look-up an old key when there is nothing to do.
 */
export async function resealOldCredentials(deps: Deps): Promise<void> {
  const [, ...old] = deps.config.credentialKeys;
  for (const { id: keyId } of old) {
    const channels = await listSealedWith(deps.db, keyId, AT_ONCE);
    const statements = await Promise.all(
      channels.map(async ({ id, credentials }) => {
        const plain = await deps.sealer.open(credentials, credentialsContext(id));
        if (plain === null) return [];
        return [storeResealed(deps.db, id, credentials, await deps.sealer.seal(plain, credentialsContext(id)))];
      }),
    );
    await runBatch(deps.db, statements.flat());
    if (channels.length > 0) deps.log.event("credentials_resealed", { key: keyId, channels: statements.flat().length });
  }
}
