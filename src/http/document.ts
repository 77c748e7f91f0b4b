import { OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./environment.ts";
import { etagOf, isNamed, MAX_AGE_SECONDS } from "./etag.ts";
import type { Operation } from "./operation.ts";
import { documentedPath } from "./operation-document.ts";
import { apiOrigin } from "./origin.ts";
import { shareHeaders, shareResponses } from "./shared-responses.ts";

/** The OpenAPI document's description of the service as a whole. */
export interface ApiAbout {
  readonly title: string;
  readonly description: string;
  /** One per group of operations (`tag` of an operation). */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
  /** Schemas that only the document has, by their names. */
  readonly schemas: () => readonly (readonly [name: string, schema: z.ZodType])[];
  /** What the service sends to a project's webhooks. */
  readonly messages: () => readonly RouteConfig[];
}

/**
 * The OpenAPI 3.1 document and the pages at /docs, which are static assets.
 */
export function documentRoutes(app: OpenAPIHono<AppEnv>, api: OpenAPIHono<AppEnv>, about: ApiAbout): void {
  const document = memoized((origin) => writtenDocument(openApiDocument(about, origin)));
  api.use("/openapi.json", cors({ origin: "*", allowMethods: ["GET", "HEAD"], exposeHeaders: ["ETag"] }));
  api.get("/openapi.json", async (c) => {
    const { text, etag } = await document(apiOrigin(c));
    c.header("ETag", etag);
    c.header("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
    if (isNamed(etag, c.req.header("If-None-Match"))) return c.body(null, 304);
    return c.body(text, 200, { "Content-Type": "application/json; charset=UTF-8" });
  });

  for (const path of ["/docs", "/docs.md", "/docs/*", "/llms.txt"]) app.get(path, docsFile);
}

/** A page of the documentation, or a file that it loads (scripts/support/docs-pages.ts builds them). */
async function docsFile(c: Context<AppEnv>): Promise<Response> {
  const asset = await c.var.deps.assets.fetch(new URL(c.req.path, c.req.url));
  if (!asset.ok) return c.notFound();
  // A binding's response is immutable, and all our responses get headers.
  const answer = new Response(asset.body, asset);
  answer.headers.set("Content-Security-Policy", DOCS_CSP);
  return answer;
}

interface WrittenDocument {
  readonly text: string;
  readonly etag: string;
}

async function writtenDocument(document: object): Promise<WrittenDocument> {
  const text = JSON.stringify(document);
  return { text, etag: await etagOf(text) };
}

/** If no public origin is configured, callers may send any Host. */
const MAX_ORIGINS = 10;

/** Caches the result per origin in this isolate: building the document takes some milliseconds. */
function memoized<T>(make: (origin: string) => T): (origin: string) => T {
  const kept = new Map<string, T>();
  return (origin) => {
    const known = kept.get(origin);
    if (known !== undefined) return known;
    if (kept.size >= MAX_ORIGINS) kept.clear();
    const made = make(origin);
    kept.set(origin, made);
    return made;
  };
}

/** The OpenAPI document with its server address; `npm run generate` also writes it to docs/openapi.json. */
export function openApiDocument(about: ApiAbout, origin: string) {
  const documented = new OpenAPIHono();
  const registry = documented.openAPIRegistry;
  for (const [name, schema] of about.schemas()) registry.register(name, schema);
  for (const operation of about.operations) registry.registerPath(documentedPath(operation));
  for (const message of about.messages()) registry.registerWebhook(message);
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An access token, `blf_…`, created for one project with chosen permissions.",
  });
  const document = documented.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: about.title,
      version: "1",
      description: about.description,
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
      contact: { name: about.title, url: `${origin}/docs` },
    },
    servers: [{ url: `${origin}/api/v1` }],
    tags: [...about.tags],
  });
  const { schemas = {} } = document.components ?? {};
  for (const methods of Object.values(document.paths ?? {})) {
    for (const { requestBody } of Object.values(methods)) wordDefaults(requestBody, schemas);
  }
  shareResponses(document);
  shareHeaders(document);
  return document;
}

/**
 * Moves defaults in request bodies into the descriptions: client generators treat a field with a default as
 * always present. Schemas that a body references are included.
 */
function wordDefaults(part: unknown, schemas: object): void {
  if (typeof part !== "object" || part === null) return;
  const named: unknown = Reflect.get(part, "$ref");
  if (typeof named === "string") wordDefaults(Reflect.get(schemas, named.split("/").at(-1) ?? ""), schemas);
  if ("default" in part) {
    const words = `Default: \`${String(part.default)}\`.`;
    const description: unknown = Reflect.get(part, "description");
    Reflect.deleteProperty(part, "default");
    Reflect.set(part, "description", typeof description === "string" ? `${description} ${words}` : words);
  }
  for (const [key, inner] of Object.entries(part)) if (key !== "example") wordDefaults(inner, schemas);
}

const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
