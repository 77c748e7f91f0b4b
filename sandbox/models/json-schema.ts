// Generates a value for a JSON schema, like a model with structured output, and checks that strict schemas
// are valid.

import { z } from "zod";
import { ModelError } from "./errors";
import { entriesOf, writtenFor } from "./writing";

interface SchemaNode {
  type?: string | string[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  properties?: Record<string, SchemaNode> | undefined;
  required?: string[] | undefined;
  additionalProperties?: unknown;
  items?: SchemaNode | undefined;
  anyOf?: SchemaNode[] | undefined;
  minItems?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  $ref?: string | undefined;
  $defs?: Record<string, SchemaNode> | undefined;
}

export const JsonSchema: z.ZodType<SchemaNode> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
    enum: z.array(z.unknown()).min(1).optional(),
    properties: z.record(z.string(), JsonSchema).optional(),
    required: z.array(z.string()).optional(),
    items: JsonSchema.optional(),
    anyOf: z.array(JsonSchema).min(1).optional(),
    minItems: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    $ref: z.string().optional(),
    $defs: z.record(z.string(), JsonSchema).optional(),
  }),
);

/** The content of generated texts. */
export interface Words {
  text: string;
  /** ISO 639-1. */
  language: string;
  /** The topic to write about; null if there is none. */
  topic: string | null;
}

const DEPTH = 8;
/** Booleans with such names are false: true would reject everything. */
const BAD_NEWS = /refus|reject|unsafe|harm|spam|toxic|offens|block|skip/i;

export function valueFor(schema: SchemaNode, words: Words): unknown {
  return fill(schema, { words, defs: schema.$defs ?? {}, name: "", depth: 0, index: 0 });
}

interface Place {
  words: Words;
  defs: Record<string, SchemaNode>;
  /** Name of the property. */
  name: string;
  depth: number;
  /** Index in the enclosing list. */
  index: number;
}

function fill(schema: SchemaNode, place: Place): unknown {
  if (place.depth > DEPTH) return null;
  const inner = { ...place, depth: place.depth + 1 };
  if (schema.$ref !== undefined) return fill(place.defs[schema.$ref.replace(/^.*\//, "")] ?? {}, inner);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.includes(place.words.language) ? place.words.language : schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first) return fill(first, inner);
  const types = [schema.type ?? (schema.properties ? "object" : "string")].flat();
  switch (types.find((type) => type !== "null")) {
    case "object": {
      const properties = Object.entries(schema.properties ?? {});
      return Object.fromEntries(properties.map(([name, one]) => [name, fill(one, { ...inner, name })]));
    }
    case "array":
      return Array.from({ length: Math.max(entries(place), schema.minItems ?? 1) }, (_, index) =>
        fill(schema.items ?? {}, { ...inner, index }),
      );
    case "boolean":
      return !BAD_NEWS.test(place.name);
    case "integer":
    case "number":
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Number.MAX_SAFE_INTEGER);
    case "string":
      return fitting(textFor(place), schema);
    default:
      return null;
  }
}

const entries = ({ name, words: { topic } }: Place) => (topic === null ? 1 : entriesOf(name, topic));

function textFor({ name, index, words: { text, language, topic } }: Place): string {
  if (/^(language|lang|locale)$/i.test(name)) return language;
  return (topic === null ? null : writtenFor(name, topic, index)) ?? text;
}

const fitting = (text: string, { minLength = 0, maxLength }: SchemaNode) =>
  [...text].slice(0, maxLength).join("").padEnd(minLength, ".");

/** Throws if a strict schema has an open object at any depth. */
export function checkStrict(name: string, schema: SchemaNode, context: readonly string[] = []): void {
  const refuse = (why: string) => {
    const where = context.map((part) => `'${part}'`).join(", ");
    const message = `Invalid schema for response_format '${name}': In context=(${where}), ${why}`;
    return new ModelError(400, message, { param: "response_format", code: null });
  };
  const properties = Object.entries(schema.properties ?? {});
  if (schema.type === "object" || schema.properties) {
    if (schema.additionalProperties !== false) {
      throw refuse("'additionalProperties' is required to be supplied and to be false.");
    }
    const missing = properties.find(([property]) => !schema.required?.includes(property));
    if (missing) throw refuse(`'required' must name every key in properties. Missing '${missing[0]}'.`);
  }
  for (const [property, one] of properties) checkStrict(name, one, [...context, "properties", property]);
  for (const [key, one] of Object.entries(schema.$defs ?? {})) checkStrict(name, one, [...context, "$defs", key]);
  for (const one of schema.anyOf ?? []) checkStrict(name, one, [...context, "anyOf"]);
  if (schema.items) checkStrict(name, schema.items, [...context, "items"]);
}
