import { buildAssets } from "./support/assets.ts";

// What wrangler runs before it bundles (`[build]` in wrangler.toml): so a plain `wrangler dev` or `wrangler
// deploy` works too.
buildAssets();
