import { markPicture } from "../media/picture-mark.ts";
import type { SourceMark } from "../media/xmp-packet.ts";

/** The mark of a file that these models made; null for a model that is not configured any more. */
export function madeBy(...models: readonly (string | null)[]): SourceMark {
  return { type: "trainedAlgorithmicMedia", models: models.filter((model) => model !== null) };
}

/** The mark of banners: our templates draw them, and no model's picture is in them. */
export const DRAWN: SourceMark = { type: "algorithmicMedia", models: [] };

/** Marks a picture that our own code has encoded. */
export function markOwnPicture(picture: Uint8Array, mark: SourceMark): Uint8Array<ArrayBuffer> {
  const marked = markPicture(picture, mark);
  if (marked === null) throw new Error("A picture of the banner engine could not be marked.");
  return marked;
}
