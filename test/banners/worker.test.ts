import { env } from "cloudflare:workers";
import { test } from "vitest";
import { BannersUnavailable, createBanners } from "../../src/banners/client.ts";
import { BANNER_SIZES, type BannerCopy } from "../../src/banners/copy.ts";
import { typeOf } from "../../src/media/file-type.ts";
import { imageSize } from "../../src/media/picture.ts";

/** The Worker that draws, over its binding. */

const { square, portrait } = BANNER_SIZES;
const banners = createBanners(env.BANNERS, () => {});
const COPY: BannerCopy = {
  label: "Ζωή и жизнь",
  headline: "Hello 🎉",
  text: "Größer → ★",
  call_to_action: "Go",
  template: "editorial",
  palette: "ocean",
};

test("a Worker draws banners with its own fonts, as PNG and JPEG", async ({ expect }) => {
  const first = await banners.draw(COPY, square, "png");
  expect(typeOf(first)).toMatchObject({ mime: "image/png" });
  expect(imageSize("image/png", first)).toEqual(square);

  const raw = async (headline: string) =>
    banners.toJpeg(await banners.draw({ ...COPY, headline }, square, "png"), { width: 108, height: 108 });
  expect(await raw("Hello 🎉")).toEqual(await raw("Hello 🎉"));
  expect(await raw("Hello 🎉")).not.toEqual(await raw("Bye 🎉"));

  const second = await banners.draw(COPY, portrait, "jpeg");
  expect(typeOf(second)).toMatchObject({ mime: "image/jpeg" });
  expect(imageSize("image/jpeg", second)).toEqual(portrait);
});

test("a picture becomes a JPEG of any size, and what is none becomes nothing", async ({ expect }) => {
  const picture = await banners.draw(COPY, square, "png");
  const jpeg = await banners.toJpeg(picture, { width: 300, height: 400 });
  expect(jpeg && imageSize("image/jpeg", jpeg)).toEqual({ width: 300, height: 400 });
  expect(await banners.toJpeg(picture.slice(0, 3000), square)).toBeNull();
  expect(await banners.toJpeg(new Uint8Array(new TextEncoder().encode("<svg/>")), square)).toBeNull();
  // A header that announces 40,000 × 40,000 pixels.
  const bomb = picture.slice();
  new DataView(bomb.buffer).setUint32(16, 40_000);
  new DataView(bomb.buffer).setUint32(20, 40_000);
  expect(await banners.toJpeg(bomb, square)).toBeNull();
});

test("characters that no font has are named, and never drawn as something else", async ({ expect }) => {
  expect(await banners.uncovered({ ...COPY, headline: "Hi ไทยไ" })).toEqual(["ไ", "ท", "ย"]);
  expect(await banners.uncovered(COPY)).toEqual([]);
  await expect(banners.draw({ ...COPY, headline: "Hi ไ" }, square, "png")).rejects.toThrow(BannersUnavailable);
});

test("it has no address: a request gets nothing", async ({ expect }) => {
  const answer = await env.BANNERS.fetch("https://banners.invalid/geologica-latin-wght-normal.woff2");
  expect(answer.status).toBe(404);
});

test("a Worker that is not there is an error of its own, and each call is counted", async ({ expect }) => {
  let calls = 0;
  const gone = () => Promise.reject(new Error("Network connection lost."));
  const binding = { ping: gone, uncovered: gone, draw: gone, toJpeg: gone } as unknown as Env["BANNERS"];
  const away = createBanners(binding, () => {
    calls += 1;
  });
  await expect(away.ping()).rejects.toThrow(BannersUnavailable);
  await expect(away.draw(COPY, square, "png")).rejects.toThrow("does not answer");
  expect(calls).toBe(2);
});
