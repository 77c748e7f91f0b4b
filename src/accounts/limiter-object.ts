import { DurableObject } from "cloudflare:workers";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../core/limits.ts";
import { createLog } from "../core/log.ts";
import { createMeter } from "../core/meter.ts";
import { MINUTE } from "../core/time.ts";
import { connectDb } from "../db/client.ts";
import type { LimiterAnswer, TokenHome } from "./rate-limit-lease.ts";
import { finishRevocation } from "./revocation.ts";
import { type PermitRequest, SlidingWindow } from "./sliding-window.ts";
import { noteTokenUse } from "./store.ts";

/** The rest of a revocation, to be repeated in case the request that started it died. */
interface Unfinished {
  readonly hash: string;
  readonly revokedAt: number;
}
const FINISH_AFTER_MS = MINUTE;
/** One write to D1 for each token in this time. */
const NOTE_EVERY_MS = 10 * MINUTE;

/** The Worker's bindings that the rest of a revocation needs. */
interface Storages {
  readonly DB: D1Database;
  readonly KV: KVNamespace;
}

/**
 * One object per token: it grants at most 100 permits in any second, over all isolates (spec 8), and holds
 * whether the token is revoked. The window is in memory. The object stores until when permits may be granted,
 * so that a restart grants none twice (sliding-window.ts). The runtime holds each response until earlier
 * writes are durable.
 *
 * This object is authoritative for revocations, because every isolate calls it at least once a second. The
 * marks in D1 and KV follow: the request that revokes writes them, and this object's alarm, set by the same
 * write, repeats that.
 */
export class TokenLimiter extends DurableObject<Storages> {
  readonly #window: SlidingWindow;
  #revoked: boolean;
  #home: TokenHome | null;
  #notedAt: number | undefined;

  constructor(state: DurableObjectState, env: Storages) {
    super(state, env);
    const { kv } = state.storage;
    this.#revoked = kv.get<boolean>("revoked") === true;
    this.#home = kv.get<TokenHome>("home") ?? null;
    const past = {
      now: Date.now(),
      grantsUntil: kv.get<number>("grants_until") ?? null,
      keep: (until: number) => kv.put("grants_until", until),
    };
    // Lease ids start at a random number, so that a lease from before a restart matches no new lease.
    this.#window = new SlidingWindow(RATE_LIMIT, RATE_WINDOW_MS, past, Math.floor(Math.random() * 2 ** 40));
  }

  async acquire(request: PermitRequest, hash: string): Promise<LimiterAnswer> {
    this.#noteUse(hash, Date.now());
    return { ...this.#window.acquire(request, Date.now()), revoked: this.#revoked, home: this.#home };
  }

  /** The list of tokens shows when each was last used. A lost note is made up for by the next one. */
  #noteUse(hash: string, now: number): void {
    const { kv } = this.ctx.storage;
    this.#notedAt ??= kv.get<number>("use_noted_at") ?? 0;
    if (now - this.#notedAt < NOTE_EVERY_MS) return;
    this.#notedAt = now;
    kv.put("use_noted_at", now);
    const noted = noteTokenUse(connectDb(this.env.DB, createMeter()), hash, now).catch((error: unknown) => {
      createLog({ object: "limiter" }).error("token_use_not_noted", error);
    });
    this.ctx.waitUntil(noted);
  }

  /** Revokes the token: once this returns, every isolate refuses the token within a second. Repeatable. */
  async revoke(hash: string, revokedAt: number): Promise<void> {
    const unfinished: Unfinished = { hash, revokedAt };
    // No await between the writes: they are stored together or not at all.
    this.ctx.storage.kv.put("revoked", true);
    this.ctx.storage.kv.put("unfinished", unfinished);
    const stored = this.ctx.storage.setAlarm(Date.now() + FINISH_AFTER_MS);
    this.#revoked = true;
    await stored;
  }

  /**
   * The project has moved to another database, or is on its way. Once this returns, every isolate knows
   * within a second, while copies of the token's record in KV may be a minute old. Repeatable.
   */
  async settle(home: TokenHome): Promise<void> {
    this.ctx.storage.kv.put("home", home);
    this.#home = home;
  }

  override async alarm(): Promise<void> {
    const unfinished = this.ctx.storage.kv.get<Unfinished>("unfinished");
    if (!unfinished) return;
    const { DB, KV } = this.env;
    try {
      await finishRevocation({ db: connectDb(DB, createMeter()), kv: KV }, unfinished.hash, unfinished.revokedAt);
      this.ctx.storage.kv.delete("unfinished");
    } catch (error) {
      // The runtime repeats a failed alarm only a few times; this must succeed however long D1 or KV is
      // unavailable.
      createLog({ alarm: "revocation" }).error("revocation_unfinished", error);
      await this.ctx.storage.setAlarm(Date.now() + FINISH_AFTER_MS);
    }
  }

  /** Deletes all data of a token that will never be valid again. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
