import type { Db } from "../db/client.ts";
import { markRevoked } from "./store.ts";

/** The KV key of the data that a request needs about its token. */
export const tokenKvKey = (hash: string): string => `token:${hash}`;

interface Storages {
  readonly db: Db;
  readonly kv: KVNamespace;
}

/**
 * Completes a revocation after the limiter object has recorded it: updates the list of tokens, and frees the
 * KV entry. Repeatable.
 */
export async function finishRevocation({ db, kv }: Storages, hash: string, now: number): Promise<void> {
  await markRevoked(db, hash, now);
  await kv.delete(tokenKvKey(hash));
}
