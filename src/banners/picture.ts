import { typeOf } from "../media/file-type.ts";
import { imageSize } from "../media/picture.ts";
import type { Canvas } from "./canvas.ts";
import { JPEG_QUALITY } from "./render.ts";

/** The limit of an input image: decoded, each pixel takes four bytes of an isolate's 128 MB. */
const MAX_PIXELS = 4_500_000;

/**
 * Converts a PNG, JPEG or WebP to a JPEG of this size, scaled to cover it and cropped on two sides.
 * Transparency becomes white. Null if it is no such image, is damaged, or has more than `MAX_PIXELS`.
 */
export async function toJpeg(
  canvas: Canvas,
  picture: Uint8Array<ArrayBuffer>,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const type = typeOf(picture);
  if (type?.kind !== "image" || !MIMES.includes(type.mime)) return null;
  // Checked before decoding: a few bytes can declare an image that exceeds the memory.
  const size = imageSize(type.mime, picture);
  if (size === null || size === "damaged" || size.width * size.height > MAX_PIXELS) return null;
  const style = { width, height, objectFit: "cover" };
  const node = {
    type: "container" as const,
    style: { display: "flex", width, height, backgroundColor: "#ffffff" },
    children: [{ type: "image" as const, src: SOURCE, style }],
  };
  const images = [{ src: SOURCE, data: picture, cache: "none" as const }];
  try {
    return await canvas.draw(node, { width, height, images, format: "jpeg", quality: JPEG_QUALITY });
  } catch {
    return null;
  }
}

const MIMES: readonly string[] = ["image/png", "image/jpeg", "image/webp"];
/** The image's name in the node tree. */
const SOURCE = "picture";
