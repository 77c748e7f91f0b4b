import type { Db } from "../db/client.ts";
import { markRevoked } from "./store.ts";

/** Where KV keeps what a request needs to know of a token. */
export const tokenKvKey = (hash: string): string => `token:${hash}`;

interface Storages {
  readonly db: Db;
  readonly kv: KVNamespace;
}

/**
 * What follows the limiter's word on a revocation, for the list of tokens and to free the room. Repeatable.
 */
export async function finishRevocation({ db, kv }: Storages, hash: string, now: number): Promise<void> {
  await markRevoked(db, hash, now);
  await kv.delete(tokenKvKey(hash));
}
