import { DAY, HOUR } from "../core/time.ts";
import { randomBase62 } from "../core/tokens.ts";
import { claimUntil, sendClaimed } from "../jobs/recurring.ts";
import { claimNamed } from "../jobs/recurring-store.ts";
import type { Deauthorization, Deauthorizing } from "../platforms/deauthorizing.ts";
import type { PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { deauthorizations } from "./deauthorize-task.ts";
import { DEAUTHORIZE, storeDeauthorization } from "./store.ts";

/** Who reports: the address says it, and the signature proves it. */
export interface Reporter {
  readonly platform: PlatformName;
  readonly isTest: boolean;
}

export type Received =
  /** No such platform, or none that reports in this way, or no app is set up. */
  | { readonly kind: "unknown" }
  /** The platform has not signed it. */
  | { readonly kind: "unsigned" }
  /** It is older than any platform repeats it, or from the future. */
  | { readonly kind: "outdated" }
  /** More were reported in an hour than are stored. */
  | { readonly kind: "busy" }
  /** Signed, and about something else. */
  | { readonly kind: "other" }
  /** `code`: the confirmation code. */
  | { readonly kind: "received"; readonly code: string };

/** TikTok, the only one that says so, repeats a report for 72 hours. */
const MOST_AGE_MS = 3 * DAY;
/** Clocks differ. */
const MOST_AHEAD_MS = HOUR;
/** 190 bits. */
const CODE_LENGTH = 32;

/** How the platform reports; null if it does not in this way. */
export function deauthorizingOf(name: PlatformName, by: Deauthorizing["by"]): Deauthorizing | null {
  const found = findPlatform(name)?.deauthorizing;
  return found?.by === by ? found : null;
}

/**
 * Takes a report of a removed app or a wanted deletion, and begins the work before it returns. A repeat of
 * the same report begins nothing new, and has the same code.
 */
export async function receiveDeauthorization(
  deps: Deps,
  { platform, isTest }: Reporter,
  deauthorizing: Deauthorizing,
  { body, headers }: { readonly body: Uint8Array; readonly headers: Headers },
): Promise<Received> {
  if (isTest && deps.config.sandboxUrl === null) return { kind: "unknown" };
  const app = deps.config.appCredentials(deauthorizing.app, isTest);
  if (!app) return { kind: "unknown" };
  const read = await deauthorizing.read(body, headers, app);
  if (read === null) return { kind: "unsigned" };
  if (read.kind === "other") return { kind: "other" };
  const now = Date.now();
  if (isOutdated(read, now)) return { kind: "outdated" };
  const { userId, issuedAt, signed } = read;
  const about = { platform, app: deauthorizing.app, isTest, userId, issuedAt, signed };
  const code = randomBase62(CODE_LENGTH);
  const stored = await storeDeauthorization(deps.directory, { ...about, code, receivedAt: now });
  if (!stored) return { kind: "busy" };
  if (stored.doneAt === null) await beginSoon(deps, stored.id);
  return { kind: "received", code: stored.code };
}

const isOutdated = ({ issuedAt }: Deauthorization, now: number): boolean =>
  issuedAt < now - MOST_AGE_MS || issuedAt > now + MOST_AHEAD_MS;

/** Does not wait for the sweep. Never throws: the sweep begins what this does not. */
async function beginSoon(deps: Deps, id: number): Promise<void> {
  const now = Date.now();
  try {
    const claimed = await claimNamed(deps.directory, [`${DEAUTHORIZE}:${id}`], now, claimUntil(deps, now));
    await sendClaimed(deps, deauthorizations, claimed);
  } catch (error) {
    deps.log.error("deauthorization_unsent", error, { id });
  }
}
