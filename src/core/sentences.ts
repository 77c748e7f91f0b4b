/**
 * The style of every sentence about a field of a request: the field's path, what is wrong, what is allowed.
 * Four forms:
 *
 * - `<field> is required: <what it takes>.`
 * - `<field> must <be or have what is allowed>, not <what was found>.`
 * - `<field> must not <be or have what was found>[: <what is allowed>].`
 * - `<file> <is or has what was found>; <what is allowed>.`, after `<field>: ` if only one of its files is
 * meant.
 *
 * The field stands first and only once, as its path (`twitter_threads.0.message`). If the kind is wrong, what
 * was found is a kind ("a string"). If the kind is right, it is the value itself (`"tweet"`, 1.5), or a
 * number for a count. Schemas and rules word only the part after the field, as a predicate that begins in
 * lower case. If the predicate has no full stop, what was found is added (http/validation.ts).
 */

/** A found value is shown up to this length: the response must not be larger than the request. */
const MAX_SHOWN = 40;

/** A missing field. `takes` is a kind ("a string") or the purpose of the field. */
export function isRequired(field: string, takes: string): string {
  return `${field} is required: ${takes}.`;
}

/** `allowed` as in "be a whole number"; `found` in the form of `kindOf`, `shown` or `grouped`. */
export function must(field: string, allowed: string, found: string | number): string {
  return `${field} must ${allowed}, not ${found}.`;
}

/** The kind of a JSON value, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return withArticle(typeof value);
}

/** A value for a sentence: as JSON, shortened; an array or an object by its kind. */
export function shown(value: unknown): string {
  if (typeof value === "object") return kindOf(value);
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value);
}

/** A number as `12,345`. Without ICU, which slows the start of an isolate. */
export function grouped(value: number): string {
  const [whole = "", ...fraction] = String(value).split(".");
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join(".");
}

export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** Longer names of a field are cut. */
const MAX_NAME = 100;

/** The path of a field in errors and warnings; names that the caller chose are shortened. */
export function fieldOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "body" : path.map(nameIn).join(".");
}

/** Cut without leaving half of a character. */
const nameIn = (key: PropertyKey): string => String(key).slice(0, MAX_NAME).toWellFormed().replaceAll("\0", "\ufffd");
