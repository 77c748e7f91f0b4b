import { FixedTextError } from "../core/error-text.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { checksumKeyId } from "../core/tokens.ts";
import type { Deps } from "../deps.ts";
import { hasTokensOfOtherKeys, listUnkeyedTokens } from "./store.ts";

/**
 * Tokens whose checksum vouches for nothing (docs/decisions/0018): those from before checksums had a key. Anybody can invent
 * one of that form, so an isolate knows the real ones by a list, which only shrinks, and looks nothing else up.
 */
const START_LENGTH = 16;
/** Some 5 MB in memory. Of a longer list nothing is known, and each token is looked up as it comes. */
const MAX_LISTED = 50_000;
/** The list changes by revocation only, which the limiter tells; and by a release before this one that still issues. */
const KEPT_MS = MINUTE;
const TROUBLE_KEPT_MS = 5 * SECOND;

/** Whether this may be the hash of one: false for invented ones. At most one D1 call a minute in an isolate. */
export async function mayBeOldToken({ db, memory, log }: Deps, hash: string): Promise<boolean> {
  const list = await memory.oldTokens.get(async () => {
    try {
      const starts = await listUnkeyedTokens(db, START_LENGTH, MAX_LISTED + 1);
      return { value: starts.length > MAX_LISTED ? null : new Set(starts), keepMs: KEPT_MS };
    } catch (error) {
      // Then KV decides, as for any other token: who holds one must not be locked out because D1 is away.
      log.error("old_tokens_unread", error);
      return { value: null, keepMs: TROUBLE_KEPT_MS };
    }
  });
  return list?.has(hash.slice(0, START_LENGTH)) ?? true;
}

/** Says in the log, with every sweep, that tokens are refused because their signing key is gone. */
export async function reportUnvouchedTokens({ db, config, log }: Deps): Promise<void> {
  const ids = await Promise.all(config.checksumKeys.map(checksumKeyId));
  if (!(await hasTokensOfOtherKeys(db, ids, Date.now()))) return;
  const remedy = "Access tokens are refused: put the SIGNING_KEY that they were issued under into SIGNING_KEYS_OLD.";
  log.error("tokens_of_unknown_key", new FixedTextError(remedy));
}
