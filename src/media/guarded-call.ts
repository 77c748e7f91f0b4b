import { FixedTextError } from "../core/error-text.ts";
import { checkAddress } from "./address.ts";

const TIMEOUT_MS = 10_000;

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | null | undefined;
}

export type CallGuarded = (url: string, call: Call) => Promise<Response>;

/**
 * The request for a client of another server, whose metadata names the addresses: https and public hosts only
 * (address.ts), without redirects, within ten seconds.
 */
export function createGuardedCall(options: {
  /** For development: allows plain http and any port, on this machine only. */
  readonly allowLoopback: boolean;
  readonly fetch: typeof fetch;
}): CallGuarded {
  return async (url, { method, headers, body = null }) => {
    const problem = checkAddress(url, options.allowLoopback);
    if (problem !== null) throw new FixedTextError("The address of the server is not allowed.");
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return options.fetch(url, { method, headers: { ...headers }, body, redirect: "manual", signal });
  };
}
