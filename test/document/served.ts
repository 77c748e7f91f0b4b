import type { TestProject } from "vitest/node";
import { createTestHarness } from "wrangler";
import { buildAssets } from "../../scripts/support/assets.ts";

/** The document as the service itself serves it, over HTTP; fetched once for all files of this folder. */
export async function setup(project: TestProject): Promise<void> {
  // The service's configuration names their folder.
  buildAssets();
  const server = createTestHarness({
    workers: [
      {
        configPath: "./wrangler.toml",
        vars: {
          ENVIRONMENT: "test",
          PUBLIC_ORIGIN: "https://belfry.example",
          LOG_LEVEL: "errors",
          CREDENTIAL_KEYS: `test:${btoa("0123456789abcdef0123456789abcdef")}`,
          SIGNING_KEY: "a signing key that only the tests ever see",
        },
      },
      // The service names it; the document needs nothing of it.
      { configPath: "./src/banners/wrangler.toml" },
    ],
  });
  try {
    const { url } = await server.listen();
    const answer = await fetch(`${url.origin}/api/v1/openapi.json`);
    const document = await answer.text();
    if (!answer.ok) throw new Error(`/api/v1/openapi.json: ${answer.status} ${document}`);
    project.provide("document", document);
  } finally {
    await server.close();
  }
}

declare module "vitest" {
  export interface ProvidedContext {
    document: string;
  }
}
