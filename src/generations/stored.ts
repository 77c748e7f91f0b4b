import { z } from "zod";

/** The files of a generation as its row stores them, in the order in which they are posted. */
export const StoredFiles = z
  .array(
    z.object({
      name: z.string(),
      mime: z.string(),
      /** What a picture shows, for people who cannot see it; absent for videos. */
      altText: z.string().optional(),
    }),
  )
  .readonly();
export type StoredFiles = z.output<typeof StoredFiles>;
