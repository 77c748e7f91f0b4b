import type { FailureCode } from "../core/failures.ts";
import type { Failure, FailureReason, LimitScope, SaidCode, Unknown, Unreadable } from "./context.ts";
import { maskQuote } from "./masking.ts";

/** The most common outcomes of adapters, and how a sentence quotes a platform. */

/** The code of a reason, if the failure has no code of its own. */
const CODES: Readonly<Record<FailureReason, FailureCode>> = {
  token_expired: "reconnect_needed",
  disconnected: "reconnect_needed",
  permission_missing: "permission_missing",
  rejected: "platform_rejected",
  throttled: "rate_limited",
  down: "platform_down",
  blocked: "operator_action",
};

/** The code of a refusal that callers see. */
export function codeOf({ reason, code }: Pick<Failure, "reason" | "code">): FailureCode {
  return code ?? CODES[reason];
}

/** Final: the sentence says what is wrong. */
export function rejected(message: string, code?: SaidCode): Failure {
  return { kind: "failed", reason: "rejected", message, ...(code ? { code } : {}) };
}

/** A temporary failure; nothing was done. */
export function down(message: string): Failure {
  return { kind: "failed", reason: "down", message };
}

/**
 * `retryAfterSeconds` null: the platform does not say when. `limit`: whose limit is reached until then.
 */
export function throttled(
  message: string,
  retryAfterSeconds: number | null,
  code?: SaidCode | null,
  limit?: LimitScope | null,
): Failure {
  const wait = retryAfterSeconds === null ? {} : { retryAfterSeconds };
  return {
    kind: "failed",
    reason: "throttled",
    message,
    ...wait,
    ...(code ? { code } : {}),
    ...(limit ? { limit } : {}),
  };
}

export function unknown(message: string): Unknown {
  return { kind: "unknown", message };
}

/** The outcome of a call whose answer says only that it was carried out. */
export function okAs<K extends string>(
  answer: { readonly kind: "ok" } | Failure,
  kind: K,
): { readonly kind: K } | Failure {
  return answer.kind === "ok" ? { kind } : answer;
}

/** For a look-up: there is evidence that the call was carried out. */
export function perhapsLive(message: string): Unknown {
  return { kind: "unknown", message, mayBeLive: true };
}

/**
 * Combines a documented refusal of a public act with a look-up made right after it: platforms have refused
 * acts that they carried out.
 *
 * - A look-up refused for the same reason, a connection or a limit confirms the refusal.
 * - A look-up that fails temporarily leaves the outcome unknown. Refused credentials are the exception:
 *   platforms check those before they do anything.
 */
export function weighRefusal<F extends Failure>(refusal: F, seen: Seen): F | Unknown {
  switch (seen.kind) {
    case "found":
      return doubted(refusal);
    case "unknown":
      return seen.mayBeLive ? doubted(refusal) : refusal;
    case "failed":
      return seen.reason === "down" && !STANDS_UNSEEN.has(refusal.reason) ? doubted(refusal) : refusal;
    case "absent":
    case "unreadable":
      return refusal;
  }
}

function doubted({ message, answer }: Failure): Unknown {
  return answer ? { kind: "unknown", message, answer } : unknown(message);
}

/** Refusals that are believed although the look-up failed. */
const STANDS_UNSEEN: ReadonlySet<FailureReason> = new Set(["down", "token_expired", "disconnected"]);

type Seen = { readonly kind: "found" | "absent" } | Unknown | Unreadable | Failure;

export function unreadable(message: string): Unreadable {
  return { kind: "unreadable", message };
}

/** Our sentence, followed by the platform's own words if it sent any. `known`: secrets, as in `maskQuote`. */
export function quoting(
  advice: string,
  title: string,
  words: string | null | undefined,
  known?: readonly string[],
): string {
  return words ? `${advice} ${possessive(title)} words: “${maskQuote(words, known)}”` : advice;
}

/** "X" → "X's", "Threads" → "Threads'". */
export function possessive(title: string): string {
  return title.endsWith("s") ? `${title}'` : `${title}'s`;
}
