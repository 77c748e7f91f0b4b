import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { temporaryFolder } from "../commands/command.ts";
import { CHROMIUM } from "./service.ts";
import { type Console, startConsole } from "./world.ts";

/**
 * The rooms for files and many posts with scripts: uploads, whole and in parts, and an import. Runs with
 * `TESTS=long`.
 */
const isOff = CHROMIUM === null || !IS_LONG;

let here: Console;
let owner: BrowserContext;

beforeAll(async () => {
  if (isOff) return;
  here = await startConsole("Rooms");
  owner = await here.signIn();
}, 400_000);
afterAll(() => here?.browser.close());

async function sample(name: string): Promise<Buffer> {
  const answer = await fetch(here.control.media(name));
  return Buffer.from(await answer.arrayBuffer());
}

/** A video of 20 MiB: the sample with a box behind it that every reader skips. */
async function largeVideo(): Promise<Buffer> {
  const clip = await sample("clip.mp4");
  const rest = Buffer.alloc(20 * 1024 * 1024 - clip.length);
  rest.writeUInt32BE(rest.length, 0);
  rest.write("free", 4);
  return Buffer.concat([clip, rest]);
}

/**
 * Chooses a file in the library; returns the name that its page shows. The browser reads it by its path: the
 * bytes of a large one take a busy machine too long over the connection of the test.
 */
async function choose(page: Page, name: string, bytes: Buffer): Promise<string> {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  await page.goto(`${here.project}/library`);
  await page.locator("input[name=file]").setInputFiles(path);
  await page.waitForURL(/\/library\/\w{32}$/);
  return page.locator("#title").inputValue();
}

describe.skipIf(isOff)("with scripts", () => {
  test("a chosen file is uploaded, a large one in parts, and leads to its page", async ({ expect }) => {
    const page = await owner.newPage();
    expect(await choose(page, "square.jpg", await sample("square.jpg"))).toBe("square");
    await page.locator("#alt_text").fill("A square with a bell");
    await page.locator("form:has(#alt_text) button[type=submit]").click();
    await page.locator("p.note.good").waitFor();
    expect(await choose(page, "clip.mp4", await largeVideo())).toBe("clip");
    await page.goto(`${here.project}/compose`);
    await page.locator("#caption_text").fill("Bells");
    await page.locator("button[formaction*='/library']").click();
    await page.locator("button[name=library_file]", { hasText: "square" }).click();
    await page.locator("input[name=alt_text][value]:not([value=''])").first().waitFor({ state: "attached" });
    expect(await page.locator("#alt-0").inputValue()).toBe("A square with a bell");
    expect(await page.locator("#caption_text").inputValue()).toBe("Bells");
    await page.close();
  }, 120_000);

  test("an import leads to its posts", async ({ expect }) => {
    const page = await owner.newPage();
    const rows = Array.from({ length: 120 }, (_, number) => `${here.channels.facebook},Bread ${number}`);
    const buffer = Buffer.from(["channel_id,caption_text", ...rows].join("\n"));
    await page.goto(`${here.project}/imports`);
    await page.locator("input[name=file]").setInputFiles({ name: "posts.csv", mimeType: "text/csv", buffer });
    await page.locator("form:has(input[name=file]) button[type=submit]").click();
    await page.locator("form[action$='/start'] button[type=submit]").click();
    await page.locator("[role=status]", { hasText: "Done" }).waitFor({ timeout: 60_000 });
    expect(await page.locator("ul[aria-label=Posts] a").count()).toBe(50);
    await page.close();
  }, 120_000);
});
