import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { z } from "zod";
import { DESKTOP, PHONE } from "./world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules whose findings depend on colours; those of all others are the same in both schemes. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
const LOOKS = [
  { colorScheme: "light", size: PHONE },
  { colorScheme: "light", size: DESKTOP },
  { colorScheme: "dark", size: DESKTOP },
  { colorScheme: "dark", size: PHONE },
] as const;

/** What axe finds on the open page, in both schemes and at both widths. */
export async function findingsIn(page: Page): Promise<readonly string[]> {
  const run = await beginAxe(page);
  const found: string[] = [];
  for (const { colorScheme, size } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    const here = `${new URL(page.url()).pathname} ${colorScheme} ${size.width}`;
    const findings = await run(colorScheme === "light" ? null : OF_COLOURS);
    found.push(...findings.map((finding) => `${here}: ${finding}`));
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) found.push(`${here}: too wide`);
  }
  return found;
}

/** Axe runs in a world of its own, so the page's policy stays as it is. Null: all rules. */
async function beginAxe(page: Page): Promise<(rules: readonly string[] | null) => Promise<readonly string[]>> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  await session.send("Runtime.evaluate", { expression: AXE, contextId });
  return async (rules) => {
    const options = JSON.stringify({ resultTypes: ["violations"], ...(rules === null ? {} : { runOnly: rules }) });
    const expression = `axe.run(${options}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`;
    const { result } = await session.send("Runtime.evaluate", {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    return z.array(z.string()).parse(result.value);
  };
}

const Scripts = z.array(z.object({ src: z.string(), length: z.number() }));

/** The size of the page's scripts. */
export async function scriptBytes(page: Page): Promise<number> {
  const inPage = "[...document.scripts].map(({ src, text }) => ({ src, length: text.length }))";
  const all = Scripts.parse(await page.evaluate(inPage));
  const files = all.filter(({ src }) => src !== "").map(async ({ src }) => (await page.request.get(src)).body());
  const bytes = (await Promise.all(files)).map(({ length }) => length);
  return [...bytes, ...all.map(({ length }) => length)].reduce((sum, length) => sum + length, 0);
}
