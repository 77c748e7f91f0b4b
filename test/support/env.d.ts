import type { D1Migration } from "cloudflare:test";
import type { Bindings } from "../../src/deps.ts";

declare global {
  namespace Cloudflare {
    interface Env extends Bindings {
      readonly MIGRATIONS: D1Migration[];
      readonly SANDBOX: Fetcher;
      readonly OPERATOR_KEY: string;
    }
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** What of the contract suite runs (contract-sample.ts); `seed` is null for the usual one. */
    readonly contract: { readonly isWhole: boolean; readonly seed: number | null };
  }
}
