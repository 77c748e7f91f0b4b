import type { D1Migration } from "cloudflare:test";

declare global {
  interface ImportMeta {
    /** Vite's: the default exports of all files that match; `?inline` is an address with the bytes. */
    glob(
      pattern: string,
      options: { readonly eager: true; readonly import: "default"; readonly query?: "?raw" | "?inline" },
    ): Record<string, unknown>;
  }
  namespace Cloudflare {
    interface Env {
      readonly MIGRATIONS: D1Migration[];
      readonly SANDBOX: Fetcher;
      /** Pictures by sharp, in Node (scripts/support/picture-engine.ts). */
      readonly PICTURE_ENGINE: Fetcher;
      /** Further databases (databases.ts). */
      readonly SPARE_1: D1Database;
      readonly SPARE_2: D1Database;
    }
  }
}
