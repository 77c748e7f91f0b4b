import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import type { AppEnv } from "./environment.ts";
import { apiOrigin } from "./origin.ts";

/** What the document says of the service as a whole. */
export interface ApiAbout {
  readonly title: string;
  readonly description: string;
  /** One a group of operations (`tag` of an operation). */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/**
 * The API document (OpenAPI 3.1) and its reference UI. The UI is Swagger UI, served as static assets of ours:
 * scripts/support/prepare.ts copies what it needs out of the package.
 */
export function documentRoutes(app: OpenAPIHono<AppEnv>, api: OpenAPIHono<AppEnv>, about: ApiAbout): void {
  api.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An access token, `blf_…`, created for one project with chosen permissions.",
  });

  api.get("/openapi.json", (c) => c.json(openApiDocument(api, about, apiOrigin(c))));

  app.get("/docs", (c) => {
    c.header("Content-Security-Policy", DOCS_CSP);
    return c.html(docsPage(about.title));
  });
  app.get("/docs/:file", async (c) => {
    const asset = await c.var.deps.assets.fetch(new URL(`/docs/${encodeURIComponent(c.req.param("file"))}`, c.req.url));
    if (!asset.ok) return c.notFound();
    // The answer of a binding cannot be changed, and every answer of ours gets headers.
    return new Response(asset.body, asset);
  });
}

/** The document with its server address; also written to docs/openapi.json by `npm run generate`. */
export function openApiDocument(api: OpenAPIHono<AppEnv>, about: ApiAbout, origin: string) {
  return api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: about.title,
      version: "1",
      description: about.description,
      license: { name: "Proprietary", url: `${origin}/docs` },
      contact: { name: about.title, url: `${origin}/docs` },
    },
    servers: [{ url: `${origin}/api/v1` }],
    tags: [...about.tags],
  });
}

// Swagger UI sets styles from script (allowed) and draws its icons from data: images.
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function docsPage(title: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="docs"></div>
<noscript>This reference needs scripts. The document itself is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>`;
}
