import type { ContainerNode, Node } from "@takumi-rs/wasm/no-bundler";
import type { Properties } from "csstype";
import type { Ground } from "./palettes.ts";

/** The building blocks of templates. */

export type Style = Properties<string | number>;

export function box(style: Style, ...children: readonly (Node | null)[]): ContainerNode {
  return {
    type: "container",
    style: { display: "flex", ...style },
    children: children.filter((child) => child !== null),
  };
}

export const column = (style: Style, ...children: readonly (Node | null)[]): ContainerNode =>
  box({ flexDirection: "column", ...style }, ...children);

/** A decorative node, positioned within its parent. */
export const shape = (style: Style, ...children: readonly (Node | null)[]): ContainerNode =>
  box({ position: "absolute", ...style }, ...children);

/** The whole image. */
export const page = (style: Style, ...children: readonly (Node | null)[]): ContainerNode =>
  box({ width: "100%", height: "100%", position: "relative", overflow: "hidden", ...style }, ...children);

export const gradient = ({ stops: [from, to] }: Ground, angle = 150): Style => ({
  backgroundColor: from,
  backgroundImage: `linear-gradient(${angle}deg, ${from}, ${to})`,
});

/** An arrow that points right. */
export function arrow(width: number, color: string): Node {
  const height = width * 0.62;
  const line = Math.max(3, Math.round(width / 11));
  const head = height * 0.72;
  return box(
    { width, height, position: "relative", flexShrink: 0 },
    shape({
      left: 0,
      top: (height - line) / 2,
      width: width - line,
      height: line,
      backgroundColor: color,
      borderRadius: line,
    }),
    shape({
      left: width - head - line * 0.6,
      top: (height - head) / 2,
      width: head,
      height: head,
      borderTop: `${line}px solid ${color}`,
      borderRight: `${line}px solid ${color}`,
      transform: "rotate(45deg) scale(0.78)",
    }),
  );
}

export const circle = (diameter: number, style: Style, ...children: readonly Node[]): ContainerNode =>
  box({ width: diameter, height: diameter, borderRadius: diameter, flexShrink: 0, ...style }, ...children);

/** Left and right exchanged, with everything in it. */
export const MIRRORED: Style = { transform: "scaleX(-1)" };

/** The color with an `opacity` from 0 to 1. */
export function veil(color: string, opacity: number): string {
  return `${color}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, "0")}`;
}
