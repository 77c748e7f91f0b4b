import { z } from "zod";

/** What a stored file is, as its bytes say (media/probe.ts). */
export const StoredMedia = z.object({
  kind: z.enum(["image", "gif", "video"]),
  mime: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  durationSeconds: z.number().nullable(),
});
export type StoredMedia = z.output<typeof StoredMedia>;
