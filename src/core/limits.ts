/** Requests per token (spec 8): the maximum in any window of this length. */
export const RATE_LIMIT = 100;
export const RATE_WINDOW_MS = 1000;
