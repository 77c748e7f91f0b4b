/**
 * Limits the file bytes that one isolate holds for uploads. Its deliveries share 128 MB with everything else.
 * Each chunk in transit exists two or three times: as read, in the request, on the wire.
 */
export class UploadPool {
  #free: number;
  readonly #capacity: number;
  readonly #waiting: { readonly bytes: number; readonly grant: () => void }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** A slot for one delivery. */
  slot(): UploadSlot {
    return new UploadSlot(this);
  }

  /** Resolves when the bytes are available, in the order of calls; false if they are not within `waitMs`. */
  async take(bytes: number, waitMs: number): Promise<boolean> {
    const wanted = Math.min(bytes, this.#capacity);
    if (this.#waiting.length === 0 && wanted <= this.#free) {
      this.#free -= wanted;
      return true;
    }
    return new Promise((resolve) => {
      const entry = {
        bytes: wanted,
        grant: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        resolve(false);
        // The next waiter may need fewer bytes.
        this.#serve();
      }, waitMs);
      this.#waiting.push(entry);
    });
  }

  give(bytes: number): void {
    this.#free += Math.min(bytes, this.#capacity);
    this.#serve();
  }

  #serve(): void {
    for (let [next] = this.#waiting; next && next.bytes <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.grant();
    }
  }
}

/**
 * The share of the pool that one delivery holds. It never waits while it holds bytes, so deliveries cannot
 * deadlock.
 */
class UploadSlot {
  readonly #pool: UploadPool;
  #held = 0;

  constructor(pool: UploadPool) {
    this.#pool = pool;
  }

  /** Whether the delivery may hold that many bytes now; immediate if it already does. */
  async take(bytes: number, waitMs: number): Promise<boolean> {
    if (this.#held >= bytes) return true;
    this.release();
    if (!(await this.#pool.take(bytes, waitMs))) return false;
    this.#held = bytes;
    return true;
  }

  release(): void {
    if (this.#held > 0) this.#pool.give(this.#held);
    this.#held = 0;
  }
}
