import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../src/core/errors.ts";
import { FAILURE_CODES } from "../../src/core/failures.ts";
import { door, ORIGIN } from "../support/world.ts";

/** The pages at /docs, as a browser gets them. */
async function read(path: string): Promise<{ readonly status: number; readonly text: string; readonly csp: string }> {
  const answer = await door(new Request(`${ORIGIN}${path}`));
  return {
    status: answer.status,
    text: await answer.text(),
    csp: answer.headers.get("Content-Security-Policy") ?? "",
  };
}

const linksOf = (html: string) =>
  Array.from(html.matchAll(/ (?:href|src)="([^"]+)"/g), ([, link = ""]) => link.replaceAll("&amp;", "&"));

/** Every page that the index leads to, by its path. */
async function crawl(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ["/docs"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { status, text, csp } = await read(path);
    expect([path, status]).toEqual([path, 200]);
    expect(csp).toContain("script-src 'self'");
    pages.set(path, text);
    for (const link of linksOf(text)) {
      const [next = ""] = link.split("#");
      if (/^\/docs(\/|$)/.test(next) && !/\.\w+$/.test(next)) waiting.push(next);
    }
  }
  return pages;
}

const pages = await crawl();

describe("the documentation", () => {
  test("has no link that leads nowhere", async () => {
    expect(pages.size).toBeGreaterThan(40);
    const files = new Set<string>();
    const wrong: string[] = [];
    for (const [path, html] of pages) {
      for (const link of linksOf(html)) {
        const { origin, pathname, hash, protocol } = new URL(link, `${ORIGIN}${path}`);
        if (origin !== ORIGIN) {
          if (protocol !== "https:" && !/^http:\/\/localhost:/.test(link)) wrong.push(`${path}: ${link}`);
          continue;
        }
        const page = pages.get(pathname);
        if (page === undefined) files.add(pathname);
        else if (hash !== "" && !page.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
          wrong.push(`${path}: ${link}`);
      }
    }
    expect(wrong).toEqual([]);
    // The console requires a sign-in.
    files.delete("/console");
    for (const file of files) expect([file, (await read(file)).status]).toEqual([file, 200]);
  });

  test("has a Markdown twin of each page, and names them all in llms.txt", async () => {
    const { status, text: list } = await read("/llms.txt");
    expect(status).toBe(200);
    for (const path of pages.keys()) {
      const twin = await read(`${path}.md`);
      expect([path, twin.status, /^# /m.test(twin.text)]).toEqual([path, 200, true]);
      expect(list).toContain(`](${path}.md)`);
    }
  });

  test("has the place that the docs_url of each code names, and each operation", async () => {
    for (const code of [...ERROR_CODES, ...FAILURE_CODES]) expect(pages.get("/docs/errors")).toContain(` id="${code}"`);
    const document = await door(new Request(`${ORIGIN}/api/v1/openapi.json`));
    const operations = (await document.text()).matchAll(/"operationId":"(\w+)"/g);
    const reference = pages.get("/docs/reference") ?? "";
    for (const [, id = ""] of operations) if (!id.startsWith("on")) expect(reference).toContain(` id="${id}"`);
    expect(reference.length).toBeLessThan(400_000);
  });

  test("searches the parts of all pages", async () => {
    const parts: unknown = JSON.parse((await read("/docs/search.json")).text);
    expect(parts).toEqual(
      expect.arrayContaining([
        [
          "/docs/guides/failures",
          "repeat-a-request-safely",
          "Failures and idempotency",
          "Repeat a request safely",
          expect.any(String),
        ],
      ]),
    );
  });

  test("answers 404 for what does not exist", async () => {
    expect((await read("/docs/nothing")).status).toBe(404);
    expect((await read("/docs/guides/nothing.js")).status).toBe(404);
  });
});
