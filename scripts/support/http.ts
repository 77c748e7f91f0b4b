import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Scope } from "./command.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body if it is JSON; otherwise the text. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

/**
 * Makes one JSON call. Returns a result for any status; throws only without a response (`fetch failed`, or
 * after `timeoutMs`).
 */
export async function callJson(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { headers = {}, body, timeoutMs = 30_000 } = options;
  const response = await fetch(url, {
    method,
    headers: {
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

/** Sends a request unchanged, with a timeout of 30 seconds. */
export const reach = (request: Request): Promise<Response> => fetch(request, { signal: AbortSignal.timeout(30_000) });

/** Whether the URL currently returns 2xx. */
export async function answers(url: string, timeoutMs = 5000): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Calls `probe` every `everyMs` until it returns a truthy value, which is returned; null after `timeoutMs`.
 */
export async function waitFor<T>(
  probe: () => Promise<T | null | false>,
  { timeoutMs, everyMs = 200 }: { readonly timeoutMs: number; readonly everyMs?: number },
): Promise<T | null> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() + everyMs > deadline) return null;
    await sleep(everyMs);
  }
}

/**
 * Starts a server on a free loopback port, which stops with the scope. Returns the port. `answer` may throw
 * because a request breaks off, such as of a service that is killed.
 */
export async function listenLocally(
  scope: Scope,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<number> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      if (request.complete) throw error;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A listener without a port.");
  return address.port;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
