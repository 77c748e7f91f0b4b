import { checkAddress } from "./address.ts";

/**
 * Sends a body to an address that a user gave us (guarded-fetch.ts reads from those): https and public hosts
 * only (address.ts), bounded in time. Redirects are not followed, as Standard Webhooks has it: whoever moves
 * says so to us, not to whoever may answer in their place, and so none leads into places that only we can
 * reach.
 */
export interface GuardedPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** So much of the answer's body is read and kept. */
  readonly maxBytes: number;
}

export type PostAnswer =
  /** Of any status. `body`: its beginning, as text. */
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  /** We do not ask this address. */
  | { readonly kind: "refused"; readonly message: string }
  /** It was asked, but gave no answer; it may have got the body. */
  | { readonly kind: "failed"; readonly message: string };

export type PostGuarded = (url: string, post: GuardedPost) => Promise<PostAnswer>;

export function createGuardedPost(options: {
  /** For development: plain http and any port, on this machine only. */
  readonly allowLoopback: boolean;
  readonly fetch: typeof fetch;
}): PostGuarded {
  return async (url, { body, headers, timeoutMs, maxBytes }) => {
    const problem = checkAddress(url, options.allowLoopback);
    if (problem !== null) return { kind: "refused", message: `The address ${problem}` };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const init = { method: "POST", headers, body, redirect: "manual", signal: limit.signal } as const;
      const response = await options.fetch(url, init);
      return { kind: "answered", status: response.status, body: await beginningOf(response, maxBytes, limit.signal) };
    } catch {
      const message = limit.signal.aborted ? `No answer within ${timeoutMs / 1000} s.` : "It cannot be reached.";
      return { kind: "failed", message };
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A status is an answer, whatever becomes of the body behind it. */
async function beginningOf(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  try {
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      const piece: Uint8Array = value.subarray(0, left);
      left -= piece.byteLength;
      text += decoder.decode(piece, { stream: true });
    }
  } catch {
    // It broke off: what came of it is told.
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
  return text;
}
