import { fieldOf } from "../core/sentences.ts";
import type { Shape } from "./shape.ts";

/**
 * Unknown fields of a request: accepted, but reported with the nearest known name. The cost is one look-up
 * per value of the body, and a few comparisons per reported name.
 */
export interface Unknown {
  /** `twitter_threads.0.mesage` */
  readonly field: string;
  /** The known name at this place that the caller probably meant. */
  readonly nearest: string | null;
}

/** The first `max` unknown fields; a name that several items of a list share is reported once. */
export function unknownFields(shape: Shape, value: unknown, max: number): readonly Unknown[] {
  const found = new Map<string, Unknown>();
  compare(shape, value, { path: [], place: "" }, { found, max });
  return [...found.values()];
}

interface Place {
  readonly path: readonly PropertyKey[];
  /** The path without positions. */
  readonly place: string;
}

interface Search {
  readonly found: Map<string, Unknown>;
  readonly max: number;
}

function compare(shape: Shape, value: unknown, at: Place, search: Search): void {
  if (typeof value !== "object" || value === null) return;
  switch (shape.kind) {
    case "object":
      if (!Array.isArray(value)) compareObject(shape, value, at, search);
      return;
    case "array":
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries()) {
        if (search.found.size >= search.max) return;
        compare(shape.item, item, { ...at, path: [...at.path, index] }, search);
      }
      return;
    case "union": {
      const tries = shape.options.map((option) => {
        const found = new Map(search.found);
        compare(option, value, at, { ...search, found });
        return found;
      });
      const [best = new Map<string, Unknown>()] = tries.toSorted((a, b) => a.size - b.size);
      for (const [place, unknown] of best) search.found.set(place, unknown);
      return;
    }
    case "record":
    case "value":
      return;
  }
}

function compareObject(shape: Shape & { kind: "object" }, value: object, at: Place, search: Search): void {
  for (const name of Object.keys(value)) {
    if (search.found.size >= search.max) return;
    const place = `${at.place}.${name}`;
    const known = shape.fields.get(name);
    if (known) compare(known, Reflect.get(value, name), { path: [...at.path, name], place }, search);
    else if (shape.others === "ignored" && !search.found.has(place)) {
      const nearest = nearestName(name, [...shape.fields.keys()]);
      search.found.set(place, {
        field: fieldOf([...at.path, name]),
        nearest: nearest === null ? null : fieldOf([...at.path, nearest]),
      });
    }
  }
}

/** The known name that this one resembles; null if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > 2 * MAX_COMPARED) return null;
  const written = plain(name);
  let best: { readonly candidate: string; readonly distance: number } | null = null;
  for (const candidate of known) {
    const distance = resemblance(written, candidate);
    if (distance <= written.length / 3 && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** Normalises the spelling: `captionText` and `Caption-Text` are the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** The cost of omitted words, in letters: `caption` is then nearest to a name of that word alone. */
const LEFT_OUT = 0.5;

/**
 * The distance in letters from the known name, or from its first words: `captoin` resembles `caption_text`.
 */
function resemblance(written: string, candidate: string): number {
  const words = candidate.replaceAll(/([a-z])([A-Z])/g, "$1_$2").split("_");
  const beginnings = words.slice(0, -1).map((_, index) => plain(words.slice(0, index + 1).join("")));
  return Math.min(
    editDistance(written, plain(candidate)),
    ...beginnings.map((beginning) => editDistance(written, beginning) + LEFT_OUT),
  );
}

/** The longest name that is compared: longer names resemble no known name. */
const MAX_COMPARED = 60;

/** Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > MAX_COMPARED) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + Number(!isSame),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
