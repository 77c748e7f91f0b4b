import { DurableObject } from "cloudflare:workers";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../core/limits.ts";
import type { LimiterAnswer } from "./permits.ts";
import { type PermitRequest, SlidingWindow } from "./window.ts";

/**
 * One object a token: never more than 100 permits in any second, over all isolates (spec 8), and whether the token is
 * revoked. The window is kept in memory only: it describes one second, and the platform evicts an object after far longer
 * without calls. The revocation is stored.
 */
export class TokenLimiter extends DurableObject {
  // Lease ids start at a random place, so that what an isolate tells of a lease from before a restart matches nothing.
  readonly #window = new SlidingWindow(RATE_LIMIT, RATE_WINDOW_MS, Math.floor(Math.random() * 2 ** 40));
  #revoked = false;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    void state.blockConcurrencyWhile(async () => {
      this.#revoked = (await state.storage.get<boolean>("revoked")) === true;
    });
  }

  async acquire(request: PermitRequest): Promise<LimiterAnswer> {
    return { ...this.#window.acquire(request, Date.now()), revoked: this.#revoked };
  }

  async revoke(): Promise<void> {
    await this.ctx.storage.put("revoked", true);
    this.#revoked = true;
  }
}
