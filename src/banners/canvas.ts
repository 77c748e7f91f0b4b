import type { Node } from "@takumi-rs/wasm/no-bundler";
import { initSync, type MeasuredNode, Renderer, type RenderOptions } from "@takumi-rs/wasm/no-bundler";
import type { FontFile } from "./fonts.ts";

/**
 * The drawing engine (Takumi, in WebAssembly) and its fonts. One an isolate: nothing happens before the first
 * banner, and what was loaded then is kept. It draws trees of nodes, in which text is text and never markup,
 * and asks no network.
 */
export interface Canvas {
  /** Before text in these fonts is measured or drawn. Repeatable. */
  load(files: readonly FontFile[]): Promise<void>;
  measure(node: Node, options?: RenderOptions): Promise<MeasuredNode>;
  draw(node: Node, options: RenderOptions): Promise<Uint8Array<ArrayBuffer>>;
}

export interface CanvasParts {
  /** Compiled, or to be compiled. */
  readonly loadEngine: () => Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>>;
  /** Throws if the file is not there. */
  readonly readFont: (name: string) => Promise<ArrayBuffer | Uint8Array>;
}

export function createCanvas({ loadEngine, readFont }: CanvasParts): Canvas {
  let made: Renderer | undefined;
  const loaded = new Set<FontFile>();
  // Work that is under way is never shared: in Workers, what one request waits for does not go on when that
  // one ends.
  const getRenderer = async (): Promise<Renderer> => {
    if (made) return made;
    const module = await loadEngine();
    initSync({ module });
    made ??= new Renderer();
    return made;
  };
  return {
    async load(files) {
      const missing = files.filter((file) => !loaded.has(file));
      const read = await Promise.all(missing.map(async (file) => ({ file, data: await readFont(file.name) })));
      const renderer = await getRenderer();
      for (const { file, data } of read) {
        if (loaded.has(file)) continue;
        await renderer.registerFont({ name: file.family, data });
        loaded.add(file);
      }
    },
    measure: async (node, options) => (await getRenderer()).measure(node, options),
    draw: async (node, options) => (await getRenderer()).render(node, options),
  };
}
