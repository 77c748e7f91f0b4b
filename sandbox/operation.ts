// Applies faults to calls. A fault that had no effect on its call (no media to reject, no accepted write to
// cut off) is returned to the queue.

import type { Context, MiddlewareHandler } from "hono";
import type { FaultKind, Operation, OwnFault } from "./faults";
import type { PlatformBindings } from "./platform";
import type { Sandbox } from "./sandbox";

/** How a platform reports a fault in its own error format. */
export interface Misbehaviour<C> {
  outage(c: C): Response;
  rateLimited(c: C): Response;
  /** Expires the credential of this call; the handler then rejects it in the usual way. */
  expireToken(c: C): void | Promise<void>;
  revokeToken(c: C): void | Promise<void>;
  /** Whether `accept_then_…` can affect this call. If absent, it can affect every call. */
  isWrite?(c: C): boolean;
  /** Errors that only this platform returns. */
  readonly refusals: Readonly<Partial<Record<OwnFault, () => Response>>>;
}

interface FaultyEnv {
  Bindings: PlatformBindings;
}

/** The operation of a route; null if faults do not apply to it. */
export type Which<C> = Operation | null | ((c: C) => Operation | null | Promise<Operation | null>);

/** Names the operation of a route, for the call log, and applies a waiting fault to it. */
export function operation<E extends FaultyEnv>(
  sandbox: Sandbox,
  platform: string,
  which: Which<Context<E>>,
  misbehaviour: Misbehaviour<Context<E>>,
): MiddlewareHandler<E> {
  return async (c, next) => {
    const call = c.env.call;
    call.operation = typeof which === "function" ? await which(c) : which;
    const fault = call.operation && sandbox.faults.take(platform, call.operation);
    if (!fault) return next();
    call.fault = fault;
    switch (fault.kind) {
      case "error":
        return misbehaviour.outage(c);
      case "html_error":
        return htmlPage(502, "502 Bad Gateway");
      case "empty_error":
        return new Response(null, { status: 503 });
      case "gateway_refusal":
        return htmlPage(403, "403 Forbidden");
      case "rate_limit":
        return misbehaviour.rateLimited(c);
      case "credits_depleted":
      case "credits_depleted_old":
      case "account_locked":
      case "page_role_missing":
      case "organization_permission_missing":
      case "proof_refused":
        return misbehaviour.refusals[fault.kind]?.() ?? misbehaviour.outage(c);
      case "slow":
        await scheduler.wait(sandbox.settings.all.slow_ms);
        return next();
      case "expire_token":
        await misbehaviour.expireToken(c);
        return next();
      case "revoke_token":
        await misbehaviour.revokeToken(c);
        return next();
      case "accept_then_drop":
      case "accept_then_error":
        await next();
        // A 3xx is not an error: some uploads acknowledge a chunk with it. A 2xx can be an error that the
        // handler has thrown.
        fault.met = c.res.status < 400 && c.error === undefined && (misbehaviour.isWrite?.(c) ?? true);
        if (fault.met) c.res = fault.kind === "accept_then_drop" ? cutOff() : misbehaviour.outage(c);
        break;
      case "unfetchable_media":
      case "reject_media":
      case "processing_failed":
        await next();
        break;
    }
    if (!fault.met) {
      sandbox.faults.giveBack(fault);
      call.fault = null;
    }
  };
}

/** True if the call meets a fault of this kind, which is then used up. */
export function meets(c: { env: PlatformBindings }, kind: FaultKind): boolean {
  const fault = c.env.call.fault;
  if (fault?.kind !== kind) return false;
  fault.met = true;
  return true;
}

/** The error page of a proxy in front of the platform, without the platform's own error format. */
function htmlPage(status: number, title: string): Response {
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return new Response(body, { status, headers: { "content-type": "text/html" } });
}

/**
 * A response whose connection breaks midway. The first byte is sent, so that no proxy replaces the response
 * with its own error. The runtime logs each broken stream. Aborting a native stream logs one line without a
 * stack trace, which `npm start` filters by its text.
 */
function cutOff(): Response {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(new TextEncoder().encode("{"));
    await scheduler.wait(50);
    await writer.abort(new Error("the sandbox cut this connection on purpose"));
  };
  // The caller may disconnect first.
  cut().catch(() => {});
  return new Response(readable, { status: 200, headers: { "content-type": "application/json" } });
}
