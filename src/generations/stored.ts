import { z } from "zod";

/**
 * What a generation has made, as its row holds it: files of ours (files/), in the order in which they are
 * posted.
 */
export const StoredFiles = z.array(z.object({ name: z.string(), mime: z.string() })).readonly();
export type StoredFiles = z.output<typeof StoredFiles>;
