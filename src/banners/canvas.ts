import type { Node } from "@takumi-rs/wasm/no-bundler";
import { initSync, type MeasuredNode, Renderer, type RenderOptions } from "@takumi-rs/wasm/no-bundler";
import { type FontFile, filesFor } from "./fonts.ts";

/**
 * The rendering engine (Takumi, in WebAssembly) and its fonts, one per isolate. It is loaded for the first
 * banner, and then kept. It draws node trees, in which text is never markup, and sends no network requests.
 * Before it measures or draws a tree, it reads the fonts that the tree's texts name and need.
 */
export interface Canvas {
  measure(node: Node, options?: RenderOptions): Promise<MeasuredNode>;
  draw(node: Node, options: RenderOptions): Promise<Uint8Array<ArrayBuffer>>;
}

export interface CanvasParts {
  /** A compiled module, or bytes to compile. */
  readonly loadEngine: () => Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>>;
  /** Throws if the file does not exist. */
  readonly readFont: (name: string) => Promise<ArrayBuffer | Uint8Array>;
}

/**
 * Of the files as they are read; decoded, they take about three times as much. A text of the longest has less
 * than half of it.
 */
const MAX_FONT_BYTES = 10_000_000;

/** A renderer, and the fonts that it has; replaced when it has too many. */
interface Shelf {
  readonly renderer: Renderer;
  readonly loaded: Set<FontFile>;
  bytes: number;
  /** The calls in it; an old one is freed after its last. */
  calls: number;
}

export function createCanvas({ loadEngine, readFont }: CanvasParts): Canvas {
  let isReady = false;
  let current: Shelf | undefined;
  const freeUnused = (shelf: Shelf) => {
    if (shelf !== current && shelf.calls === 0) shelf.renderer.free();
  };
  // Pending work is never shared: in Workers, a promise of one request does not continue after that request
  // ends.
  const start = async () => {
    if (isReady) return;
    const module = await loadEngine();
    if (!isReady) initSync({ module });
    isReady = true;
  };
  /** The current shelf with all fonts of the tree. Nothing waits between the last check and the return. */
  const shelfFor = async (node: Node): Promise<Shelf> => {
    await start();
    const files = filesIn(node);
    for (;;) {
      current ??= { renderer: new Renderer(), loaded: new Set(), bytes: 0, calls: 0 };
      const shelf = current;
      const missing = files.filter((file) => !shelf.loaded.has(file));
      if (missing.length === 0) return shelf;
      const read = await Promise.all(missing.map(async (file) => ({ file, data: await readFont(file.name) })));
      const bytes = read.reduce((sum, { data }) => sum + data.byteLength, 0);
      if (shelf !== current) continue;
      if (shelf.bytes > 0 && shelf.bytes + bytes > MAX_FONT_BYTES) {
        current = undefined;
        freeUnused(shelf);
        continue;
      }
      for (const { file, data } of read) {
        if (shelf.loaded.has(file)) continue;
        shelf.loaded.add(file);
        shelf.bytes += data.byteLength;
        shelf.renderer.registerFont({ name: file.family, data });
      }
    }
  };
  const within = async <T>(node: Node, call: (renderer: Renderer) => Promise<T>): Promise<T> => {
    const shelf = await shelfFor(node);
    shelf.calls += 1;
    try {
      return await call(shelf.renderer);
    } finally {
      shelf.calls -= 1;
      freeUnused(shelf);
    }
  };
  return {
    measure: (node, options) => within(node, (renderer) => renderer.measure(node, options)),
    draw: (node, options) => within(node, (renderer) => renderer.render(node, options)),
  };
}

/** The files that the texts of a tree need. */
function filesIn(node: Node): readonly FontFile[] {
  const files = textsIn(node).flatMap(({ text, families }) => filesFor(text, families));
  return [...new Set(files)];
}

function textsIn(node: Node): readonly { readonly text: string; readonly families: string }[] {
  if (node.type === "text") return [{ text: node.text, families: String(node.style?.fontFamily ?? "") }];
  return node.type === "container" ? (node.children ?? []).flatMap(textsIn) : [];
}
