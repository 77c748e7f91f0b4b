import type { Node } from "@takumi-rs/wasm/no-bundler";
import { initSync, type MeasuredNode, Renderer, type RenderOptions } from "@takumi-rs/wasm/no-bundler";
import type { FontFile } from "./fonts.ts";

/**
 * The rendering engine (Takumi, in WebAssembly) and its fonts, one per isolate. It is loaded for the first
 * banner, and then kept. It draws node trees, in which text is never markup, and sends no network requests.
 */
export interface Canvas {
  /** Call before text in these fonts is measured or drawn. Idempotent. */
  load(files: readonly FontFile[]): Promise<void>;
  measure(node: Node, options?: RenderOptions): Promise<MeasuredNode>;
  draw(node: Node, options: RenderOptions): Promise<Uint8Array<ArrayBuffer>>;
}

export interface CanvasParts {
  /** A compiled module, or bytes to compile. */
  readonly loadEngine: () => Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>>;
  /** Throws if the file does not exist. */
  readonly readFont: (name: string) => Promise<ArrayBuffer | Uint8Array>;
}

export function createCanvas({ loadEngine, readFont }: CanvasParts): Canvas {
  let made: Renderer | undefined;
  const loaded = new Set<FontFile>();
  // Pending work is never shared: in Workers, a promise of one request does not continue after that request
  // ends.
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
