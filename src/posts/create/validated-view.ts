import { z } from "@hono/zod-openapi";
import { CostView } from "../content/cost-view.ts";
import type { Validated } from "./validate.ts";

/** What validate-post shows of a post that can be published. */
export const VALIDATED_VIEW = {
  items: z.array(
    z.object({
      text: z.string(),
      media: z.array(
        z.object({
          url: z.string(),
          kind: z.enum(["image", "gif", "video"]),
          mime: z.string(),
          bytes: z.number(),
          width: z.number().nullable(),
          height: z.number().nullable(),
          duration_seconds: z.number().nullable(),
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
      media: [
        {
          url: "https://cdn.example.com/frame.jpg",
          kind: "image" as const,
          mime: "image/jpeg",
          bytes: 184233,
          width: 1080,
          height: 1080,
          duration_seconds: null,
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

export function toValidatedView({ items, firstComment: first_comment, cost }: Validated) {
  const shown = items.map(({ text, media }) => ({
    text,
    media: media.map(({ durationSeconds, altText, publicUrl: _, encoding: __, ...file }) => ({
      ...file,
      duration_seconds: durationSeconds,
      alt_text: altText,
    })),
  }));
  return { items: shown, first_comment, cost };
}
