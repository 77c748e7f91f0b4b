import type { Boost } from "../../advertising.ts";

/**
 * How our objects are recognized. Names are not unique at Meta, but ours begin with the reference of their
 * boost.
 *
 * The whole name must match. A name that only contains the reference may be ours, renamed by a person, or a
 * person's copy: it is neither adopted nor created again.
 */
const MAX_NAME = 200;

type Named = Pick<Boost, "reference" | "name">;

/** One name for all objects of a boost. */
export function nameOf({ reference, name }: Named): string {
  // Removes characters that Meta might normalize, which would change the name.
  const folded = `${reference} ${name}`.normalize("NFC").replace(/[\s\p{C}]+/gu, " ");
  return [...folded].slice(0, MAX_NAME).join("").trim();
}

export type Likeness = "same" | "similar" | "different";

export function likenessOf(boost: Named, name: string): Likeness {
  if (name === nameOf(boost)) return "same";
  return name.split(/[^A-Za-z0-9-]+/).includes(boost.reference) ? "similar" : "different";
}
