import { DARK, LIGHT } from "../pages/style.ts";

/**
 * The colour of a brand on our pages. It fills buttons and ticks and draws the ring of the focus, in both
 * schemes, so it must stand out from the backgrounds of both. Links have a shade of it that can be read as
 * text. Ratios are those of WCAG 2.2: 3:1 for shapes, 4.5:1 for texts.
 */
const SHAPE_RATIO = 3;
const TEXT_RATIO = 4.5;

type Rgb = readonly [number, number, number];
export type Scheme = "light" | "dark";

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
const BACKGROUNDS: Readonly<Record<Scheme, readonly Rgb[]>> = {
  light: backgroundsOf(LIGHT),
  dark: backgroundsOf(DARK),
};
/** How much of the brand's colour is in the background of what is selected. */
const TINTS: Readonly<Record<Scheme, number>> = { light: 0.1, dark: 0.2 };

/** The page and the cards on it. */
function backgroundsOf(rules: string): readonly Rgb[] {
  return ["paper", "card"].map((name) => rgbOf(new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(rules)?.[1] ?? ""));
}

export interface ColorProblem {
  readonly scheme: Scheme;
  /** Its lowest contrast with a background of the scheme, rounded down. */
  readonly ratio: number;
  /** The nearest colour that is accepted in both schemes. */
  readonly nearest: string;
}

/** Why a colour is refused; null if it stands out in both schemes. */
export function colorProblem(color: string): ColorProblem | null {
  const rgb = rgbOf(color);
  for (const scheme of ["light", "dark"] as const) {
    const ratio = lowestContrast(rgb, BACKGROUNDS[scheme]);
    if (ratio < SHAPE_RATIO)
      return { scheme, ratio: Math.floor(ratio * 10) / 10, nearest: hexOf(nearest(rgb, isShape)) };
  }
  return null;
}

/** The rules that replace our colour, for each scheme. */
export function brandRules(color: string): Readonly<Record<Scheme, string>> {
  const rgb = rgbOf(color);
  const ink = contrast(rgb, WHITE) >= TEXT_RATIO ? WHITE : BLACK;
  const rulesOf = (scheme: Scheme) => {
    const backgrounds = BACKGROUNDS[scheme];
    const tint = mixed(rgb, backgrounds[1] ?? WHITE, TINTS[scheme]);
    const link = nearest(rgb, (shade) => lowestContrast(shade, [...backgrounds, tint]) >= TEXT_RATIO);
    return `--accent:${hexOf(rgb)};--accent-ink:${hexOf(ink)};--link:${hexOf(link)};--tint:${hexOf(tint)}`;
  };
  return { light: rulesOf("light"), dark: rulesOf("dark") };
}

const isShape = (rgb: Rgb): boolean =>
  Object.values(BACKGROUNDS).every((backgrounds) => lowestContrast(rgb, backgrounds) >= SHAPE_RATIO);

/** The colour, or the shade of it next to it towards black or white that is good. */
function nearest(rgb: Rgb, isGood: (rgb: Rgb) => boolean): Rgb {
  for (let step = 0; step <= 255; step++) {
    const good = [BLACK, WHITE].map((end) => mixed(end, rgb, step / 255)).filter(isGood);
    const [first, second] = good;
    if (first) return second && distance(second, rgb) < distance(first, rgb) ? second : first;
  }
  return rgb;
}

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(one[index] * share + other[index] * (1 - share));
  return [at(0), at(1), at(2)];
}

const distance = (one: Rgb, other: Rgb): number => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

const lowestContrast = (rgb: Rgb, backgrounds: readonly Rgb[]): number =>
  Math.min(...backgrounds.map((background) => contrast(rgb, background)));

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The parts of `#rrggbb`. */
function rgbOf(color: string): Rgb {
  const at = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

const hexOf = (rgb: Rgb): string => `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
