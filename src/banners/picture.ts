import { typeOf } from "../media/file-type.ts";
import { imageSize } from "../media/picture.ts";
import type { Canvas } from "./canvas.ts";
import { JPEG_QUALITY } from "./render.ts";

/** Of a picture that is taken in: decoded, each of its pixels takes four bytes, of an isolate's 128 MB. */
export const MAX_PIXELS = 4_500_000;

/**
 * The PNG, JPEG or WebP as a JPEG of this size: scaled until it covers it, what stands out on two sides is
 * cut off. What is see-through becomes white. Null when it is no such picture, is damaged, or has more than
 * `MAX_PIXELS`.
 */
export async function toJpeg(
  canvas: Canvas,
  picture: Uint8Array<ArrayBuffer>,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const type = typeOf(picture);
  if (type?.kind !== "image" || !MIMES.includes(type.mime)) return null;
  // Before it is decoded: a few bytes can announce a picture that no memory holds.
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
/** What the picture is called in the tree. */
const SOURCE = "picture";
