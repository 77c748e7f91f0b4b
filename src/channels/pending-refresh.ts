import { z } from "zod";
import type { ChannelId } from "../core/ids.ts";
import { DAY, SECOND } from "../core/time.ts";
import { GRANT_PURPOSES } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { type GrantRef, type GrantVersion, type StoredCredentials, storeRenewed } from "./grant-store.ts";

/**
 * Renewed credentials that are not stored in D1 yet. The platform has already invalidated the old refresh
 * token, so one failed write must not lose the new pair. The write is retried; until it succeeds, the pair is
 * kept in this isolate and, encrypted, in KV. The next renewal takes it from there instead of using the dead
 * token.
 */
const RETRY_AFTER_MS = [100, 400, 1_500];
const PENDING_SECONDS = DAY / SECOND;

const PendingRefresh = z.object({
  /** The version of the credentials that it replaces. */
  replaces: z.number(),
  sealed: z.string(),
  scopes: z.array(z.string()),
  expiresAt: z.number().nullable(),
  reconnectBy: z.number().nullable(),
  refreshDueAt: z.number().nullable(),
});
type PendingRefresh = StoredCredentials & { readonly replaces: number };

const inMemory = new Map<string, PendingRefresh>();
const nameOf = ({ channelId, purpose }: GrantRef): string => `renewed:${channelId}:${purpose}`;

/** The KV keys of a channel. */
export const pendingRefreshKeys = (channelId: ChannelId): readonly string[] =>
  GRANT_PURPOSES.map((purpose) => nameOf({ channelId, purpose }));

/** True if the pair is stored, or void because the account owner reconnected meanwhile. */
export async function saveRefreshed(deps: Deps, replaced: GrantVersion, renewed: StoredCredentials): Promise<boolean> {
  const kept: PendingRefresh = { replaces: replaced.version, ...renewed };
  inMemory.set(nameOf(replaced), kept);
  let isInKv = false;
  for (const pauseMs of [0, ...RETRY_AFTER_MS]) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      await storeRenewed(deps.db, replaced, renewed, Date.now());
      await deletePending(deps, replaced, isInKv);
      return true;
    } catch (error) {
      deps.log.error("renewed_credentials_unstored", error, { channelId: replaced.channelId });
      isInKv ||= await putInKv(deps, replaced, kept);
    }
  }
  return false;
}

/** The pending pair that replaces exactly these credentials. */
export async function findPendingRefresh(deps: Deps, current: GrantVersion): Promise<StoredCredentials | null> {
  const local = inMemory.get(nameOf(current));
  if (local?.replaces === current.version) return local;
  const stored = PendingRefresh.safeParse(await deps.kv.get(nameOf(current), "json"));
  return stored.success && stored.data.replaces === current.version ? stored.data : null;
}

async function putInKv(deps: Deps, replaced: GrantVersion, kept: PendingRefresh): Promise<boolean> {
  try {
    await deps.kv.put(nameOf(replaced), JSON.stringify(kept), { expirationTtl: PENDING_SECONDS });
    return true;
  } catch (error) {
    deps.log.error("renewed_credentials_unkept", error, { channelId: replaced.channelId });
    return false;
  }
}

async function deletePending(deps: Deps, replaced: GrantVersion, isInKv: boolean): Promise<void> {
  inMemory.delete(nameOf(replaced));
  // If the deletion fails, the entry is harmless: it replaces a version that no longer exists.
  if (isInKv) await deps.kv.delete(nameOf(replaced)).catch(() => undefined);
}
