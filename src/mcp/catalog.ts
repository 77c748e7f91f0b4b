import { z } from "zod";
import type { Permission } from "../core/permissions.ts";

/** The operations of the API as agents find and call them, read from the OpenAPI document. */
export interface CatalogEntry {
  /** `createPost`. */
  readonly id: string;
  readonly method: string;
  /** `/social/post/{post_id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Any one of these is enough; empty: every token. */
  readonly permissions: readonly string[];
  readonly isIdempotent: boolean;
  readonly takesFile: boolean;
  readonly parameters: readonly Parameter[];
  /** The JSON schema of its body, with references; null if it has none. */
  readonly body: unknown;
}

const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().optional(),
  description: z.string().optional(),
});
type Parameter = z.output<typeof Parameter>;

const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  "x-permission": z.union([z.string(), z.array(z.string())]),
  "x-idempotent": z.boolean().optional(),
  parameters: z.array(Parameter).optional(),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

export class Catalog {
  readonly entries: readonly CatalogEntry[];
  readonly #schemas: Readonly<Record<string, unknown>>;

  /** `document`: the OpenAPI document of the service. */
  constructor(document: unknown) {
    const { paths, components } = Document.parse(document);
    this.#schemas = components.schemas;
    this.entries = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => entryOf(method, path, operation)),
    );
  }

  find(id: string): CatalogEntry | null {
    return this.entries.find((entry) => entry.id === id) ?? null;
  }

  /** The operations of this caller that have most of these words, best first. */
  search(words: string, permissions: readonly Permission[]): readonly CatalogEntry[] {
    const wanted = words.toLowerCase().match(/[a-z]{2,}/g) ?? [];
    const scored = this.entries
      .filter((entry) => isPermitted(entry, permissions))
      .map((entry) => ({ entry, score: scoreOf(entry, wanted) }))
      .filter(({ score }) => score > 0);
    return scored.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
  }

  /** The body's schema with its references resolved. */
  bodyOf({ body }: CatalogEntry): unknown {
    return this.#resolved(body, []);
  }

  #resolved(part: unknown, within: readonly string[]): unknown {
    if (Array.isArray(part)) return part.map((item) => this.#resolved(item, within));
    if (typeof part !== "object" || part === null) return part;
    const name = "$ref" in part ? String(part.$ref).split("/").at(-1) : undefined;
    if (name !== undefined) return within.includes(name) ? {} : this.#resolved(this.#schemas[name], [...within, name]);
    const kept = Object.entries(part).filter(([key]) => key !== "example");
    return Object.fromEntries(kept.map(([key, value]) => [key, this.#resolved(value, within)]));
  }
}

export function isPermitted({ permissions }: Pick<CatalogEntry, "permissions">, own: readonly Permission[]): boolean {
  return permissions.length === 0 || own.some((permission) => permissions.includes(permission));
}

function entryOf(method: string, path: string, operation: z.output<typeof Operation>): CatalogEntry {
  const { operationId: id, summary, description, parameters = [], requestBody, "x-permission": permission } = operation;
  const content = requestBody?.content ?? {};
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    description,
    permissions: permission === "any" ? [] : [permission].flat(),
    isIdempotent: operation["x-idempotent"] === true,
    takesFile: "application/octet-stream" in content,
    parameters: parameters.filter((parameter) => parameter.in !== "header"),
    body: content["application/json"]?.schema ?? null,
  };
}

/** A word in the name counts more than one in the description. */
function scoreOf({ id, path, summary, description }: CatalogEntry, words: readonly string[]): number {
  const name = `${id} ${path} ${summary}`.toLowerCase();
  const text = description.toLowerCase();
  return words.reduce((sum, word) => sum + (name.includes(word) ? 3 : text.includes(word) ? 1 : 0), 0);
}
