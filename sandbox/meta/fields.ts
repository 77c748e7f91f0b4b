// Field selection, such as `fields=id,attachments{target{id}}`: the parser, and the reduction of an object to
// the selected fields.

import { badParameter } from "./errors";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };

export interface Shape {
  /** The node type in error messages. */
  readonly node: string;
  /** Every selectable field; a nested shape if the value is an object, a list or an edge. */
  readonly fields: { readonly [name: string]: Shape | null };
  readonly byDefault: readonly string[];
}

interface Requested {
  name: string;
  inner: Requested[] | null;
}

export function project(value: JsonObject, shape: Shape, fields: string | undefined): JsonObject {
  return pick(value, shape, fields === undefined || fields === "" ? null : readFields(fields));
}

function pick(value: JsonObject, shape: Shape, requested: Requested[] | null): JsonObject {
  const wanted = requested ?? shape.byDefault.map((name) => ({ name, inner: null }));
  const out: JsonObject = {};
  for (const { name, inner } of wanted) {
    const nested = shape.fields[name];
    if (nested === undefined) {
      throw badParameter(`Tried accessing nonexisting field (${name}) on node type (${shape.node})`);
    }
    if (inner && nested === null) {
      throw badParameter(`Subfields are not supported by ${name} on node type (${shape.node})`);
    }
    const found = value[name];
    if (found !== undefined) out[name] = nested ? pickNested(found, nested, inner) : found;
  }
  if (value.id !== undefined && shape.fields.id !== undefined) out.id = value.id;
  return out;
}

function pickNested(value: Json, shape: Shape, requested: Requested[] | null): Json {
  if (Array.isArray(value)) return value.map((item) => pickNested(item, shape, requested));
  if (value === null || typeof value !== "object") return value;
  if (value.data !== undefined) return { ...value, data: pickNested(value.data, shape, requested) };
  return pick(value, shape, requested);
}

function readFields(text: string): Requested[] {
  let at = 0;
  const malformed = () => badParameter(`Syntax error "Expected name at character ${at}" in fields`);

  const readList = (depth: number): Requested[] => {
    if (depth > 8) throw malformed();
    const list: Requested[] = [];
    for (;;) {
      const name = /^\s*([a-z_][a-z0-9_]*)((?:\.[a-z_]+\([^)]*\))*)\s*/i.exec(text.slice(at));
      if (!name?.[1]) throw malformed();
      at += name[0].length;
      let inner: Requested[] | null = null;
      if (text[at] === "{") {
        at += 1;
        inner = readList(depth + 1);
        if (text[at] !== "}") throw malformed();
        at += 1;
      }
      list.push({ name: name[1], inner });
      if (text[at] !== ",") return list;
      at += 1;
    }
  };

  const fields = readList(0);
  if (at !== text.length) throw malformed();
  return fields;
}

export const shape = (node: string, plain: string, nested: Record<string, Shape>, byDefault: string): Shape => ({
  node,
  fields: { ...Object.fromEntries(plain.split(" ").map((name) => [name, null])), ...nested },
  byDefault: byDefault.split(" "),
});

export const graphTime = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, "+0000");
