import { z } from "@hono/zod-openapi";
import { MEDIA_KINDS } from "../../platforms/media-kinds.ts";
import { CostView } from "../content/cost-view.ts";
import type { Validated } from "./validate.ts";

/** What validate-post shows of a post that can be published. */
const FittedView = z
  .object({
    url: z.string().openapi({ description: "The file of the post, one of `media`, or with the first item the cover." }),
    mime: z.string(),
    width: z.number(),
    height: z.number(),
    max_bytes: z.number().openapi({ description: "The copy has fewer bytes; if needed, it is made smaller." }),
    description: z.string().openapi({ example: "a JPEG of 1440 × 1080" }),
  })
  .openapi("FittedFile");

export const VALIDATED_VIEW = {
  items: z.array(
    z.object({
      text: z.string(),
      fitted: z.array(FittedView).openapi({
        description:
          "The files that the platform does not take as they are. When the post is published, it gets these copies of them; `options.fit` `strict` refuses them instead.",
      }),
      media: z.array(
        z.object({
          url: z.string(),
          kind: z.enum(MEDIA_KINDS),
          mime: z.string(),
          bytes: z.number(),
          width: z.number().nullable(),
          height: z.number().nullable(),
          duration_seconds: z.number().nullable(),
          pages: z.number().nullable().openapi({ description: "Of a document; null if they could not be counted." }),
          alt_text: z.string().nullable(),
        }),
      ),
    }),
  ),
  first_comment: z.string().nullable().openapi({
    description: "The first comment. Null if there is none, or if the platform does not support it.",
  }),
  cost: CostView.openapi({
    description: "What the platform charges for publishing the post if each call is made once. Look-ups are extra.",
  }),
};

export const VALIDATED_EXAMPLE = {
  items: [
    {
      text: "The new frames are in.",
      fitted: [],
      media: [
        {
          url: "https://cdn.example.com/frame.jpg",
          kind: "image" as const,
          mime: "image/jpeg",
          bytes: 184233,
          width: 1080,
          height: 1080,
          duration_seconds: null,
          pages: null,
          alt_text: "A bicycle frame on a workbench",
        },
      ],
    },
  ],
  first_comment: null,
  cost: {
    amount: 0.02,
    currency: "USD" as const,
    reasons: [
      { operation: "post_create", title: "a post", count: 1, amount: 0.015 },
      { operation: "media_metadata", title: "an alt text", count: 1, amount: 0.005 },
    ],
  },
};

export function toValidatedView({ items, fitted, firstComment: first_comment, cost }: Validated) {
  const shown = items.map(({ text, media }, index) => ({
    text,
    fitted: (fitted[index] ?? []).map(({ maxBytes: max_bytes, ...copy }) => ({ ...copy, max_bytes })),
    media: media.map(({ url, kind, mime, bytes, width, height, durationSeconds, altText, pages = null }) => ({
      url,
      kind,
      mime,
      bytes,
      width,
      height,
      duration_seconds: durationSeconds,
      pages,
      alt_text: altText,
    })),
  }));
  return { items: shown, first_comment, cost };
}
