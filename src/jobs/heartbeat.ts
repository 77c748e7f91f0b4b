import { SECOND } from "../core/time.ts";
import { LeaseLost } from "./outcomes.ts";

export interface ActLimits {
  /** The longest that the act may take. */
  readonly limitMs: number;
  /** How often the lease is renewed meanwhile; null where it outlasts the act as it is. */
  readonly everyMs: number | null;
}

/**
 * Runs an act that may last longer than a lease, and renews the lease meanwhile, so that no other delivery
 * takes the job for abandoned. `signal` ends with the time limit, or when the lease is lost: then the act
 * must stop, and what it comes to cannot be stored any more (`LeaseLost`). A renewal that fails otherwise is
 * tried again while the lease lasts.
 */
export async function whileLeased<T>(
  { limitMs, everyMs }: ActLimits,
  renew: () => Promise<void>,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const limit = setTimeout(() => end.abort(new Error(`It took longer than ${limitMs / SECOND} s.`)), limitMs);
  const beat = everyMs === null ? null : setInterval(() => void renew().catch(stopIfLost), everyMs);
  let lost: LeaseLost | null = null;
  function stopIfLost(error: unknown): void {
    if (!(error instanceof LeaseLost)) return;
    lost = error;
    end.abort(error);
  }
  try {
    const value = await act(end.signal);
    if (lost !== null) throw lost;
    return value;
  } catch (error) {
    throw lost ?? error;
  } finally {
    clearTimeout(limit);
    if (beat !== null) clearInterval(beat);
  }
}
