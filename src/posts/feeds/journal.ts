/** Which entries of a feed become posts. Pure. */

interface Keyed {
  readonly key: string;
}

interface Journal {
  /** Null before the first reading. */
  readonly seen: readonly string[] | null;
  /** Null after the first reading of the address. */
  readonly includeExisting: number | null;
}

/** A feed stops after so many failed readings, or refused entries, in a row. */
export const MAX_IN_A_ROW = 10;
/**
 * Of one reading, the newest entries become posts, and others are passed over: a site that gives all entries
 * new ids publishes no flood.
 */
const MAX_NEW = 20;
/** More than a document has (read-feed.ts), so that an entry that returns after some days is known. */
const MAX_SEEN = 1_000;

/**
 * The entries that become posts, as in the document, and the journal with those that are passed over. The
 * document has the newest first.
 */
export function newEntries<Entry extends Keyed>({ seen, includeExisting }: Journal, entries: readonly Entry[]) {
  const known = new Set(seen);
  const unknown = entries.filter(({ key }) => !known.has(key));
  const count = includeExisting ?? MAX_NEW;
  const passed = unknown.slice(count).map(({ key }) => key);
  return { fresh: unknown.slice(0, count), seen: remember(seen ?? [], passed, entries) };
}

/** The journal with further keys: those of the document first, so that these are forgotten last. */
export function remember(
  seen: readonly string[],
  added: readonly string[],
  document: readonly Keyed[],
): readonly string[] {
  const all = new Set([...added, ...seen]);
  const current = document.flatMap(({ key }) => (all.has(key) ? [key] : []));
  return [...new Set([...current, ...all])].slice(0, MAX_SEEN);
}
