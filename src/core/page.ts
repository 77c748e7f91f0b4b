/** One page of a list with its true total. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}
