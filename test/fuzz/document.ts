import { z } from "zod";

/** What the fuzzer reads of the OpenAPI document as it is served. In workerd and in Node. */

export type Schema = Readonly<Record<string, unknown>>;

const AnySchema = z.record(z.string(), z.unknown());

const Media = z.object({
  content: z
    .object({
      "application/json": z.object({ schema: AnySchema }).optional(),
      "application/octet-stream": z.unknown().optional(),
    })
    .optional(),
});

const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().default(false),
  schema: AnySchema,
});
export type Parameter = z.output<typeof Parameter>;

const Document = z.object({
  servers: z.array(z.object({ url: z.string() })).min(1),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(Parameter).default([]),
        requestBody: Media.optional(),
        responses: z.record(z.string(), Media),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), AnySchema) }),
});

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** As in the document: `/social/post/{post_id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  /** Whether it takes the bytes of a file instead. */
  readonly takesFile: boolean;
  /** By status: the schema of the body, null where there is none. */
  readonly answers: ReadonlyMap<number, Schema | null>;
}

export interface Api {
  /** The beginning of every path: `/api/v1`. */
  readonly base: string;
  readonly operations: readonly [Operation, ...Operation[]];
  /** By name, for `$ref`. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

export function readApi(document: unknown): Api {
  const { servers, paths, components } = Document.parse(document);
  const [first, ...others] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId: id, parameters, requestBody, responses }]): Operation => ({
        id,
        method: method.toUpperCase(),
        path,
        parameters,
        body: schemaOf(requestBody),
        takesFile: requestBody?.content?.["application/octet-stream"] !== undefined,
        answers: new Map(Object.entries(responses).map(([status, answer]) => [Number(status), schemaOf(answer)])),
      }),
    ),
  );
  if (!first) throw new Error("The document has no operation.");
  const base = new URL(servers[0]?.url ?? "/", "http://base").pathname.replace(/\/$/, "");
  return { base, operations: [first, ...others], schemas: components.schemas };
}

function schemaOf(media: z.output<typeof Media> | undefined): Schema | null {
  return media?.content?.["application/json"]?.schema ?? null;
}

/** The schema itself, not a reference to it. */
export function resolve(api: Api, schema: unknown): Schema {
  const found = AnySchema.parse(schema);
  const { $ref } = found;
  if (typeof $ref !== "string") return found;
  const named = api.schemas[$ref.replace("#/components/schemas/", "")];
  if (!named) throw new Error(`The document has no ${$ref}.`);
  return resolve(api, named);
}

/** Properties of a schema by name; of a union, of all its branches. */
export function propertiesOf(api: Api, schema: unknown): Readonly<Record<string, unknown>> {
  const { properties, allOf, anyOf, oneOf } = resolve(api, schema);
  const parts = [allOf, anyOf, oneOf].flatMap((part) => (Array.isArray(part) ? part : []));
  const inherited = parts.map((part) => propertiesOf(api, part));
  return Object.assign({}, ...inherited, AnySchema.catch({}).parse(properties));
}
