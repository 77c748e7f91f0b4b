import { test } from "vitest";
import { unstable_readConfig as readWranglerConfig } from "wrangler";

/** Links that connect, sign in, approve and unsubscribe have their secret in the path. */
test.for(["wrangler.toml", "src/banners/wrangler.toml"])(
  "Cloudflare's lines for invocations, which quote addresses, are off: %s",
  (config, { expect }) => {
    const { observability } = readWranglerConfig({ config }, { hideWarnings: true });
    expect(observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } });
  },
);
