import { env } from "node:process";

// wrangler runs this before it bundles (`[build]` in wrangler.toml), so a plain `wrangler dev` or `wrangler
// deploy` also works. A Worker that starts from a finished bundle has its assets and texts.
if (env.BELFRY_ASSETS !== "made") {
  const { buildAssets } = await import("./support/assets.ts");
  buildAssets();
}
