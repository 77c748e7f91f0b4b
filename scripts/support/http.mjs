import { setTimeout as sleep } from "node:timers/promises";

/**
 * One JSON call. Answers `{ status, body, headers }` for any status; throws only when no answer came (`fetch failed`, or
 * after `timeoutMs`).
 */
export async function callJson(method, url, { headers = {}, body, timeoutMs = 30_000 } = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

/** Whether the address answers 2xx just now. */
export async function answers(url, timeoutMs = 5000) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Asks every `everyMs` until `probe` answers something truthy, which is returned; null after `timeoutMs`. */
export async function waitFor(probe, { timeoutMs, everyMs = 200 }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() + everyMs > deadline) return null;
    await sleep(everyMs);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
