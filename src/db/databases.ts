/**
 * The databases of the service (docs/decisions/0064). Number 0 is the binding `DB`, and also the directory:
 * people, tokens, and which database each project is in. Others are the bindings `DB_1`, `DB_2` and so on.
 */

/** Ids of database k start above k · 2^40, so an id is unique over all databases, and below 2^53. */
const ID_SPAN = 2 ** 40;
/** With more, ids would leave the integers that JSON readers keep exactly. */
export const MAX_DATABASES = 64;

/** The id before the first one that a database gives. */
export const firstIdOf = (database: number): number => database * ID_SPAN;

/** The name of the binding of a database. */
export const bindingOf = (database: number): string => (database === 0 ? "DB" : `DB_${database}`);

/** How many databases are bound: their numbers have no gap. */
export function countDatabases(env: object): number {
  let count = 1;
  while (count < MAX_DATABASES && Reflect.get(env, bindingOf(count)) !== undefined) count++;
  return count;
}

/**
 * SQL that lets the ids of a database start above its first one. Repeatable: a sequence that is further
 * stays. Posts have no sequence: their first id is in the statement that creates one.
 */
export function seedIds(database: number): readonly string[] {
  const first = firstIdOf(database);
  const counted = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'";
  return [
    `INSERT INTO sqlite_sequence (name, seq) SELECT name, ${first} FROM (${counted}) WHERE name NOT IN (SELECT name FROM sqlite_sequence)`,
    `UPDATE sqlite_sequence SET seq = ${first} WHERE seq < ${first} AND name IN (${counted})`,
  ];
}
