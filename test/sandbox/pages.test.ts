import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { Browser } from "../support/browser.ts";
import { SANDBOX, sandbox } from "../support/sandbox.ts";

const go = (path: string) => new Browser((request) => env.SANDBOX.fetch(request)).go(`${SANDBOX}${path}`);
const PAGES = [
  ["/", "Published posts"],
  ["/?platform=facebook", "Published posts"],
  ["/messages", "Direct messages"],
  ["/ads", "Ads"],
  ["/_media/", "Sample media"],
  ["/posts/facebook/none", "Post not found"],
] as const;

describe.for(PAGES)("the sandbox's page %s", ([path, heading]) => {
  test("has one heading, every tab, and both color schemes", async ({ expect }) => {
    const { html } = await go(path);
    expect(html.match(/<h1>[^<]*<\/h1>/g)).toEqual([`<h1>${heading}</h1>`]);
    expect(html).toContain("color-scheme:light dark");
    expect(html).toContain("@media (prefers-color-scheme:dark)");
    const [, tabs = ""] = /<nav class="pages"[^>]*>(.*?)<\/nav>/s.exec(html) ?? [];
    expect([...tabs.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      "/",
      "/messages",
      "/ads",
      "/_media/",
      "/_control/calls",
    ]);
    // Tabs wrap on a narrow screen; none of them hides beyond its edge.
    expect(html).toContain(".top nav{display:flex;flex-wrap:wrap");
    expect(html).not.toContain("overflow-x:auto");
  });
});

test("a setting of its own goes over what production makes of it, and a reset takes both back", async ({ expect }) => {
  const calm = await settings();
  await sandbox.settings({ realism: "production" });
  const production = await settings();
  expect(production).toMatchObject({
    realism: "production",
    linkedin_gives_refresh_tokens: false,
    linkedin_tier: "development",
    threads_publish_race: 1,
    webhooks_repeat: true,
  });
  const lags = Object.keys(production).filter((name) => name.endsWith("_listing_lag_ms"));
  expect(lags.filter((name) => Number(production[name]) < 4_000)).toEqual([]);
  // What this installation sets goes over it too.
  expect(production).toMatchObject({ strict: true, webhooks: "hold" });
  await sandbox.settings({ linkedin_tier: "standard" });
  expect(await settings()).toEqual({ ...production, linkedin_tier: "standard" });
  await sandbox.control("POST", "reset");
  expect(await settings()).toEqual(calm);
});

async function settings(): Promise<Record<string, unknown>> {
  const all = await sandbox.control("GET", "settings");
  return Object.fromEntries(Object.entries(all ?? {}));
}
