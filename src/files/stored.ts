import { z } from "zod";

/** The properties of a stored file, detected from its bytes (media/probe.ts). */
export const StoredMedia = z.object({
  kind: z.enum(["image", "gif", "video"]),
  mime: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  durationSeconds: z.number().nullable(),
});
export type StoredMedia = z.output<typeof StoredMedia>;
