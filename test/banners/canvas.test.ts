import { test } from "vitest";
import { createNodeCanvas, readBannerFont, readEngine } from "../../scripts/support/banner-canvas.ts";
import { createCanvas } from "../../src/banners/canvas.ts";
import { BANNER_SIZES } from "../../src/banners/copy.ts";
import { FONT_FILES, filesFor, stackOf } from "../../src/banners/fonts.ts";
import { renderBanner } from "../../src/banners/render.ts";

/** Which fonts the engine has, and for how long. */

/** A character for each file of the family, so that its text needs all of them. */
function textOf(family: "Noto Sans JP" | "Noto Sans SC" | "Noto Sans KR"): string {
  const missing = new Set(FONT_FILES.filter((file) => file.family === family));
  let text = "";
  for (let point = 0x3000; point < 0xd7a4 && missing.size > 0; point += 1) {
    const [file] = filesFor(String.fromCodePoint(point), family);
    if (file && missing.delete(file)) text += String.fromCodePoint(point);
  }
  return text;
}

test("fonts that were read stay, until they are too many: then they are read again", async ({ expect }) => {
  const read: string[] = [];
  const canvas = createCanvas({
    loadEngine: readEngine,
    readFont(name) {
      read.push(name);
      return readBannerFont(name);
    },
  });
  const widthOf = async (family: "Noto Sans JP" | "Noto Sans SC" | "Noto Sans KR") => {
    const style = { fontFamily: stackOf(family), fontSize: 10, whiteSpace: "pre" };
    return (await canvas.measure({ type: "text", text: textOf(family), style })).width;
  };
  const first = await widthOf("Noto Sans JP");
  const count = read.length;
  expect(count).toBeGreaterThan(100);
  expect(await widthOf("Noto Sans JP")).toBe(first);
  expect(read).toHaveLength(count);

  // At the same time: none takes the fonts of another, and each text is whole.
  const [, , again] = await Promise.all([widthOf("Noto Sans SC"), widthOf("Noto Sans KR"), widthOf("Noto Sans JP")]);
  expect(again).toBe(first);
  expect(await widthOf("Noto Sans JP")).toBe(first);
  expect(read.length).toBeGreaterThan(new Set(read).size);
});

test.for(["焼きたてのパンを毎朝七時から", "خبز طازج كل صباح من الساعة السابعة"])(
  "a banner has the letters of %s: a font without them would show boxes",
  async (headline, { expect }) => {
    const copy = { label: null, headline, text: null, call_to_action: null, template: null, palette: null };
    const boxes = createCanvas({
      loadEngine: readEngine,
      readFont: () => readBannerFont("geologica-latin-wght-normal.woff2"),
    });
    const [drawn, again, boxed] = [
      await renderBanner(createNodeCanvas(), copy, BANNER_SIZES.square),
      await renderBanner(createNodeCanvas(), copy, BANNER_SIZES.square),
      await renderBanner(boxes, copy, BANNER_SIZES.square),
    ];
    expect(drawn).toEqual(again);
    expect(drawn).not.toEqual(boxed);
  },
);
