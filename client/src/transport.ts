import { BelfryError, ConnectionError, type ErrorFacts, errorOf } from "./errors.ts";

/**
 * Sends requests until one has an answer. Lost answers, 5xx and refusals by a rate limit are retried, with
 * the service's own delay (`Retry-After`) or a growing one. What could act twice is sent once only.
 */

export interface TransportOptions {
  readonly token: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a request is sent again. Default: 6. */
  readonly retries?: number;
  /** How long one attempt may take. Default: 30 s. */
  readonly timeoutMs?: number;
  /** A longer `Retry-After` is not waited for: the error is thrown. Default: 60 s. */
  readonly maxWaitMs?: number;
}

export interface Sending {
  /** Called for each attempt, because a body can be read once. */
  readonly request: () => Request;
  /** Whether a repeat does no harm. */
  readonly isRepeatable: boolean;
  readonly timeoutMs?: number;
}

export type Send = (sending: Sending) => Promise<Response>;

export function createTransport({ token, fetch: reach = fetch, ...options }: TransportOptions): Send {
  const { retries = 6, timeoutMs = 30_000, maxWaitMs = 60_000 } = options;
  // All requests of this client wait while the token's limit is used up.
  let freeAt = 0;

  async function attempt(request: Request, ms: number): Promise<Response> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ms)]);
    request.headers.set("Authorization", `Bearer ${token}`);
    const response = await reach(request, { signal });
    // Read here, because the connection can also be lost within the body.
    const text = await response.text();
    const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(response.headers.get("RateLimit") ?? "") ?? [];
    if (response.ok && left === "0") freeAt = Date.now() + Number(seconds) * 1_000;
    return new Response(text === "" ? null : text, response);
  }

  return async ({ request: make, isRepeatable, timeoutMs: ms = timeoutMs }) => {
    let wasLost = false;
    for (let repeats = 0; ; repeats++) {
      await sleep(freeAt - Date.now());
      const request = make();
      let problem: BelfryError;
      let waitMs = Math.min(10_000, 250 * 2 ** repeats) * (0.5 + Math.random() / 2);
      try {
        const response = await attempt(request, ms);
        if (response.ok || response.status === 304) return response;
        const body = await bodyOf(response);
        // The attempt before, whose answer was lost, has deleted it.
        if (wasLost && request.method === "DELETE" && body?.code === "not_found")
          return Response.json({ status: true, message: "Deleted." });
        problem = errorOf(response, body);
        const seconds = response.headers.get("Retry-After");
        if (seconds !== null) waitMs = Number(seconds) * 1_000;
        const wasRefused = [423, 429, 503].includes(response.status);
        if (response.status === 429 && waitMs <= maxWaitMs) freeAt = Math.max(freeAt, Date.now() + waitMs);
        if (!wasRefused && !(response.status >= 500 && isRepeatable)) throw problem;
        wasLost ||= !wasRefused;
      } catch (cause) {
        if (request.signal.aborted || cause instanceof BelfryError) throw cause;
        const message = `There was no response from ${new URL(request.url).origin}.`;
        problem = new ConnectionError(
          { code: "no_answer", message, again: isRepeatable ? "later" : "look_first" },
          undefined,
          { cause },
        );
        if (!isRepeatable) throw problem;
        wasLost = true;
      }
      if (repeats >= retries || !(waitMs <= maxWaitMs)) throw problem;
      await sleep(waitMs);
    }
  };
}

async function bodyOf(response: Response): Promise<Partial<ErrorFacts> | null> {
  try {
    return JSON.parse(await response.clone().text());
  } catch {
    return null;
  }
}

export function sleep(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
}
