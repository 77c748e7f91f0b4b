import { MINUTE } from "../core/time.ts";

/** The notes of set-back.ts in the database, by name: its count, and the time that it has lost. */
export const MARK = "mark";
export const SET_BACK = "set_back";
/**
 * Exists in database 0 after a restoration, until all tokens are known again (accounts/restore-tokens.ts).
 */
export const RESTORED = "restored";
/** The longest time between two counts: a sweep may be late. */
export const SLACK_MS = 2 * MINUTE;

/**
 * SQL that notes the lost time in a database that was restored from a copy (`npm run backup`), made at
 * `madeAt`: there, no count outside shows it. Epoch milliseconds.
 */
export function afterRestore(madeAt: number, now: number): string {
  const counted = `coalesce((SELECT value ->> '$.at' FROM sweep_notes WHERE name = '${MARK}'), ${madeAt})`;
  const earlier = `coalesce((SELECT value ->> '$.since' FROM sweep_notes WHERE name = '${SET_BACK}'), ${madeAt})`;
  return `INSERT INTO sweep_notes (name, value)
SELECT '${SET_BACK}', json_object('since', min(${counted}, ${earlier}, ${madeAt}) - ${SLACK_MS}, 'until', ${now})
WHERE true ON CONFLICT (name) DO UPDATE SET value = excluded.value;
INSERT OR REPLACE INTO sweep_notes (name, value) VALUES ('${RESTORED}', '{"after":0}');
`;
}
