import { runBatch } from "../db/client.ts";
import { resealed } from "../deliveries/secrets.ts";
import type { Deps } from "../service/deps.ts";
import { listSealedWith, storeResealed } from "./store.ts";

/** The limit per minute. */
const AT_ONCE = 200;

/**
 * Re-encrypts secrets of older keys with the newest key, so that an old key can be dropped. Part of the
 * minute sweep.
 */
export async function resealOldSecrets(deps: Deps): Promise<void> {
  const [, ...old] = deps.config.credentialKeys;
  for (const { id: keyId } of old) {
    const now = Date.now();
    const { webhooks, keys } = await listSealedWith(deps.db, keyId, AT_ONCE);
    const statements = await Promise.all(
      [...webhooks.map((row) => ({ of: { id: row.id }, row })), ...keys.map((row) => ({ of: row, row }))].map(
        async ({ of, row }) => {
          const sealed = await resealed(deps, row.projectId, row, now);
          return sealed ? [storeResealed(deps.db, of, row.secret, sealed)] : [];
        },
      ),
    );
    await runBatch(deps.db, statements.flat());
    if (statements.length > 0) deps.log.event("secrets_resealed", { key: keyId, secrets: statements.flat().length });
  }
}
