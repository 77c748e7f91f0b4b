import { type AnswerProblem, answerProblem } from "../core/answer-problems.ts";
import { addressProblem } from "./address.ts";

/**
 * Posts a body to a user-supplied address (guarded-fetch.ts reads from those): https and public hosts only
 * (address.ts), with a time limit. Redirects are not followed, as Standard Webhooks requires: users must
 * change the address with us. So no redirect can lead to internal services.
 */
interface GuardedPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The largest part of the response's body that is read and kept. */
  readonly maxBytes: number;
}

type PostAnswer =
  /** With any status. `body`: its beginning, as text. */
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  /** The address is not allowed. */
  | { readonly kind: "refused"; readonly problem: AnswerProblem }
  /** The request was sent, but got no response; the server may have received the body. */
  | { readonly kind: "failed"; readonly problem: AnswerProblem };

export type PostGuarded = (url: string, post: GuardedPost) => Promise<PostAnswer>;

export function createGuardedPost(options: {
  /** For development: allows plain http and any port, on this machine only. */
  readonly allowLoopback: boolean;
  readonly fetch: typeof fetch;
}): PostGuarded {
  return async (url, { body, headers, timeoutMs, maxBytes }) => {
    const problem = addressProblem(url, options.allowLoopback);
    if (problem !== null) return { kind: "refused", problem };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const init = { method: "POST", headers, body, redirect: "manual", signal: limit.signal } as const;
      const response = await options.fetch(url, init);
      return { kind: "answered", status: response.status, body: await beginningOf(response, maxBytes, limit.signal) };
    } catch {
      const isSlow = limit.signal.aborted;
      return {
        kind: "failed",
        problem: isSlow ? answerProblem("slow_answer", timeoutMs / 1000) : answerProblem("unreachable"),
      };
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A response with a status counts, even if reading its body fails. */
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
    // The body was interrupted: the bytes that arrived are returned.
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
  return text;
}
