import { env } from "cloudflare:workers";
import { test } from "vitest";
import type { BannerCopy } from "../../src/banners/copy.ts";
import { toJpeg } from "../../src/banners/picture.ts";
import { BANNER_SIZES, renderBanner } from "../../src/banners/render.ts";
import { createWorkerCanvas } from "../../src/banners/worker-canvas.ts";
import { typeOf } from "../../src/media/file-type.ts";
import { imageSize } from "../../src/media/picture.ts";

const { square, portrait } = BANNER_SIZES;
const COPY: BannerCopy = {
  label: "Ζωή и жизнь",
  headline: "Hello 🎉",
  text: "Größer → ★",
  call_to_action: "Go",
  template: "editorial",
  palette: "ocean",
};

test("a Worker draws banners with its own fonts, as PNG and JPEG", async ({ expect }) => {
  const canvas = createWorkerCanvas(env.ASSETS);
  const first = await renderBanner(canvas, COPY, square);
  expect(typeOf(first)).toMatchObject({ mime: "image/png" });
  expect(imageSize("image/png", first)).toEqual(square);

  const raw = async (headline: string) =>
    toJpeg(canvas, await renderBanner(canvas, { ...COPY, headline }, square), { width: 108, height: 108 });
  expect(await raw("Hello 🎉")).toEqual(await raw("Hello 🎉"));
  expect(await raw("Hello 🎉")).not.toEqual(await raw("Bye 🎉"));

  const second = await renderBanner(canvas, COPY, portrait, "jpeg");
  expect(typeOf(second)).toMatchObject({ mime: "image/jpeg" });
  expect(imageSize("image/jpeg", second)).toEqual(portrait);
});

test("a picture becomes a JPEG of any size, and what is none becomes nothing", async ({ expect }) => {
  const canvas = createWorkerCanvas(env.ASSETS);
  const picture = await renderBanner(canvas, COPY, square);
  const jpeg = await toJpeg(canvas, picture, { width: 300, height: 400 });
  expect(jpeg && imageSize("image/jpeg", jpeg)).toEqual({ width: 300, height: 400 });
  expect(await toJpeg(canvas, picture.slice(0, 3000), square)).toBeNull();
  expect(await toJpeg(canvas, new Uint8Array(new TextEncoder().encode("<svg/>")), square)).toBeNull();
  // A header that announces 40,000 × 40,000 pixels.
  const bomb = picture.slice();
  new DataView(bomb.buffer).setUint32(16, 40_000);
  new DataView(bomb.buffer).setUint32(20, 40_000);
  expect(await toJpeg(canvas, bomb, square)).toBeNull();
});
