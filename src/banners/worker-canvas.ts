import { FixedTextError } from "../core/error-text.ts";
import { type Canvas, createCanvas } from "./canvas.ts";

/**
 * The canvas of a Worker: the engine comes with the bundle, compiled; fonts are static assets, read when a
 * banner needs them.
 */
export const createWorkerCanvas = (assets: Fetcher): Canvas =>
  createCanvas({
    // At the first banner: to compile it takes each runtime of a test longer than all else that it loads.
    loadEngine: async () => (await import("@takumi-rs/wasm/auto")).default,
    async readFont(name) {
      // No request comes from outside: any host will do.
      const answer = await assets.fetch(`https://assets.invalid/fonts/${name}`);
      if (!answer.ok) throw new FixedTextError(`The font ${name} is missing in the assets (${answer.status}).`);
      return answer.arrayBuffer();
    },
  });
