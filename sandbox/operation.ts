// How a call meets a fault. A fault that could do nothing with the call it met (no media to reject, nothing
// accepted to cut off) is given back and waits on.

import type { Context, MiddlewareHandler } from "hono";
import type { FaultKind, Operation, OwnFault } from "./faults";
import type { PlatformBindings } from "./platform";
import type { Sandbox } from "./sandbox";

/** How a platform misbehaves in its own words. */
export interface Misbehaviour<C> {
  outage(c: C): Response;
  rateLimited(c: C): Response;
  /** The credential of this call no longer works; the handler then refuses it the ordinary way. */
  expireToken(c: C): void | Promise<void>;
  revokeToken(c: C): void | Promise<void>;
  /** Whether `accept_then_…` has anything to spoil here; absent where it has in every call. */
  isWrite?(c: C): boolean;
  /** Refusals of this platform alone. */
  readonly refusals: Readonly<Partial<Record<OwnFault, () => Response>>>;
}

interface FaultyEnv {
  Bindings: PlatformBindings;
}

/** Names the operation of a route, for the record of calls, and lets a waiting fault spoil it. */
export function operation<E extends FaultyEnv>(
  sandbox: Sandbox,
  platform: string,
  which: Operation | ((c: Context<E>) => Operation | null | Promise<Operation | null>),
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
        // A 3xx is no refusal: some uploads acknowledge a chunk so. A 2xx may be one, which the handler has
        // thrown.
        fault.met = c.res.status < 400 && c.error === undefined && (misbehaviour.isWrite?.(c) ?? true);
        if (fault.met) c.res = fault.kind === "accept_then_drop" ? cutOff() : misbehaviour.outage(c);
        break;
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

/** True when the call met a fault of this kind, which is thereby spent. */
export function meets(c: { env: PlatformBindings }, kind: FaultKind): boolean {
  const fault = c.env.call.fault;
  if (fault?.kind !== kind) return false;
  fault.met = true;
  return true;
}

/** What a machine in front of the platform says, which knows nothing of the platform's own error bodies. */
function htmlPage(status: number, title: string): Response {
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return new Response(body, { status, headers: { "content-type": "text/html" } });
}

/**
 * An answer whose connection breaks in the middle: a first byte gets out, so that no proxy can make it an
 * error of its own. The runtime reports each broken stream; a native one that is aborted costs a line without
 * a stack, which `npm start` leaves out by its words.
 */
function cutOff(): Response {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(new TextEncoder().encode("{"));
    await scheduler.wait(50);
    await writer.abort(new Error("the sandbox cut this connection on purpose"));
  };
  // The caller may hang up first.
  cut().catch(() => {});
  return new Response(readable, { status: 200, headers: { "content-type": "application/json" } });
}
