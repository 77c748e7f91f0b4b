import type { BrowserContext, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, test } from "vitest";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { findingsIn } from "./axe.ts";
import { CHROMIUM } from "./service.ts";
import { type Console, DESKTOP, PHONE, startConsole } from "./world.ts";

/** A person chooses a part of a picture, with the keyboard or by touch. Runs with `TESTS=long`. */
const isOff = CHROMIUM === null || !IS_LONG;

let here: Console;
let owner: BrowserContext;

beforeAll(async () => {
  if (isOff) return;
  here = await startConsole("Crop", ["instagram"]);
  owner = await here.signIn({ hasTouch: true });
}, 400_000);
afterAll(() => here?.browser.close());

/** 800 × 200 as displayed: red on the left, blue on the right. Its pixels lie on their side (EXIF 6). */
async function turnedPicture(): Promise<Buffer> {
  const half = (color: string) => ({ create: { width: 200, height: 400, channels: 3 as const, background: color } });
  const [red, blue] = await Promise.all(["red", "blue"].map((color) => sharp(half(color)).png().toBuffer()));
  return sharp({ create: { width: 200, height: 800, channels: 3, background: "white" } })
    .composite([
      { input: red ?? "", left: 0, top: 400 },
      { input: blue ?? "", left: 0, top: 0 },
    ])
    .rotate(180)
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

/** Chooses the picture in the composer of a post for Instagram. */
async function composed(page: Page): Promise<void> {
  await page.goto(`${here.project}/compose`);
  await page.locator("input[name=channel]").first().check();
  await page.locator("#caption_text").fill("Bells");
  const buffer = await turnedPicture();
  await page.locator("input[name=file]").setInputFiles({ name: "wide.jpg", mimeType: "image/jpeg", buffer });
  await page.locator("#media-0[value*='/media/']").waitFor();
}

/** Width, height, and the colour in the middle of the left and the right half. */
async function seen(page: Page, address: string) {
  const { data, info } = await sharp(await (await page.request.get(address)).body())
    .autoOrient()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const colorAt = (x: number) => {
    const at = (Math.floor(height / 2) * width + Math.floor(width * x)) * channels;
    return (data[at] ?? 0) > (data[at + 2] ?? 0) ? "red" : "blue";
  };
  return { width, height, left: colorAt(0.02), right: colorAt(0.98) };
}

const sizeIn = async (page: Page) => (await page.locator("dialog.crop output").innerText()).match(/\d+/g)?.map(Number);

describe.skipIf(isOff)("a part of a picture", () => {
  test("that a platform refuses is chosen with the keyboard, and published", async ({ expect }) => {
    const page = await owner.newPage();
    await page.setViewportSize(DESKTOP);
    await composed(page);
    await page.locator("button[formaction*='/check#']:visible").press("Enter");
    await page.waitForURL(/\/compose\/check/);
    const offer = page.locator("#report [data-crop]");
    await offer.press("Enter");
    await page.locator("dialog.crop[open]").waitFor();
    await expect.poll(() => sizeIn(page)).toEqual([382, 200]);
    expect(await findingsIn(page)).toEqual([]);
    // As far left as it goes, then narrower.
    await page.locator("#crop-left").press("Home");
    for (let step = 0; step < 20; step++) await page.locator("#crop-width").press("ArrowLeft");
    expect(await sizeIn(page)).toEqual([362, 200]);
    await page.locator("#crop-left").press("Home");
    const before = await page.locator("#media-0").inputValue();
    await page.locator("dialog.crop [type=submit]").press("Enter");
    await page.locator("dialog.crop").waitFor({ state: "hidden" });
    const after = await page.locator("#media-0").inputValue();
    expect(after).not.toBe(before);
    expect(await seen(page, after)).toEqual({ width: 362, height: 200, left: "red", right: "red" });
    await page.locator("#report .note.good").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("media-0");
    await page.close();
  }, 120_000);

  test("is pulled and moved by touch on a phone", async ({ expect }) => {
    const page = await owner.newPage();
    await page.setViewportSize(PHONE);
    await composed(page);
    await page.locator("#media [data-crop]").tap();
    await page.locator("dialog.crop[open]").waitFor();
    await expect.poll(() => sizeIn(page)).toEqual([800, 200]);
    const shown = await page.locator(".stage canvas").boundingBox();
    if (!shown) throw new Error("The picture is not shown.");
    const touch = await fingerOn(page);
    // The corner at the right, to the middle; then the part to the right end.
    const y = shown.y + shown.height;
    await touch([shown.x + shown.width - 3, y - 3], [shown.x + shown.width / 2 - 3, y - 3]);
    const [width = 0, height] = (await sizeIn(page)) ?? [];
    expect(height).toBe(200);
    expect(Math.abs(width - 400)).toBeLessThan(12);
    await touch([shown.x + 90, shown.y + shown.height / 2], [shown.x + shown.width + 60, shown.y + shown.height / 2]);
    await page.locator("dialog.crop [type=submit]").tap();
    await page.locator("dialog.crop").waitFor({ state: "hidden" });
    const made = await seen(page, await page.locator("#media-0").inputValue());
    expect(made).toEqual({ width, height: 200, left: made.left, right: "blue" });
    await page.close();
  }, 120_000);

  test("of a file of the library is a file of its own", async ({ expect }) => {
    const page = await owner.newPage();
    await page.goto(`${here.project}/library`);
    const buffer = await turnedPicture();
    await page.locator("input[name=file]").setInputFiles({ name: "wide.jpg", mimeType: "image/jpeg", buffer });
    await page.waitForURL(/\/library\/\w{32}$/);
    const whole = page.url();
    await page.locator("[data-crop]").click();
    await expect.poll(() => sizeIn(page)).toEqual([800, 200]);
    await page.locator("#crop-shape").selectOption("1:1");
    expect(await sizeIn(page)).toEqual([200, 200]);
    await page.locator("dialog.crop [type=submit]").click();
    await page.waitForURL((url) => url.href !== whole && /\/library\/\w{32}$/.test(url.href));
    expect(await page.locator("p.note.good").innerText()).toContain("new file");
    const address = (await page.locator("img.shown").getAttribute("src")) ?? "";
    expect(await seen(page, new URL(address, page.url()).href)).toMatchObject({ width: 200, height: 200 });
    await page.close();
  }, 120_000);

  test("is chosen in other languages, and nothing happens when a person cancels", async ({ expect }) => {
    const context = await here.signIn({ locale: "de-DE" });
    const page = await context.newPage();
    await composed(page);
    const before = await page.locator("#media-0").inputValue();
    await page.locator("#media [data-crop]").click();
    await page.locator("dialog.crop[open]").waitFor();
    await expect.poll(() => sizeIn(page)).toEqual([800, 200]);
    await page.keyboard.press("Escape");
    await page.locator("dialog.crop").waitFor({ state: "hidden" });
    expect(await page.locator("#media-0").inputValue()).toBe(before);
    await page.locator("#media [data-crop]").click();
    await page.locator("dialog.crop [data-close]").click();
    await page.locator("dialog.crop").waitFor({ state: "hidden" });
    await context.close();
  }, 120_000);
});

/** One finger, from a point to another. */
async function fingerOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  return async ([x1 = 0, y1 = 0]: readonly number[], [x2 = 0, y2 = 0]: readonly number[]) => {
    const at = (x: number, y: number) => ({ touchPoints: [{ x, y }] });
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", ...at(x1, y1) });
    for (let step = 1; step <= 8; step++) {
      const [x, y] = [x1 + ((x2 - x1) * step) / 8, y1 + ((y2 - y1) * step) / 8];
      await session.send("Input.dispatchTouchEvent", { type: "touchMove", ...at(x, y) });
    }
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
}
