import { DurableObject } from "cloudflare:workers";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../core/limits.ts";
import { createLog } from "../core/log.ts";
import { createMeter } from "../core/meter.ts";
import { MINUTE } from "../core/time.ts";
import { connectDb } from "../db/client.ts";
import type { LimiterAnswer } from "./rate-limit-lease.ts";
import { finishRevocation } from "./revocation.ts";
import { type PermitRequest, SlidingWindow } from "./sliding-window.ts";

/** The rest of a revocation, to be done again should the request that began it have died. */
interface Unfinished {
  readonly hash: string;
  readonly revokedAt: number;
}
const FINISH_AFTER_MS = MINUTE;

/** Of the Worker's bindings, what the rest of a revocation takes. */
interface Storages {
  readonly DB: D1Database;
  readonly KV: KVNamespace;
}

/**
 * One object a token: never more than 100 permits in any second, over all isolates (spec 8), and whether the
 * token is revoked. The window is in memory; stored is until when permits may be given, so that a restart
 * gives none twice (sliding-window.ts). The runtime holds back every answer until what was stored before it is
 * durable.
 *
 * The word on a revocation is here, for every isolate asks here at least once a second. The marks in D1 and
 * KV follow it: by the request that revokes, and once more by this object's alarm, which the same write sets.
 */
export class TokenLimiter extends DurableObject<Storages> {
  readonly #window: SlidingWindow;
  #revoked: boolean;

  constructor(state: DurableObjectState, env: Storages) {
    super(state, env);
    const { kv } = state.storage;
    this.#revoked = kv.get<boolean>("revoked") === true;
    const past = {
      now: Date.now(),
      grantsUntil: kv.get<number>("grants_until") ?? null,
      keep: (until: number) => kv.put("grants_until", until),
    };
    // Lease ids start at a random place, so that what an isolate tells of a lease from before a restart
    // matches nothing.
    this.#window = new SlidingWindow(RATE_LIMIT, RATE_WINDOW_MS, past, Math.floor(Math.random() * 2 ** 40));
  }

  async acquire(request: PermitRequest): Promise<LimiterAnswer> {
    return { ...this.#window.acquire(request, Date.now()), revoked: this.#revoked };
  }

  /** Holds, in every isolate within a second, once it returns. Repeatable. */
  async revoke(hash: string, revokedAt: number): Promise<void> {
    const unfinished: Unfinished = { hash, revokedAt };
    // No await between them: they are stored together or not at all.
    this.ctx.storage.kv.put("revoked", true);
    this.ctx.storage.kv.put("unfinished", unfinished);
    const stored = this.ctx.storage.setAlarm(Date.now() + FINISH_AFTER_MS);
    this.#revoked = true;
    await stored;
  }

  override async alarm(): Promise<void> {
    const unfinished = this.ctx.storage.kv.get<Unfinished>("unfinished");
    if (!unfinished) return;
    const { DB, KV } = this.env;
    try {
      await finishRevocation({ db: connectDb(DB, createMeter()), kv: KV }, unfinished.hash, unfinished.revokedAt);
      this.ctx.storage.kv.delete("unfinished");
    } catch (error) {
      // The runtime repeats a failed alarm a few times only; this must be done however long D1 or KV is away.
      createLog({ alarm: "revocation" }).error("revocation_unfinished", error);
      await this.ctx.storage.setAlarm(Date.now() + FINISH_AFTER_MS);
    }
  }

  /** Of a token that is over for good: leaves nothing behind. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
