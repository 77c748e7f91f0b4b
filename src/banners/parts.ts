import type { Node } from "@takumi-rs/wasm/no-bundler";
import { arrow, box, type Style } from "./nodes.ts";
import type { Block, TextRoom, TextStyle, Typeset } from "./typeset.ts";

/** The shared parts of templates: small print, calls to action. */

/** Null if there is no text. */
export async function setIf(
  set: Typeset,
  text: string | null,
  style: TextStyle,
  room: TextRoom,
): Promise<Block | null> {
  return text === null ? null : set(text, style, room);
}

/** Text in capitals at a small size; null if there is no text. */
export async function setSmall(
  set: Typeset,
  text: string | null,
  style: Omit<TextStyle, "family"> & Partial<Pick<TextStyle, "family">>,
  room: Partial<TextRoom> = {},
): Promise<Block | null> {
  if (text === null) return null;
  const { max = 30 } = room;
  return set(
    upper(text),
    { family: "Geologica", weight: 600, spacing: 0.08, lineHeight: 1.2, ...style },
    { width: 700, height: max * 1.3, max, min: 20, isTight: true, ...room },
  );
}

/** In Greek, capitals have no accents. */
const upper = (text: string): string => text.toLocaleUpperCase(/\p{Script=Greek}/u.test(text) ? "el" : "en");

export interface PillStyle {
  readonly color: string;
  readonly ground: Style;
  readonly hasArrow?: boolean;
  readonly maxWidth?: number;
}

export const PILL_HEIGHT = 92;

/** A call to action as a button; null if there is no text. */
export async function setPill(
  set: Typeset,
  text: string | null,
  { color, ground, hasArrow = true, maxWidth = 620 }: PillStyle,
): Promise<{ readonly node: Node; readonly width: number } | null> {
  if (text === null) return null;
  const beside = (hasArrow ? 44 + 20 : 0) + 2 * 44;
  const style = { family: "Geologica", weight: 600, color, lineHeight: 1.2 } as const;
  const room = { width: maxWidth - beside, height: 46, max: 36, min: 24, isTight: true };
  const words = await set(text, style, room);
  const node = box(
    {
      height: PILL_HEIGHT,
      paddingLeft: 44,
      paddingRight: 44,
      gap: 20,
      borderRadius: PILL_HEIGHT / 2,
      alignItems: "center",
      flexShrink: 0,
      alignSelf: "flex-start",
      ...ground,
    },
    words.node,
    hasArrow ? arrow(44, color) : null,
  );
  return { node, width: words.width + beside };
}
