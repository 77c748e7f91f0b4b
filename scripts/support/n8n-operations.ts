import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/** A schema of the document as far as a form needs it. */
interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly allOf?: readonly Schema[] | undefined;
}
const Schema: z.ZodType<Schema> = z.custom<Schema>((value) => typeof value === "object" && value !== null);

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.tuple([z.string()]),
  "x-idempotent": z.boolean().default(false),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(["path", "query", "header"]),
        required: z.boolean().default(false),
        description: z.string().optional(),
        schema: Schema,
      }),
    )
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: Schema })) }).optional(),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

/** The operations of the n8n node with their fields, from docs/openapi.json; none that takes a file. */
export async function n8nOperations(): Promise<string> {
  const { paths, components } = Document.parse(JSON.parse(readFileSync(join(ROOT, "docs", "openapi.json"), "utf8")));
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : resolve(components.schemas[name] ?? {});
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const content = operation.requestBody?.content ?? {};
      if ("application/octet-stream" in content) return [];
      const body = content["application/json"]?.schema;
      const parameters = operation.parameters.flatMap(({ name, in: place, required, description, schema }) =>
        place === "header"
          ? []
          : [fieldOf({ name, place, isRequired: required, schema: { ...resolve(schema), description } })],
      );
      const fields = body === undefined ? [] : bodyFields(body, resolve);
      const { operationId: id, summary: title, tags } = operation;
      const isIdempotent = operation["x-idempotent"];
      return [
        {
          id,
          title,
          resource: tags[0],
          method: method.toUpperCase(),
          path,
          isIdempotent,
          fields: [...parameters, ...fields],
        },
      ];
    }),
  );
  return `// Generated from docs/openapi.json by \`npm run generate\`.
import type { Operation } from "./operation.ts";

export const OPERATIONS: readonly Operation[] = ${JSON.stringify(operations, null, 2)};
`;
}

interface Given {
  readonly name: string;
  readonly place: "path" | "query" | "body";
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function fieldOf({ name, place, isRequired, schema }: Given) {
  const type = [schema.type ?? "object"].flat().find((one) => one !== "null");
  const options = type === "string" && schema.enum ? schema.enum.filter((one) => typeof one === "string") : undefined;
  const kind = options ? "options" : (KINDS[type ?? ""] ?? "json");
  const [description = ""] = (schema.description ?? "").split("\n");
  return { name, in: place, isRequired, type: kind, description, ...(options ? { options } : {}) };
}

const KINDS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
};

/** The properties of a body with alternatives; a field is required if each of them requires it. */
function bodyFields(body: Schema, resolve: (schema: Schema) => Schema) {
  const variants = variantsOf(body, resolve);
  const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties)))];
  return names.map((name) => {
    const found = variants.flatMap(({ properties }) => (properties[name] ? [resolve(properties[name])] : []));
    const isRequired = variants.every(({ required }) => required.includes(name));
    return fieldOf({ name, place: "body", isRequired, schema: { ...found[0], enum: choicesOf(found) } });
  });
}

/** The values of all alternatives; undefined if one of them takes any. */
function choicesOf(schemas: readonly Schema[]): readonly unknown[] | undefined {
  const choices = schemas.flatMap((one) => one.enum ?? []);
  return schemas.every((one) => one.enum) ? [...new Set(choices)] : undefined;
}

interface Variant {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** Each way in which a body can be valid: one alternative of every part. */
function variantsOf(schema: Schema, resolve: (schema: Schema) => Schema): readonly Variant[] {
  const { properties = {}, required = [], anyOf = [], oneOf = [], allOf = [] } = resolve(schema);
  const parts = [...allOf.map((part) => [part]), anyOf, oneOf].filter((alternatives) => alternatives.length > 0);
  return parts.reduce<readonly Variant[]>(
    (variants, alternatives) => {
      const choices = alternatives.flatMap((part) => variantsOf(part, resolve));
      return variants.flatMap((one) => choices.map((other) => both(one, other)));
    },
    [{ properties, required }],
  );
}

const both = (one: Variant, other: Variant): Variant => ({
  properties: { ...one.properties, ...other.properties },
  required: [...one.required, ...other.required],
});
