import { DurableObject } from "cloudflare:workers";
import { Semaphore, type SemaphoreEntry } from "../core/semaphore.ts";

/**
 * One object a project: how many of its costly deeds are under way at once, over all isolates. In memory
 * only: who starts anew knows of none, and those that were under way end within their time.
 */
export class ProjectLimiter extends DurableObject {
  readonly #places = new Semaphore(Math.floor(Math.random() * 2 ** 40));

  /** A place for at most `holdMs`, if fewer than `limit` are taken. */
  async enter(limit: number, holdMs: number): Promise<SemaphoreEntry> {
    return this.#places.enter(limit, holdMs, Date.now());
  }

  async leave(place: number): Promise<void> {
    this.#places.leave(place);
  }
}
