// The files of a post, from its stored content.

import { z } from "zod";

const Shown = z.object({ id: z.string(), altText: z.string().nullable().default(null), title: z.string().optional() });
const Content = z.object({
  media: Shown.optional(),
  multiImage: z.object({ images: z.array(Shown) }).optional(),
});

export function shownMedia(content: unknown): z.infer<typeof Shown>[] {
  const { media, multiImage } = Content.parse(content);
  return [...(media ? [media] : []), ...(multiImage?.images ?? [])];
}
