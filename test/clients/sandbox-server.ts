import type { TestProject } from "vitest/node";
import { createTestHarness } from "wrangler";

/** No time passes for processing, so that nothing has to be waited for. */
const SETTINGS = {
  processing_ms: 0,
  facebook_listing_lag_ms: 0,
  facebook_require_appsecret_proof: false,
  instagram_listing_lag_ms: 0,
  instagram_require_appsecret_proof: false,
  threads_listing_lag_ms: 0,
  youtube_listing_lag_ms: 0,
  youtube_file_details_ms: 0,
};

/** Serves the sandbox on a loopback port to the files of this folder, which run one after the other. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = createTestHarness({
    workers: [
      {
        configPath: "./sandbox/wrangler.toml",
        vars: { ENVIRONMENT: "development", SETTINGS: JSON.stringify(SETTINGS) },
      },
    ],
  });
  const { url } = await server.listen();
  project.provide("sandbox", url.origin);
  return () => server.close();
}

declare module "vitest" {
  export interface ProvidedContext {
    sandbox: string;
  }
}
