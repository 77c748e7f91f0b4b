import { buildAssets } from "./support/assets.ts";

// wrangler runs this before it bundles (`[build]` in wrangler.toml), so a plain `wrangler dev` or `wrangler
// deploy` also works.
buildAssets();
