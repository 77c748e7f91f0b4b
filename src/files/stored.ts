import { z } from "zod";
import { MEDIA_KINDS } from "../platforms/media-kinds.ts";

/** The properties of a stored file, detected from its bytes (media/probe.ts). */
export const StoredMedia = z.object({
  kind: z.enum(MEDIA_KINDS),
  mime: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  durationSeconds: z.number().nullable(),
  /** Of a document; null if they could not be counted, and for other files. */
  pages: z.number().nullable().optional(),
});
/** How the media library describes a file. */
export const LibraryEntry = z.object({
  title: z.string(),
  /** What it shows, for people who cannot see it. */
  altText: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
});
export type LibraryEntry = z.output<typeof LibraryEntry>;

export type StoredMedia = z.output<typeof StoredMedia>;
