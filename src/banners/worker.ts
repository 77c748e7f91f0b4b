import { WorkerEntrypoint } from "cloudflare:workers";
import { createLog } from "../core/log.ts";
import type { Canvas } from "./canvas.ts";
import type { BannerCopy, BannerFormat, BannerSize } from "./copy.ts";
import { uncovered } from "./coverage.ts";
import { toJpeg } from "./picture.ts";
import { renderBanner } from "./render.ts";
import type { Texts } from "./words.ts";
import { createWorkerCanvas } from "./worker-canvas.ts";

/** One per isolate: what it has read of fonts stays for the next banner. */
let canvas: Canvas | undefined;
const log = createLog({ worker: "banners" });

/**
 * The Worker that draws (docs/decisions/0093): the engine and its fonts, apart from the service, which calls
 * these methods over its binding (client.ts). It has no address, no secret and no state. The service of the
 * version before may still call it, so methods keep their meaning, and new ones get new names.
 */
export default class BannerWorker extends WorkerEntrypoint<Pick<Env, "ASSETS">> {
  /** Cloudflare wants a Worker to have a handler. */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /** Answers, once the Worker is there. */
  ping(): string {
    return "ready";
  }

  /** The characters of a copy that no font has. */
  uncovered(copy: Texts): string[] {
    return [...uncovered(copy)];
  }

  /** The picture of a banner (render.ts). */
  draw(copy: BannerCopy, size: BannerSize, format: BannerFormat): Promise<Uint8Array<ArrayBuffer>> {
    return logged("draw", () => renderBanner(this.#canvas(), copy, size, format));
  }

  /** A picture as JPEG of this size; null if it is none (picture.ts). */
  toJpeg(picture: Uint8Array<ArrayBuffer>, size: Size): Promise<Uint8Array<ArrayBuffer> | null> {
    return logged("to_jpeg", () => toJpeg(this.#canvas(), picture, size));
  }

  #canvas(): Canvas {
    canvas ??= createWorkerCanvas(this.env.ASSETS);
    return canvas;
  }
}

type Size = Parameters<typeof toJpeg>[2];

/** The service learns only that it failed: what failed is in this log. */
async function logged<T>(act: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    log.error("banner_failed", error, { act });
    throw error;
  }
}
