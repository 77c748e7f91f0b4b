import type { Duplicate, Failure, FailureReason, LimitScope, SaidCode, Unknown } from "./context.ts";
import { throttled, unknown } from "./outcomes.ts";

/**
 * What a row of a refusal table decides.
 * `unclear`: the call may have been carried out. `duplicate`: an earlier one was.
 */
export type Verdict = FailureReason | "unclear" | "duplicate";

/** What a verdict alone does not say. */
interface Details {
  readonly code?: SaidCode | undefined;
  readonly limit?: LimitScope | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
}

/** The outcome that a verdict comes to. Only a throttled one has a retry time and a limit. */
export function outcomeOf(
  verdict: Verdict,
  message: string,
  { code, limit, retryAfterSeconds = null }: Details,
): Failure | Unknown | Duplicate {
  if (verdict === "unclear") return unknown(message);
  if (verdict === "duplicate") return { kind: "duplicate", message };
  if (verdict === "throttled") return throttled(message, retryAfterSeconds, code, limit);
  return { kind: "failed", reason: verdict, message, ...(code ? { code } : {}) };
}

/** Seconds of the Retry-After header; null where it has none. */
export function retryAfter(headers: Headers): number | null {
  const seconds = Number.parseInt(headers.get("retry-after") ?? "", 10);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}
