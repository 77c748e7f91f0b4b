/**
 * Yields to other requests: an isolate serves many, and long work for one would block them all. Work is
 * counted in steps, not measured, because the runtime's clock stands still while code runs.
 */
export class Turns {
  readonly #stepsPerTurn: number;
  #left: number;

  constructor(stepsPerTurn: number) {
    this.#stepsPerTurn = stepsPerTurn;
    this.#left = stepsPerTurn;
  }

  /** Counts finished work; yields to other requests after one turn's worth. */
  async spend(steps: number): Promise<void> {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = this.#stepsPerTurn;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
