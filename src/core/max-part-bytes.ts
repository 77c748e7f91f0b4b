/**
 * The most that is read of a file at a time, and so is in memory of it: no adapter sends a larger part than
 * this at once.
 */
export const MAX_PART_BYTES = 8 * 1024 * 1024;
