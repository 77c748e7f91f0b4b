import type { Boost } from "../../advertising.ts";

/**
 * How our objects are known again: nothing at Meta makes names unique, but ours are, for each begins with the
 * reference of its boost.
 *
 * The whole name must be the same. One that merely has the reference in it may be ours, renamed by a person,
 * or a copy that they have made: neither to be taken, nor to be made again.
 */
const MAX_NAME = 200;

type Named = Pick<Boost, "reference" | "name">;

/** One for all objects of a boost. */
export function nameOf({ reference, name }: Named): string {
  // What Meta might fold by itself would make it another name.
  const folded = `${reference} ${name}`.normalize("NFC").replace(/[\s\p{C}]+/gu, " ");
  return [...folded].slice(0, MAX_NAME).join("").trim();
}

export type Likeness = "same" | "similar" | "different";

export function likenessOf(boost: Named, name: string): Likeness {
  if (name === nameOf(boost)) return "same";
  return name.split(/[^A-Za-z0-9-]+/).includes(boost.reference) ? "similar" : "different";
}
