import { z } from "zod";
import { listWords } from "../core/text.ts";

/**
 * What a schema accepts, as plain data: refusals describe it (validation.ts), and warnings find the nearest
 * name in it (unknown-fields.ts). It knows the kinds of schema that operations use; any other is "a value".
 */
export type Shape =
  | {
      readonly kind: "object";
      readonly takes: string;
      readonly fields: ReadonlyMap<string, Shape>;
      /** Optional fields for which null has no meaning of its own. */
      readonly absentAsNull: ReadonlySet<string>;
      /** How other fields are treated. */
      readonly others: "ignored" | "refused" | "kept";
    }
  | { readonly kind: "array"; readonly takes: string; readonly item: Shape }
  /** The caller chooses the names. */
  | { readonly kind: "record"; readonly takes: string; readonly value: Shape }
  | { readonly kind: "union"; readonly takes: string; readonly options: readonly Shape[] }
  | { readonly kind: "value"; readonly takes: string };

export function shapeOf(schema: z.core.$ZodType): Shape {
  if (schema instanceof z.ZodNullable) {
    const inner = shapeOf(schema.unwrap());
    return { ...inner, takes: `${inner.takes} or null` };
  }
  const inner = innerOf(schema);
  if (inner) return shapeOf(inner);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, shapeOf(field)] as const);
    const absentAsNull = new Set(Object.keys(schema.shape).filter((name) => isAbsentAsNull(schema.shape[name])));
    return { kind: "object", takes: "an object", fields: new Map(fields), absentAsNull, others: othersOf(schema) };
  }
  if (schema instanceof z.ZodArray) return { kind: "array", takes: "an array", item: shapeOf(schema.element) };
  if (schema instanceof z.ZodRecord) return { kind: "record", takes: "an object", value: shapeOf(schema.valueType) };
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map(shapeOf);
    const takes = new Set(options.map((option) => option.takes));
    return { kind: "union", takes: listWords([...takes], "or"), options };
  }
  return { kind: "value", takes: takesOf(schema) };
}

function isAbsentAsNull(field: z.core.$ZodType | undefined): boolean {
  if (field === undefined) return false;
  return z.safeParse(field, undefined).success && !z.safeParse(field, null).success;
}

function othersOf({ def: { catchall } }: z.ZodObject): "ignored" | "refused" | "kept" {
  if (catchall === undefined) return "ignored";
  return catchall instanceof z.ZodNever ? "refused" : "kept";
}

/** The inner schema of a wrapper: the side that validates the request. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodNonOptional
  ) {
    return schema.unwrap();
  }
  return null;
}

function takesOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodEnum) return listWords(schema.options.map(String), "or");
  if (schema instanceof z.ZodLiteral) return listWords([...schema.values].map(String), "or");
  if (schema instanceof z.ZodNumber) return schema.isInt ? "a whole number" : "a number";
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodNull) return "null";
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat ? "a string" : "a value";
}

/** The part of the shape at an issue's path; null if the shape does not cover it. */
export function shapeAt(shape: Shape, path: readonly PropertyKey[]): Shape | null {
  const [key, ...rest] = path;
  if (key === undefined) return shape;
  switch (shape.kind) {
    case "object": {
      const field = shape.fields.get(String(key));
      return field ? shapeAt(field, rest) : null;
    }
    case "array":
      return shapeAt(shape.item, rest);
    case "record":
      return shapeAt(shape.value, rest);
    case "union":
      return shape.options.reduce<Shape | null>((found, option) => found ?? shapeAt(option, path), null);
    case "value":
      return null;
  }
}

/** What an operation accepts; its shapes are built on first use. */
export interface OperationInputs {
  /** The operation's public name: `create-post`. */
  readonly name: string;
  readonly body: () => Shape | null;
  readonly query: () => Shape | null;
  /** Names under which reads show fields of the body, with the names that the body has. */
  readonly readAs: Readonly<Record<string, string>>;
}

interface Inputs {
  readonly id: string;
  readonly body?: z.core.$ZodType | undefined;
  readonly query?: z.core.$ZodType | undefined;
  readonly readAs?: Readonly<Record<string, string>> | undefined;
}

export function inputsOf({ id, body, query, readAs = {} }: Inputs): OperationInputs {
  return {
    readAs,
    name: id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    body: once(() => (body ? shapeOf(body) : null)),
    query: once(() => (query ? shapeOf(query) : null)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
