import { z } from "zod";
import type { Failure, Json } from "../context.ts";
import { rejected } from "../outcomes.ts";
import type { Content, ContentItem } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { ChunkUpload } from "./chunks.ts";
import { VideoUpload } from "./video.ts";

/** What is uploaded for a post on a Page, and what is stored of it between calls. */

export const Progress = z.object({
  /** Unpublished photos, in the order of the media. */
  photos: z.array(z.string()),
  /** How often Facebook could not fetch the next photo. */
  unreachable: z.number().exactOptional(),
  /** Uploaded by URL (reels, stories) or in chunks (feed). */
  video: z.union([VideoUpload, ChunkUpload]).nullable(),
});
export type Progress = z.output<typeof Progress>;
export type Uploaded = NonNullable<Progress["video"]>;

export function progressOf(stored: Json | null): Progress {
  const parsed = Progress.safeParse(stored);
  return parsed.success ? parsed.data : { photos: [], video: null };
}

type Form = Readonly<Record<string, string>>;
export type VideoEdge = "videos" | "video_reels" | "video_stories";
export type Shape =
  | { readonly kind: "feed"; readonly item: ContentItem; readonly place: Form }
  | {
      readonly kind: "video";
      readonly edge: VideoEdge;
      readonly text: string;
      readonly file: Media;
      /** What `finish` sends beside text and file. */
      readonly options: Form;
    }
  | { readonly kind: "photo_story"; readonly file: Media };

export function shapeOf(content: Content): Shape | Failure {
  const [item] = content.items;
  if (!item) return rejected("There is nothing to post.", "content_invalid");
  const [file] = item.media;
  const { title, location_id } = content.options;
  const titled: Form = title === undefined ? {} : { title };
  const place: Form = location_id === undefined ? {} : { place: location_id };
  if (content.type === "post" || content.type === "tweet" || content.type === "thread") {
    return file?.kind === "video"
      ? { kind: "video", edge: "videos", text: item.text, file, options: titled }
      : { kind: "feed", item, place };
  }
  if (!file) return rejected(`A Facebook ${content.type} needs a media file.`, "content_invalid");
  if (content.type === "reel")
    return { kind: "video", edge: "video_reels", text: item.text, file, options: { ...titled, ...place } };
  return file.kind === "video"
    ? { kind: "video", edge: "video_stories", text: "", file, options: {} }
    : { kind: "photo_story", file };
}
