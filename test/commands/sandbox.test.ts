import { test } from "vitest";
import { createTestHarness } from "wrangler";

const CONFIG = "./sandbox/wrangler.toml";
const PATHS = [
  "/",
  "/_control/posts",
  "/_control/reset",
  "/_media/square.jpg",
  "/graph.facebook.com/v27.0/me/accounts",
];

test("a sandbox that is deployed unconfigured is closed, whatever is requested", async ({ expect, onTestFinished }) => {
  const server = createTestHarness({ workers: [{ configPath: CONFIG }] });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  for (const path of PATHS) {
    for (const method of ["GET", "POST"]) {
      const answer = await fetch(new URL(path, url), { method });
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        403,
        expect.stringContaining("for development"),
      ]);
    }
  }
});
