import { env } from "cloudflare:workers";
import { z } from "zod";

/**
 * `IMAGES` of the Worker under test: the engine of scripts/support/picture-engine.ts, in Node. Counts its
 * calls, and answers as a test asks.
 */
let calls = 0;
let answer: ((source: Uint8Array<ArrayBuffer>) => Response | Promise<Response> | null) | null = null;
let most = 0;
let running = 0;

/** The calls since the last time that this was asked, and the most that ran at once. */
export function takePictureCalls(): { readonly calls: number; readonly atOnce: number } {
  const taken = { calls, atOnce: most };
  calls = 0;
  most = 0;
  return taken;
}

/** Answers in place of the engine; null where the engine answers. Without a function, it answers again. */
export function answeringPictures(with_: typeof answer = null): void {
  answer = with_;
}

const Refusal = z.object({ code: z.number(), message: z.string() });

async function convert(source: ReadableStream<Uint8Array>, wanted: URLSearchParams): Promise<Response> {
  calls += 1;
  running += 1;
  most = Math.max(most, running);
  try {
    const bytes = new Uint8Array(await new Response(source).arrayBuffer());
    const response =
      (await answer?.(bytes)) ??
      (await env.PICTURE_ENGINE.fetch(`http://pictures.test/convert?${wanted}`, { method: "POST", body: bytes }));
    if (response.ok) return response;
    const { code, message } = Refusal.parse(await response.json());
    throw Object.assign(new Error(message), { code });
  } finally {
    running -= 1;
  }
}

function transformer(source: ReadableStream<Uint8Array>, transforms: readonly ImageTransform[] = []): ImageTransformer {
  return {
    transform: (more) => transformer(source, [...transforms, more]),
    draw() {
      throw new Error("The service draws nothing over pictures.");
    },
    async output({ format, quality = 85, background }) {
      const [{ width = 0, height = 0, fit } = {}] = transforms;
      if (fit !== "scale-down") throw new Error("A picture may be cropped or scaled up.");
      const wanted = new URLSearchParams({
        format,
        width: String(width),
        height: String(height),
        quality: String(quality),
        ...(background === undefined ? {} : { background }),
      });
      const response = await convert(source, wanted);
      return {
        response: () => response,
        contentType: () => format,
        image: () => response.body ?? new ReadableStream(),
      };
    },
  };
}

const notUsed = (): never => {
  throw new Error("The service does not call this.");
};

export const pictures: ImagesBinding = {
  input: (stream) => transformer(stream),
  info: notUsed,
  text: notUsed,
  get hosted(): never {
    return notUsed();
  },
};

/** A picture of noise; the more `sigma`, the more bytes. */
export async function painted(
  width: number,
  height: number,
  { format = "jpeg", sigma = 10 }: { readonly format?: "jpeg" | "png"; readonly sigma?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const wanted = new URLSearchParams({ width: `${width}`, height: `${height}`, format, sigma: `${sigma}` });
  const response = await env.PICTURE_ENGINE.fetch(`http://pictures.test/paint?${wanted}`, { method: "POST" });
  return new Uint8Array(await response.arrayBuffer());
}

const Seen = z.object({
  format: z.string(),
  width: z.number(),
  height: z.number(),
  space: z.string(),
  orientation: z.number(),
  hasAlpha: z.boolean(),
  pixels: z.array(z.array(z.number())),
});

/** What a decoder sees in a picture: as stored, or as EXIF turns it. */
export async function seenIn(bytes: Uint8Array<ArrayBuffer>, as: "stored" | "turned" = "stored") {
  const response = await env.PICTURE_ENGINE.fetch(`http://pictures.test/inspect${as === "turned" ? "?turned" : ""}`, {
    method: "POST",
    body: bytes,
  });
  return Seen.parse(await response.json());
}
