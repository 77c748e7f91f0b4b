import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/** The reference page, in Markdown, made of the OpenAPI document. */

interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Schema | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly example?: unknown;
}

const Schema: z.ZodType<Schema> = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().optional(),
  properties: z.lazy(() => z.record(z.string(), Schema)).optional(),
  required: z.array(z.string()).optional(),
  items: z.lazy(() => Schema).optional(),
  allOf: z.lazy(() => z.array(Schema)).optional(),
  oneOf: z.lazy(() => z.array(Schema)).optional(),
  anyOf: z.lazy(() => z.array(Schema)).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  example: z.unknown().optional(),
});
const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional(), example: z.unknown().optional() }));
const Parameter = z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: Schema });
const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().default(""),
  tags: z.array(z.string()),
  parameters: z.array(Parameter).default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});
type Operation = z.infer<typeof Operation>;
const Document = z.looseObject({
  info: z.looseObject({ description: z.string() }),
  tags: z.array(z.looseObject({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  webhooks: z.record(z.string(), z.looseObject({ post: z.looseObject({ summary: z.string() }) })),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});
type Document = z.infer<typeof Document>;

export function referencePage(): string {
  const document = Document.parse(JSON.parse(readFileSync(join(ROOT, "docs", "openapi.json"), "utf8")));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${description}\n\n${own.map((one) => operationText(document, one)).join("\n")}`;
  });
  const events = Object.entries(document.webhooks).map(([type, { post }]) => `| \`${type}\` | ${cell(post.summary)} |`);
  return `# API reference

All paths are below \`/api/v1\`. Send an access token with each request: \`Authorization: Bearer blf_…\`. The
[OpenAPI document](/api/v1/openapi.json) has the same for client generators.

${document.info.description}

${sections.join("\n")}
## Events

Sent to [webhooks](guides/webhooks.md).

| Type | When |
| --- | --- |
${events.join("\n")}
`;
}

interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationText(document: Document, { path, method, operation }: Located): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0];
  const answer = Object.values(responses["200"]?.content ?? {})[0];
  const example = body && (body.example ?? resolve(document, body.schema ?? {}).example);
  const fields = body?.schema ? fieldsOf(document, body.schema) : [];
  const parts = [
    `### <a id="${operationId}"></a>${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description,
    table(
      "Parameter",
      parameters.map(({ name, in: place, required, schema }) => ({
        name,
        about: `${place === "query" ? "" : `In the ${place}. `}${aboutOf(document, schema)}`,
        type: typeOf(document, schema),
        isRequired: required === true,
      })),
    ),
    table("Field", fields),
    example === undefined ? "" : block("A request:", example),
    answer?.example === undefined ? "" : block("The answer:", answer.example),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const block = (title: string, example: unknown) =>
  `${title}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly about: string;
  readonly isRequired: boolean;
}

function table(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(({ name, type, about, isRequired }) => {
    return `| \`${name}\`${isRequired ? " **required**" : ""} | ${cell(type)} | ${cell(about)} |`;
  });
  return [`| ${title} | Type | Meaning |`, "| --- | --- | --- |", ...rows].join("\n");
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s*\n+\s*/g, " ");

function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema, $ref: undefined };
}

/**
 * The fields of a body, those of all variants together: a field is required if every variant requires it.
 * Fields of an object inside stand below it as `name.field`.
 */
function fieldsOf(document: Document, given: Schema, prefix = ""): readonly Field[] {
  const found = new Map<string, Field>();
  for (const variant of variantsOf(document, given)) {
    for (const [name, property] of Object.entries(variant.properties ?? {})) {
      const known = found.get(name);
      const isRequired = variant.required?.includes(name) === true;
      const type = typeOf(document, property);
      const types = known && !known.type.split(" or ").includes(type) ? `${known.type} or ${type}` : type;
      found.set(name, {
        name: `${prefix}${name}`,
        type: types,
        about: known?.about || aboutOf(document, property),
        isRequired: known ? known.isRequired && isRequired : isRequired,
      });
    }
  }
  return [...found.values()];
}

/** The objects that a schema allows, each with the properties of all its parts. */
function variantsOf(document: Document, given: Schema): readonly Schema[] {
  const { allOf, oneOf, anyOf, ...own } = resolve(document, given);
  const choices = oneOf ?? anyOf;
  let variants: readonly Schema[] = choices ? choices.flatMap((one) => variantsOf(document, one)) : [{}];
  for (const part of allOf ?? []) {
    const parts = variantsOf(document, part);
    variants = variants.flatMap((one) => parts.map((other) => joined(one, other)));
  }
  return variants.map((one) => joined(own, one));
}

const joined = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  properties: { ...one.properties, ...other.properties },
  required: [...(one.required ?? []), ...(other.required ?? [])],
});

function typeOf(document: Document, given: Schema): string {
  const schema = resolve(document, given);
  if (schema.enum) return schema.enum.map((one) => `\`${String(one)}\``).join(" or ");
  if (schema.items) return `array of ${typeOf(document, schema.items)}`;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((one) => typeOf(document, one)))].join(" or ");
  const [part] = schema.allOf ?? [];
  if (schema.type === undefined && part) return typeOf(document, part);
  const types = [schema.type ?? "any"].flat().filter((one) => one !== "null");
  return types.join(" or ");
}

function aboutOf(document: Document, given: Schema): string {
  const schema = resolve(document, given);
  const { minimum, maximum, maxLength, properties } = schema;
  const parts = schema.allOf?.map((part) => aboutOf(document, part)).filter((text) => text !== "") ?? [];
  const inner = properties && Object.keys(properties).map((name) => `\`${name}\``);
  const range = [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
  ].filter((text) => text !== "");
  return [
    schema.description ?? parts[0] ?? "",
    inner && inner.length > 0 ? `Fields: ${inner.join(", ")}.` : "",
    range.length === 0 ? "" : `${capital(range.join(", "))}.`,
  ]
    .filter((text) => text !== "")
    .join(" ");
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
