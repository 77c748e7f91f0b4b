/** The migrations of this version, in order; a Worker cannot list their folder. */
export const MIGRATIONS = ["0000_initial.sql"] as const;
