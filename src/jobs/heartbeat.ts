import { SECOND } from "../core/time.ts";
import { LeaseLost } from "./outcomes.ts";

export interface ActLimits {
  /** The time limit of the act. */
  readonly limitMs: number;
  /** How often the lease is renewed meanwhile; null if the lease already outlasts the act. */
  readonly everyMs: number | null;
}

/**
 * Runs an act that may last longer than a lease, and renews the lease meanwhile, so that no other delivery
 * treats the job as abandoned. `signal` aborts at the time limit, or when the lease is lost: the act must
 * stop, and its result can no longer be stored (`LeaseLost`). Other renewal errors are retried while the
 * lease lasts.
 */
export async function whileLeased<T>(
  { limitMs, everyMs }: ActLimits,
  renew: () => Promise<void>,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const limit = setTimeout(() => end.abort(new Error(`The work took longer than ${limitMs / SECOND} s.`)), limitMs);
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
