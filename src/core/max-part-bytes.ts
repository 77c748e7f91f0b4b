/**
 * The most bytes of a file that are read at a time, and so held in memory: no adapter sends a larger part at
 * once.
 */
export const MAX_PART_BYTES = 8 * 1024 * 1024;
