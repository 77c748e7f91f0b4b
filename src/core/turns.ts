/**
 * Lets others in between: an isolate serves many requests, and long work of one would have all of them wait.
 * Work is counted in steps, not measured, because the runtime's clock stands still while code runs.
 */
export class Turns {
  readonly #stepsPerTurn: number;
  #left: number;

  constructor(stepsPerTurn: number) {
    this.#stepsPerTurn = stepsPerTurn;
    this.#left = stepsPerTurn;
  }

  /** Counts work that was done; waits for the others once it was a turn's. */
  async spend(steps: number): Promise<void> {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = this.#stepsPerTurn;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
