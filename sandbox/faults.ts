// Misbehaviour on demand. A fault waits for calls of one operation on one platform and spoils the next `times` of
// them. A fault that could do nothing with the call it met (no media to reject, nothing accepted to cut off) waits on.

import type { Context, MiddlewareHandler } from "hono";
import type { Database } from "./database";
import type { PlatformBindings } from "./platform";
import type { Sandbox } from "./sandbox";

export const OPERATIONS = [
  "token",
  "publish",
  "upload",
  "status",
  "delete",
  "comments",
  "reply",
  "message",
  "ads",
] as const;
export type Operation = (typeof OPERATIONS)[number];

export const FAULT_KINDS = [
  "error",
  "slow",
  "rate_limit",
  "accept_then_drop",
  "accept_then_error",
  "expire_token",
  "revoke_token",
  "reject_media",
  "processing_failed",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly platform: string;
  readonly operation: Operation;
  readonly kind: FaultKind;
  /** Set once the fault did something. */
  met: boolean;
}

export type FaultRow = { platform: string; operation: Operation; kind: FaultKind; times: number };

export class FaultBook {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(): FaultRow[] {
    return this.#db.all<FaultRow>("SELECT platform, operation, kind, times FROM faults ORDER BY rowid");
  }

  set(fault: FaultRow): void {
    const { platform, operation, kind, times } = fault;
    this.#db.run("DELETE FROM faults WHERE platform = ? AND operation = ? AND kind = ?", platform, operation, kind);
    if (times > 0) {
      this.#db.run(
        "INSERT INTO faults (platform, operation, kind, times) VALUES (?, ?, ?, ?)",
        platform,
        operation,
        kind,
        times,
      );
    }
  }

  /** The oldest fault that waits for this operation, one time less. */
  take(platform: string, operation: Operation): Fault | null {
    const row = this.#db.first<{ rowid: number; kind: FaultKind; times: number }>(
      "SELECT rowid, kind, times FROM faults WHERE platform = ? AND operation = ? ORDER BY rowid LIMIT 1",
      platform,
      operation,
    );
    if (!row) return null;
    if (row.times > 1) this.#db.run("UPDATE faults SET times = times - 1 WHERE rowid = ?", row.rowid);
    else this.#db.run("DELETE FROM faults WHERE rowid = ?", row.rowid);
    return { platform, operation, kind: row.kind, met: false };
  }

  giveBack({ platform, operation, kind }: Fault): void {
    const waiting = this.list().find((f) => f.platform === platform && f.operation === operation && f.kind === kind);
    this.set({ platform, operation, kind, times: (waiting?.times ?? 0) + 1 });
  }
}

/** How a platform misbehaves in its own words. */
export interface Misbehaviour<C> {
  outage(c: C): Response;
  rateLimited(c: C): Response;
  /** The credential of this call no longer works; the handler then refuses it the ordinary way. */
  expireToken(c: C): void | Promise<void>;
  revokeToken(c: C): void | Promise<void>;
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
      case "rate_limit":
        return misbehaviour.rateLimited(c);
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
        fault.met = c.res.ok;
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

/** An answer whose connection breaks in the middle: a first byte gets out, so that no proxy can make it an error of its own. */
function cutOff(): Response {
  const pieces = [new TextEncoder().encode("{")];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.pop();
      if (piece) return controller.enqueue(piece);
      await scheduler.wait(50);
      controller.error(new Error("the sandbox cut this connection on purpose"));
    },
  });
  return new Response(body, { status: 200, headers: { "content-type": "application/json" } });
}
