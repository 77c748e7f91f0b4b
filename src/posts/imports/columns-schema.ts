import { type Shape, shapeAt, shapeOf } from "../../http/shape.ts";
import { nearestName } from "../../http/unknown-fields.ts";
import { CreatePostBody } from "../schema.ts";

/** The columns of a table of posts: fields of create-post, those of objects after a dot (`options.title`). */

const SHAPE = shapeOf(CreatePostBody);

/** create-post has fewer fields. A name is compared with all of them, so only the first unknown ones are. */
export const MAX_COLUMNS = 200;
export const MAX_NAME = 60;
const MAX_COMPARED = 5;

/** Between the items of a thread in one cell. */
const ITEM = /\r?\n---\r?\n/;

export interface Columns {
  readonly names: readonly Column[];
  /** Columns that are no field; the first ones with the nearest field. */
  readonly unknown: readonly { readonly name: string; readonly nearest: string | null }[];
}

interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** Null: no field. */
  readonly shape: Shape | null;
}

/** Why the first row of a file cannot be read. */
export type ColumnProblem =
  | { readonly kind: "many"; readonly count: number }
  | { readonly kind: "long"; readonly column: number };

/**
 * Names may be written with capitals and spaces: `Caption text`. Columns after the last name are left out.
 */
export function readColumns(cells: readonly string[]): Columns | { readonly problem: ColumnProblem } {
  const count = 1 + cells.findLastIndex((cell) => cell.trim() !== "");
  if (count > MAX_COLUMNS) return { problem: { kind: "many", count } };
  const used = cells.slice(0, count).map((cell) => cell.trim());
  const long = used.findIndex((cell) => cell.length > MAX_NAME);
  if (long >= 0) return { problem: { kind: "long", column: long + 1 } };
  const names = used.map((cell): Column => {
    const name = cell.replaceAll(/\s+/g, "_");
    const path = (exactName(name) ?? name).split(".");
    return { name, path, shape: shapeAt(SHAPE, path) };
  });
  const unknown = names
    .filter(({ name, shape }) => name !== "" && shape === null)
    .map(({ name }, index) => ({ name, nearest: index < MAX_COMPARED ? nearestName(name, FIELDS) : null }));
  return { names, unknown };
}

const FIELDS = SHAPE.kind === "object" ? [...SHAPE.fields.keys()] : [];

function exactName(name: string): string | undefined {
  return FIELDS.find((field) => field.toLowerCase() === name.toLowerCase());
}

/** The fields of a row; empty cells are absent. */
export function fieldsOf({ names }: Columns, cells: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [index, { path, shape }] of names.entries()) {
    const cell = cells[index] ?? "";
    if (shape === null || cell.trim() === "") continue;
    put(fields, path, valueIn(shape, path, cell));
  }
  return fields;
}

function put(fields: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  const within = Object.hasOwn(fields, name) ? fields[name] : {};
  const part: Record<string, unknown> = { ...(typeof within === "object" ? within : {}) };
  put(part, rest, value);
  fields[name] = part;
}

/** What is no number or choice stays text: the field's own sentence says so. */
function valueIn(shape: Shape, path: readonly string[], cell: string): unknown {
  const text = cell.trim();
  if (shape.kind === "array") {
    if (path[0] === "twitter_threads") return cell.split(ITEM).map((message) => ({ message: message.trim() }));
    if (path[0] === "media_urls") return text.split(/[\s|]+/).filter((url) => url !== "");
    return text.split("|").map((part) => part.trim());
  }
  if (/^a (whole )?number$/.test(shape.takes) || path.at(-1) === "category") return toNumber(text);
  if (shape.takes === "true or false") return toBoolean(text);
  return path[0] === "caption_text" || path[0] === "first_comment" ? cell : text;
}

/** Spreadsheets write whole numbers as `1.0` too. Three zeros may be thousands. */
function toNumber(text: string): number | string {
  const [, whole] = /^(-?\d{1,15})(?:[.,]0{1,2})?$/.exec(text) ?? [];
  return whole === undefined ? text : Number(whole);
}

function toBoolean(text: string): boolean | string {
  if (/^(true|yes|1)$/i.test(text)) return true;
  return /^(false|no|0)$/i.test(text) ? false : text;
}

/** The column of a field in an error: `media_urls.0` is in `media_urls`. Null if there is none. */
export function columnOf({ names }: Columns, field: string): string | null {
  const fits = names.filter(({ path }) => `${field}.`.startsWith(`${path.join(".")}.`));
  return fits.toSorted((a, b) => b.path.length - a.path.length)[0]?.name ?? null;
}
