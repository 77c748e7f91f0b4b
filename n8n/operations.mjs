// Writes src/operations.ts, the operations of the node with their fields, from ../docs/openapi.json: `prepare`
// runs it before the compiler, and the repository's checks and tests do (scripts/support/sources.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A schema of the document as far as a form needs it.
 * @typedef {{ $ref?: string, type?: string | string[], enum?: unknown[] | undefined,
 *   description?: string | undefined, properties?: Record<string, Schema>, required?: string[],
 *   anyOf?: Schema[], oneOf?: Schema[], allOf?: Schema[] }} Schema
 * @typedef {{ name: string, in: string, required?: boolean, description?: string, schema: Schema }} Parameter
 * @typedef {{ operationId: string, summary: string, tags: string[], "x-idempotent"?: boolean,
 *   parameters?: Parameter[], requestBody?: { content: Record<string, { schema: Schema }> } }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Record<string, Schema> } }} Document
 * @typedef {(schema: Schema) => Schema} Resolve
 */

/**
 * The text of src/operations.ts: all operations but those that take a file.
 * @param {string} text of docs/openapi.json
 */
export function operationsText(text) {
  /** @type {Document} */
  const { paths, components } = JSON.parse(text);
  /** @type {Resolve} */
  const resolve = (schema) => {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : resolve(components.schemas[name] ?? {});
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const content = operation.requestBody?.content ?? {};
      if ("application/octet-stream" in content) return [];
      const body = content["application/json"]?.schema;
      const parameters = (operation.parameters ?? []).flatMap(({ name, in: place, required, description, schema }) =>
        place === "header" ? [] : [fieldOf(name, place, required ?? false, { ...resolve(schema), description })],
      );
      return [
        {
          id: operation.operationId,
          title: operation.summary,
          resource: operation.tags[0],
          method: method.toUpperCase(),
          path,
          isIdempotent: operation["x-idempotent"] ?? false,
          fields: [...parameters, ...(body === undefined ? [] : bodyFields(body, resolve))],
        },
      ];
    }),
  );
  return `// Made from docs/openapi.json by operations.mjs.
import type { Operation } from "./operation.ts";

export const OPERATIONS: readonly Operation[] = ${JSON.stringify(operations, null, 2)};
`;
}

/** @type {Record<string, string>} */
const KINDS = { string: "string", integer: "number", number: "number", boolean: "boolean" };

/**
 * @param {string} name
 * @param {string} place "path", "query" or "body"
 * @param {boolean} isRequired
 * @param {Schema} schema
 */
function fieldOf(name, place, isRequired, schema) {
  const type = [schema.type ?? "object"].flat().find((one) => one !== "null");
  const options = type === "string" && schema.enum ? schema.enum.filter((one) => typeof one === "string") : undefined;
  const kind = options ? "options" : (KINDS[type ?? ""] ?? "json");
  const [description = ""] = (schema.description ?? "").split("\n");
  return { name, in: place, isRequired, type: kind, description, options };
}

/**
 * The properties of a body with alternatives; a field is required if each of them requires it.
 * @param {Schema} body
 * @param {Resolve} resolve
 */
function bodyFields(body, resolve) {
  const variants = variantsOf(body, resolve);
  const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties)))];
  return names.map((name) => {
    const found = variants.flatMap(({ properties }) => (properties[name] ? [resolve(properties[name])] : []));
    const isRequired = variants.every(({ required }) => required.includes(name));
    return fieldOf(name, "body", isRequired, { ...found[0], enum: choicesOf(found) });
  });
}

/**
 * The values of all alternatives; undefined if one of them takes any.
 * @param {Schema[]} schemas
 */
function choicesOf(schemas) {
  const choices = schemas.flatMap((one) => one.enum ?? []);
  return schemas.every((one) => one.enum) ? [...new Set(choices)] : undefined;
}

/** @typedef {{ properties: Record<string, Schema>, required: string[] }} Variant */

/**
 * Each way in which a body can be valid: one alternative of every part.
 * @param {Schema} schema
 * @param {Resolve} resolve
 * @returns {Variant[]}
 */
function variantsOf(schema, resolve) {
  const { properties = {}, required = [], anyOf = [], oneOf = [], allOf = [] } = resolve(schema);
  const parts = [...allOf.map((part) => [part]), anyOf, oneOf].filter((alternatives) => alternatives.length > 0);
  /** @type {Variant[]} */
  const variants = [{ properties, required }];
  return parts.reduce((before, alternatives) => {
    const choices = alternatives.flatMap((part) => variantsOf(part, resolve));
    return before.flatMap((one) => choices.map((other) => both(one, other)));
  }, variants);
}

/**
 * @param {Variant} one
 * @param {Variant} other
 * @returns {Variant}
 */
const both = (one, other) => ({
  properties: { ...one.properties, ...other.properties },
  required: [...one.required, ...other.required],
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const document = readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8");
  writeFileSync(new URL("src/operations.ts", import.meta.url), operationsText(document));
}
