/** Choices that a seed decides, alike on every machine (mulberry32). */
export interface Random {
  /** From `low` up to, not including, `high`. */
  between(low: number, high: number): number;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { between: (low, high) => low + next() * (high - low) };
}

/** A whole number from `low` to `high`. */
export const whole = (random: Random, low: number, high: number): number => Math.floor(random.between(low, high + 1));

/** Whether something happens that happens this often, from 0 to 1. */
export const happens = (random: Random, often: number): boolean => random.between(0, 1) < often;

export function oneOf<T>(random: Random, values: readonly [T, ...T[]]): T {
  const [first, ...others] = values;
  return others[whole(random, -1, others.length - 1)] ?? first;
}

/** The text with something that no other text has. */
export const uniquely = (text: string) => `${text} ${crypto.randomUUID()}`;
