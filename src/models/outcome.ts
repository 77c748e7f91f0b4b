/**
 * - `not_configured`: no model is set up, or its server does not take our key, model or account: an operator
 *   must act.
 * - `refused`: the server or the model will not answer this: final. - `throttled`: later, after
 *   `retryAfterSeconds` if told.
 * - `down`: no answer; passing trouble. - `invalid`: an answer that is not of the form; another one might be.
 */
export type ModelReason = "not_configured" | "refused" | "throttled" | "down" | "invalid";

export interface ModelFailure {
  readonly kind: "failed";
  readonly reason: ModelReason;
  /** One sentence of ours: nothing that the server said, which may quote the key or the material. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** How sentences call a model, behind "The". */
export type ModelName = `${"language" | "image" | "speech" | "video"} model`;

export function failed(reason: ModelReason, message: string, retryAfterSeconds: number | null = null): ModelFailure {
  return { kind: "failed", reason, message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

/** What a status other than 2xx means. `retryAfter` is the header's value. */
export function failureOfStatus(model: ModelName, status: number, retryAfter: string | null): ModelFailure {
  const wait = waitSeconds(retryAfter ?? "", Date.now());
  const told = `with status ${status}`;
  if (status === 429) return failed("throttled", `The ${model}'s allowance is used up for now.`, wait);
  if (status >= 500 || PASSING.includes(status)) return failed("down", `The ${model}'s server answered ${told}.`, wait);
  if (status < 400 || UNWELCOME.includes(status)) {
    const what = "its address, key, model or account";
    return failed("not_configured", `The ${model}'s server turned us away ${told}: ${what} must be put right.`);
  }
  return failed("refused", `The ${model}'s server refused the request ${told}.`);
}

/** Timeouts and conflicts of the server's own. */
const PASSING: readonly number[] = [408, 409, 425];
/** The key, the payment, the permission, the address or model: the same for whatever is asked. */
const UNWELCOME: readonly number[] = [401, 402, 403, 404, 405];

export function noAnswer(model: ModelName): ModelFailure {
  return failed("down", `The ${model}'s server did not answer in time, or could not be reached.`);
}

export function oddAnswer(model: ModelName): ModelFailure {
  return failed("invalid", `The ${model}'s server answered in a form that it does not document.`);
}

function waitSeconds(retryAfter: string, now: number): number | null {
  const value = retryAfter.trim();
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - now) / 1000));
}
