import type { Node } from "@takumi-rs/wasm/no-bundler";
import type { Canvas } from "./canvas.ts";
import { fitText, type Measured, piecesOf, type Room } from "./fit.ts";
import { type Family, familyFor, type ScriptFamily, stackOf } from "./fonts.ts";
import { column, MIRRORED, type Style } from "./nodes.ts";
import { hasRightToLeft, isRightToLeft, type Setting, scriptOf } from "./scripts.ts";

/**
 * Sets text as large as its space allows. The lines are measured before they are drawn, so nothing wraps
 * later.
 */

export interface TextStyle {
  readonly family: Family;
  readonly color: string;
  readonly weight?: number;
  /** Relative to the font size. */
  readonly lineHeight?: number;
  /** Letter spacing in em. */
  readonly spacing?: number;
  readonly align?: "left" | "center" | "right";
}

export interface Block {
  readonly node: Node;
  /** In pixels, like the height. */
  readonly width: number;
  readonly height: number;
  readonly size: number;
}

export interface TextRoom extends Room {
  /** The block is only as wide as its text, for elements around or beside it. */
  readonly isTight?: boolean;
}

export type Typeset = (text: string, style: TextStyle, room: TextRoom) => Promise<Block>;

/** In a layout from right to left, texts are mirrored once more, because the whole image is. */
export function createTypeset(canvas: Canvas, setting: Setting): Typeset {
  return async (text, wanted, room) => {
    const style = styleFor(text, wanted, setting);
    const widths = await measure(canvas, style, [...piecesOf(text)]);
    const { size, lines } = fitText(text, widths, room, style.lineHeight);
    const width = room.isTight ? Math.ceil(Math.max(...lines.map((line) => line.width)) * size) : room.width;
    const css: Style = { ...cssOf(style, size), width, ...(setting.isRightToLeft ? MIRRORED : {}) };
    const node: Node = { type: "text", text: lines.map((line) => line.text).join("\n"), style: css };
    return { node, width, height: lines.length * style.lineHeight * size, size };
  };
}

/** A text's style with the family of its script, and the space and the direction that this needs. */
interface SetStyle extends Omit<TextStyle, "family"> {
  readonly family: Family | ScriptFamily;
  readonly lineHeight: number;
  readonly direction: "ltr" | "rtl";
  /** A letter of the text's script. */
  readonly letter: string;
}

function styleFor(text: string, wanted: TextStyle, setting: Setting): SetStyle {
  const { lineHeight = 1.15, spacing = 0, weight = 400, align = "left" } = wanted;
  const runsLeft = setting.isRightToLeft ? hasRightToLeft(text) : isRightToLeft(text);
  const common = {
    ...wanted,
    align: align === "left" && setting.isRightToLeft ? ("right" as const) : align,
    direction: runsLeft ? ("rtl" as const) : ("ltr" as const),
  };
  const script = scriptOf(text, setting);
  if (script === null) return { ...common, family: familyFor(text, wanted.family), lineHeight, letter: "n" };
  return {
    ...common,
    family: script.family,
    // The light weights of these families are thinner than those of the designs' own.
    weight: weight < 400 ? weight + 100 : weight,
    lineHeight: Math.max(lineHeight, script.lineHeight),
    spacing: script.isJoined ? 0 : Math.max(spacing, 0),
    letter: script.letters.exec(text)?.[0] ?? "n",
  };
}

/** The font size for measuring; widths scale linearly with it. */
const MEASURED_SIZE = 100;
const HYPHEN = "-";

async function measure(canvas: Canvas, style: SetStyle, pieces: readonly string[]): Promise<Measured> {
  const { letter } = style;
  const beside = `${letter} ${letter}`;
  const texts = [...pieces, HYPHEN, beside, letter];
  const nodes = texts.map((text): Node => ({ type: "text", text, style: cssOf(style, MEASURED_SIZE) }));
  const { children } = await canvas.measure(column({ alignItems: "flex-start" }, ...nodes));
  const ends = children.map(({ runs }) => Math.max(0, ...runs.map(({ x, width }) => x + width)) / MEASURED_SIZE);
  const known = new Map(texts.map((text, index) => [text, ends[index] ?? 0]));
  const of = (piece: string): number => known.get(piece) ?? 0;
  return { of, hyphen: of(HYPHEN), blank: of(beside) - 2 * of(letter) };
}

function cssOf({ family, color, weight = 400, lineHeight, spacing = 0, align, direction }: SetStyle, size: number) {
  return {
    color,
    fontFamily: stackOf(family),
    fontWeight: weight,
    fontSize: size,
    lineHeight,
    letterSpacing: `${spacing}em`,
    textAlign: align,
    direction,
    whiteSpace: "pre",
    flexShrink: 0,
  } satisfies Style;
}
