/**
 * - `not_configured`: no model is configured, or its server refuses our key, model or account; an operator
 *   must fix it.
 * - `refused`: the server or the model refuses this request; permanent.
 * - `throttled`: rate limited; retry after `retryAfterSeconds`, if known.
 * - `down`: no response; temporary.
 * - `over_quota`: the project may not call a model now; nothing was sent.
 * - `invalid`: the response has the wrong format; another call may succeed.
 */
export type ModelReason = "not_configured" | "refused" | "throttled" | "down" | "over_quota" | "invalid";

export interface ModelFailure {
  readonly kind: "failed";
  readonly reason: ModelReason;
  /** Our own sentence, without the server's text, which may quote the key or the prompt. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** The usage that the server reports for the failed call. */
  readonly usage?: Usage;
}

/** Tokens; null where the server does not report them. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
}

/** The name of a model in messages, after "The". */
export type ModelName = `${"language" | "image" | "speech" | "video"} model`;

export function failed(reason: ModelReason, message: string, retryAfterSeconds: number | null = null): ModelFailure {
  return { kind: "failed", reason, message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

/** Maps a status other than 2xx to a failure. `retryAfter` is the header's value. */
export function failureOfStatus(model: ModelName, status: number, retryAfter: string | null): ModelFailure {
  const wait = waitSeconds(retryAfter ?? "", Date.now());
  const answered = `with status ${status}`;
  if (status === 429) return failed("throttled", `The ${model}'s quota is currently used up.`, wait);
  if (status >= 500 || PASSING.includes(status))
    return failed("down", `The ${model}'s server answered ${answered}.`, wait);
  if (status < 400 || UNWELCOME.includes(status)) {
    const what = "its address, key, model or account";
    return failed(
      "not_configured",
      `The ${model}'s server refused this service ${answered}. The operator must correct ${what}.`,
    );
  }
  return failed("refused", `The ${model}'s server refused the request ${answered}.`);
}

/** Temporary timeouts and conflicts at the server. */
const PASSING: readonly number[] = [408, 409, 425];
/** Problems with the key, payment, permission, address or model, which affect every request. */
const UNWELCOME: readonly number[] = [401, 402, 403, 404, 405];

export function noAnswer(model: ModelName): ModelFailure {
  return failed("down", `The ${model}'s server did not answer in time, or could not be reached.`);
}

export function oddAnswer(model: ModelName): ModelFailure {
  return failed("invalid", `The ${model}'s server returned an undocumented response.`);
}

function waitSeconds(retryAfter: string, now: number): number | null {
  const value = retryAfter.trim();
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - now) / 1000));
}
