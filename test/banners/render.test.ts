import { describe, test } from "vitest";
import { createNodeCanvas } from "../../scripts/support/banner-canvas.ts";
import { SAMPLES } from "../../scripts/support/banner-samples.ts";
import { BANNER_SIZES, type BannerCopy } from "../../src/banners/copy.ts";
import { TEMPLATE_NAMES } from "../../src/banners/designs.ts";
import { type Ground, PALETTE_NAMES, paletteOf } from "../../src/banners/palettes.ts";
import { layOut, renderBanner } from "../../src/banners/render.ts";
import { type PlacedText, placedTexts, withoutText } from "../support/banner-texts.ts";

/** Each design with all kinds of words, by the engine that draws them. */

const AA = 4.5;
const canvas = createNodeCanvas();
const { square, portrait } = BANNER_SIZES;
const EMPTY: BannerCopy = {
  label: null,
  headline: "",
  text: null,
  call_to_action: null,
  template: null,
  palette: null,
};

/** The most that a copy may hold, of the widest letters, of one word, and of many emoji. */
const EXTREMES: Readonly<Record<string, Partial<BannerCopy>>> = {
  wide: { label: "W".repeat(28), headline: "W".repeat(90), text: "W".repeat(160), call_to_action: "W".repeat(28) },
  emoji: { label: "🎉".repeat(14), headline: "🥳 ".repeat(30), text: "❤️ ".repeat(50), call_to_action: "👍".repeat(14) },
  onlyHan: {
    label: "鬱".repeat(28),
    headline: "鬱".repeat(90),
    text: "鬱".repeat(160),
    call_to_action: "鬱".repeat(28),
  },
  onlyArabic: {
    label: "ض".repeat(28),
    headline: "ض".repeat(90),
    text: "ض".repeat(160),
    call_to_action: "ض".repeat(28),
  },
  marks: { headline: `A${"\u0301".repeat(80)}`, text: "I\nI\nI\nI\nI", call_to_action: "l" },
};

type Rgb = readonly [number, number, number];

/** WCAG 2.2, relative luminance. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const channelsOf = (value: number): Rgb => [value >> 16, (value >> 8) & 255, value & 255];
const rgb = (hex: string): Rgb => channelsOf(Number.parseInt(hex.slice(1), 16));

describe("contrast", () => {
  test("is 4.5 or more between each text colour and all of the gradient that it is for", ({ expect }) => {
    for (const name of PALETTE_NAMES) {
      const { deep, paper, accent } = paletteOf(name);
      for (const { stops, text, soft, strong } of [deep, paper, accent] satisfies readonly Ground[]) {
        for (const color of [text, soft, strong]) {
          const between = [0, 0.25, 0.5, 0.75, 1].map((part) => mixed(rgb(stops[0]), rgb(stops[1]), part));
          const least = Math.min(...between.map((ground) => contrast(rgb(color), ground)));
          expect(least, `${name}: ${color} on ${stops.join(" to ")}`).toBeGreaterThanOrEqual(AA);
        }
      }
    }
  });

  test("is 4.5 or more where texts stand, with all shapes behind them", async ({ expect }) => {
    for (const [index, template] of TEMPLATE_NAMES.entries()) {
      const palette = PALETTE_NAMES[index] ?? null;
      const [size, sample] = index % 2 === 0 ? [square, SAMPLES.plain] : [portrait, SAMPLES.long];
      const node = await layOut(canvas, { ...EMPTY, ...sample, template, palette }, size);
      const pixels = await canvas.draw(withoutText(node), { ...size, format: "raw" });
      for (const text of await placedTexts(canvas, node, size)) {
        const least = leastContrast(text, pixels, size.width);
        expect(least, `${template}, ${palette}: ${text.text}`).toBeGreaterThanOrEqual(AA);
      }
    }
  });
});

const mixed = (one: Rgb, other: Rgb, part: number): Rgb => [
  one[0] * (1 - part) + other[0] * part,
  one[1] * (1 - part) + other[1] * part,
  one[2] * (1 - part) + other[2] * part,
];

/** Of each second pixel behind the text, in both directions. */
function leastContrast({ color, left, top, right, bottom }: PlacedText, pixels: Uint8Array, width: number): number {
  const seen = new Set<number>();
  for (let y = Math.ceil(top); y < bottom; y += 2) {
    for (let x = Math.ceil(left); x < right; x += 2) {
      const at = (y * width + x) * 4;
      seen.add(((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0));
    }
  }
  return Math.min(...Array.from(seen, (pixel) => contrast(rgb(color), channelsOf(pixel))));
}

describe("every design", () => {
  const letters = (text: string) =>
    text
      .toLocaleLowerCase("en")
      .normalize("NFD")
      .replace(/[\s\p{M}-]/gu, "")
      .replaceAll("ß", "ss");

  /** Other scripts are in one of the sizes: they differ in letters, not in positions. */
  const sizesOf = (sample: string, template: number) => {
    const [one, other] = template % 2 === 0 ? [square, portrait] : [portrait, square];
    return Object.keys(SAMPLES).indexOf(sample) >= Object.keys(SAMPLES).indexOf("chinese") ? [one] : [one, other];
  };

  for (const [index, template] of TEMPLATE_NAMES.entries()) {
    test(`${template} shows all words, inside of the picture, none over another`, async ({ expect }) => {
      for (const [name, sample] of Object.entries({ ...SAMPLES, ...EXTREMES })) {
        for (const size of sizesOf(name, index)) {
          const copy = { ...EMPTY, ...sample, template };
          const node = await layOut(canvas, copy, size);
          const texts = await placedTexts(canvas, node, size);
          if (name in SAMPLES) expect(Math.min(...sizesIn(node)), `${name}, on a phone`).toBeGreaterThanOrEqual(20);
          const shown = letters(texts.map(({ text }) => text).join(""));
          const given = [copy.label, copy.headline, copy.text, copy.call_to_action].flatMap((text) => text ?? []);
          expect([...shown].sort().join(""), name).toBe([...letters(given.join(""))].sort().join(""));
          for (const [index, { left, top, right, bottom }] of texts.entries()) {
            expect(
              Math.min(left, top, size.width - right, size.height - bottom),
              `${name}, ${size.height}`,
            ).toBeGreaterThan(20);
            const over = texts
              .slice(index + 1)
              .filter((o) => o.left < right && left < o.right && o.top < bottom && top < o.bottom);
            expect(over, `${name}, ${size.height}`).toEqual([]);
          }
        }
      }
    });
  }
});

function sizesIn(node: Awaited<ReturnType<typeof layOut>>): readonly number[] {
  if (node.type === "text") return [Number(node.style?.fontSize)];
  return node.type === "container" ? (node.children ?? []).flatMap(sizesIn) : [];
}

describe("a banner", () => {
  test("is the same for the same words, and of another design for others", async ({ expect }) => {
    const draw = (headline: string) => layOut(canvas, { ...EMPTY, headline }, square);
    expect(await draw("Hello")).toEqual(await draw("Hello"));
    const designs = await Promise.all(Array.from({ length: 12 }, (_, index) => draw(`Hello ${index}`)));
    expect(new Set(designs.map((node) => JSON.stringify(node.style))).size).toBeGreaterThan(4);
  });

  test("is refused when it cannot show its words", async ({ expect }) => {
    await expect(renderBanner(canvas, { ...EMPTY, headline: "Hi ไ" }, square)).rejects.toThrow("cannot show 1 of");
  });
});
