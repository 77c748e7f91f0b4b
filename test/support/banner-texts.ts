import type { MeasuredNode, Node } from "@takumi-rs/wasm/no-bundler";
import type { Canvas } from "../../src/banners/canvas.ts";
import type { BannerSize } from "../../src/banners/copy.ts";

/** A text of a banner, where it is drawn, in pixels. */
export interface PlacedText {
  readonly text: string;
  readonly color: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** All texts of a laid out banner, as the engine itself places them. */
export async function placedTexts(canvas: Canvas, node: Node, size: BannerSize): Promise<readonly PlacedText[]> {
  return textsIn(node, await canvas.measure(node, size));
}

function textsIn(node: Node, { width, height, transform, children, runs }: MeasuredNode): readonly PlacedText[] {
  if (node.type === "text") {
    const [, , , , left, top] = transform;
    const inked = Math.max(width, ...runs.map((run) => run.x + run.width));
    return [
      { text: node.text, color: String(node.style?.color), left, top, right: left + inked, bottom: top + height },
    ];
  }
  const nodes = node.type === "container" ? (node.children ?? []) : [];
  return nodes.flatMap((child, index) => {
    const measured = children[index];
    return measured ? textsIn(child, measured) : [];
  });
}

/** The same, with nothing written on it. */
export function withoutText(node: Node): Node {
  if (node.type === "text") return { ...node, style: { ...node.style, color: "transparent" } };
  return node.type === "container" ? { ...node, children: (node.children ?? []).map(withoutText) } : node;
}
