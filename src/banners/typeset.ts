import type { Node } from "@takumi-rs/wasm/no-bundler";
import type { Canvas } from "./canvas.ts";
import { fitText, type Measured, piecesOf, type Room } from "./fit.ts";
import { type Family, familyFor, filesFor, stackOf } from "./fonts.ts";
import { column, type Style } from "./nodes.ts";

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

export function createTypeset(canvas: Canvas): Typeset {
  return async (text, wanted, room) => {
    const style = { lineHeight: 1.15, ...wanted, family: familyFor(text, wanted.family) };
    await canvas.load(filesFor(`${text}-`, style.family));
    const widths = await measure(canvas, style, [...piecesOf(text)]);
    const { size, lines } = fitText(text, widths, room, style.lineHeight);
    const width = room.isTight ? Math.ceil(Math.max(...lines.map((line) => line.width)) * size) : room.width;
    const css: Style = { ...cssOf(style, size), width };
    const node: Node = { type: "text", text: lines.map((line) => line.text).join("\n"), style: css };
    return { node, width, height: lines.length * style.lineHeight * size, size };
  };
}

/** The font size for measuring; widths scale linearly with it. */
const MEASURED_SIZE = 100;
const HYPHEN = "-";
const BESIDE = ["n", "n"];

async function measure(canvas: Canvas, style: TextStyle, pieces: readonly string[]): Promise<Measured> {
  const texts = [...pieces, HYPHEN, BESIDE.join(" "), BESIDE.join("")];
  const nodes = texts.map((text): Node => ({ type: "text", text, style: cssOf(style, MEASURED_SIZE) }));
  const { children } = await canvas.measure(column({ alignItems: "flex-start" }, ...nodes));
  const ends = children.map(({ runs }) => Math.max(0, ...runs.map(({ x, width }) => x + width)) / MEASURED_SIZE);
  const known = new Map(texts.map((text, index) => [text, ends[index] ?? 0]));
  const of = (piece: string): number => known.get(piece) ?? 0;
  return { of, hyphen: of(HYPHEN), blank: of(BESIDE.join(" ")) - of(BESIDE.join("")) };
}

function cssOf({ family, color, weight = 400, lineHeight, spacing = 0, align = "left" }: TextStyle, size: number) {
  return {
    color,
    fontFamily: stackOf(family),
    fontWeight: weight,
    fontSize: size,
    ...(lineHeight === undefined ? {} : { lineHeight }),
    letterSpacing: `${spacing}em`,
    textAlign: align,
    whiteSpace: "pre",
    flexShrink: 0,
  } satisfies Style;
}
