import { FixedTextError } from "../core/error-text.ts";
import { type Canvas, createCanvas } from "./canvas.ts";

/**
 * The canvas of a Worker: the compiled engine is part of the bundle; fonts are static assets, read when a
 * banner needs them.
 */
export const createWorkerCanvas = (assets: Fetcher): Canvas =>
  createCanvas({
    // Loaded for the first banner: in tests, compiling it takes a runtime longer than everything else.
    loadEngine: async () => (await import("@takumi-rs/wasm/auto")).default,
    async readFont(name) {
      // The request stays internal, so any host works.
      const answer = await assets.fetch(`https://assets.invalid/${name}`);
      if (!answer.ok) throw new FixedTextError(`The font ${name} is missing in the assets (${answer.status}).`);
      return answer.arrayBuffer();
    },
  });
