import { z } from "zod";
import type { ChannelId } from "../core/ids.ts";
import { DAY, SECOND } from "../core/time.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../deps.ts";
import { type StoredCredentials, storeRenewed } from "./store.ts";

/**
 * Renewed credentials on their way into D1. The platform has forgotten the old refresh token by then, so one failed write
 * must not lose the pair: it is written several times, and until that works it is kept in this isolate and, sealed, in KV.
 * Whoever renews next takes it up from there instead of using the dead token again.
 */
const RETRY_AFTER_MS = [100, 400, 1_500];
const KEPT_SECONDS = DAY / SECOND;

const Kept = z.object({
  /** SHA-256 of the sealed credentials that it replaces. */
  replaces: z.string(),
  sealed: z.string(),
  expireAt: z.number().nullable(),
  refreshDueAt: z.number().nullable(),
});
type Kept = z.output<typeof Kept>;

const inMemory = new Map<ChannelId, Kept>();
const kvKey = (id: ChannelId): string => `renewed:${id}`;

/** Whether the pair is stored, or void because the person has connected again meanwhile. */
export async function keepRenewed(
  deps: Deps,
  id: ChannelId,
  replaced: string,
  renewed: StoredCredentials,
): Promise<boolean> {
  const kept: Kept = { replaces: await sha256Hex(replaced), ...renewed };
  inMemory.set(id, kept);
  let isInKv = false;
  for (const pauseMs of [0, ...RETRY_AFTER_MS]) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      await storeRenewed(deps.db, id, replaced, renewed, Date.now());
      await forgetRenewed(deps, id, isInKv);
      return true;
    } catch (error) {
      deps.log.error("renewed_credentials_unstored", error, { channelId: id });
      isInKv ||= await putInKv(deps, id, kept);
    }
  }
  return false;
}

/** A pair that waits to take the place of exactly these credentials. */
export async function findUnstored(deps: Deps, id: ChannelId, current: string): Promise<StoredCredentials | null> {
  const replaces = await sha256Hex(current);
  const local = inMemory.get(id);
  if (local?.replaces === replaces) return local;
  const stored = Kept.safeParse(await deps.kv.get(kvKey(id), "json"));
  return stored.success && stored.data.replaces === replaces ? stored.data : null;
}

async function putInKv(deps: Deps, id: ChannelId, kept: Kept): Promise<boolean> {
  try {
    await deps.kv.put(kvKey(id), JSON.stringify(kept), { expirationTtl: KEPT_SECONDS });
    return true;
  } catch (error) {
    deps.log.error("renewed_credentials_unkept", error, { channelId: id });
    return false;
  }
}

async function forgetRenewed(deps: Deps, id: ChannelId, isInKv: boolean): Promise<void> {
  inMemory.delete(id);
  // Left behind it would do no harm: it names the credentials that it replaces, and those are gone.
  if (isInKv) await deps.kv.delete(kvKey(id)).catch(() => undefined);
}
