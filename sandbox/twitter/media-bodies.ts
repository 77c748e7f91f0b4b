import { z } from "zod";
import { readParts } from "../multipart";
import { id, invalid, readJson, type TwitterContext } from "./api";

export const MEDIA_TYPES = [
  "video/mp4",
  "video/webm",
  "video/mp2t",
  "video/quicktime",
  "text/srt",
  "text/vtt",
  "image/jpeg",
  "image/pjpeg",
  "image/gif",
  "image/bmp",
  "image/png",
  "image/webp",
  "image/tiff",
  "model/gltf-binary",
  "model/vnd.usdz+zip",
] as const;
const segmentIndex = z
  .union([
    z.number().int(),
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(999));
export async function readOneShot(c: TwitterContext): Promise<{ bytes: Uint8Array; category: string }> {
  const Category = z.enum(["tweet_image", "dm_image", "subtitles"]);
  if ((c.req.header("content-type") ?? "").includes("application/json")) {
    const Body = z.strictObject({
      media: z.base64(),
      media_category: Category,
      media_type: z.enum(MEDIA_TYPES).optional(),
      shared: z.boolean().optional(),
      additional_owners: z.array(id).optional(),
    });
    const input = await readJson(c, Body);
    return { bytes: fromBase64(input.media), category: input.media_category };
  }
  const form = await readMultipart(c, ["media", "media_category", "media_type", "shared", "additional_owners"]);
  const category = Category.safeParse(form.text("media_category"));
  if (!category.success)
    throw invalid("The media_category must be one of tweet_image, dm_image, subtitles", "media_category");
  return { bytes: form.media, category: category.data };
}

export async function readSegment(c: TwitterContext): Promise<{ bytes: Uint8Array; index: number }> {
  if ((c.req.header("content-type") ?? "").includes("application/json")) {
    const input = await readJson(c, z.strictObject({ media: z.base64(), segment_index: segmentIndex }));
    return { bytes: fromBase64(input.media), index: input.segment_index };
  }
  const form = await readMultipart(c, ["media", "segment_index"]);
  const index = segmentIndex.safeParse(form.text("segment_index"));
  if (!index.success) throw invalid("The segment_index must be a number from 0 to 999", "segment_index");
  return { bytes: form.media, index: index.data };
}

interface Form {
  /** The bytes of the file; a part without a file name is accepted too. */
  media: Uint8Array;
  text(name: string): string | undefined;
}

async function readMultipart(c: TwitterContext, known: string[]): Promise<Form> {
  if (!(c.req.header("content-type") ?? "").includes("multipart/form-data")) {
    throw invalid("The request body must be multipart/form-data or application/json");
  }
  const parts = await readParts(c.req.raw);
  if (!parts) throw invalid("The multipart body could not be read");
  for (const { name } of parts) if (!known.includes(name)) throw invalid(`The part ${name} is not known`, name);
  const bytesOf = (wanted: string) => parts.find(({ name }) => name === wanted)?.bytes;
  const media = bytesOf("media");
  if (!media) throw invalid("The part media is missing", "media");
  return {
    media,
    text(name) {
      const bytes = bytesOf(name);
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
