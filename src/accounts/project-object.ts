import { DurableObject } from "cloudflare:workers";
import { Semaphore, type SemaphoreEntry } from "../core/semaphore.ts";

/**
 * One object per project: counts its costly operations that run at once, over all isolates. It is in memory
 * only: a restart loses the running operations, which end within their time limit.
 */
export class ProjectLimiter extends DurableObject {
  readonly #places = new Semaphore(Math.floor(Math.random() * 2 ** 40));

  /** Takes a slot for at most `holdMs`, if fewer than `limit` are taken. */
  async enter(limit: number, holdMs: number): Promise<SemaphoreEntry> {
    return this.#places.enter(limit, holdMs, Date.now());
  }

  async leave(place: number): Promise<void> {
    this.#places.leave(place);
  }
}
