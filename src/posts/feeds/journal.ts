/** Which entries of a feed become posts. Pure. */

interface Keyed {
  /** By its id. */
  readonly key: string;
  /** By its link; null if that says nothing about the entry (entry-link.ts). */
  readonly linkKey: string | null;
}

interface Placed extends Keyed {
  /** When it was published, in milliseconds; null without a date. */
  readonly at: number | null;
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
const MAX_SEEN = 2_000;

/**
 * The entries that become posts, the newest first, and the journal with those that are passed over. `passed`:
 * how many new entries get no post because a reading takes no more. An entry under a new id whose link is
 * known is not new.
 */
export function newEntries<Entry extends Keyed>({ seen, includeExisting }: Journal, entries: readonly Entry[]) {
  const known = new Set(seen);
  const isKnown = ({ key, linkKey }: Keyed) => known.has(key) || (linkKey !== null && known.has(linkKey));
  const unknown = entries.filter((entry) => !isKnown(entry));
  const count = includeExisting ?? MAX_NEW;
  const [fresh, left] = [unknown.slice(0, count), unknown.slice(count)];
  const renamed = entries.filter((entry) => !known.has(entry.key) && isKnown(entry));
  const added = [...left, ...renamed].flatMap(keysOf);
  const passed = includeExisting === null ? left.length : 0;
  return { fresh, passed, seen: remember(seen ?? [], added, entries) };
}

export const keysOf = ({ key, linkKey }: Keyed): readonly string[] => (linkKey === null ? [key] : [key, linkKey]);

/**
 * The entries with the newest first: by date if all have one. Otherwise the document has the newest first,
 * unless it begins with what is known and ends with what is not.
 */
export function newestFirst<Entry extends Placed>(
  seen: readonly string[] | null,
  entries: readonly Entry[],
): readonly Entry[] {
  const dated = entries.flatMap((entry) => (entry.at === null ? [] : [{ entry, at: entry.at }]));
  if (dated.length === entries.length) {
    const isRising = (dated[0]?.at ?? 0) < (dated.at(-1)?.at ?? 0);
    // Entries of the same date stay in the order of the others.
    return (isRising ? dated.toReversed() : dated)
      .toSorted((one, other) => other.at - one.at)
      .map(({ entry }) => entry);
  }
  const known = new Set(seen);
  const [first, last] = [entries[0], entries.at(-1)];
  const isOldestFirst = first && last && known.has(first.key) && !known.has(last.key);
  return isOldestFirst ? entries.toReversed() : entries;
}

/** The journal with further keys: those of the document first, so that these are forgotten last. */
export function remember(
  seen: readonly string[],
  added: readonly string[],
  document: readonly Keyed[],
): readonly string[] {
  const all = new Set([...added, ...seen]);
  const current = document.flatMap((entry) => keysOf(entry).filter((key) => all.has(key)));
  return [...new Set([...current, ...all])].slice(0, MAX_SEEN);
}
