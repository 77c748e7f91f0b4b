import { z } from "@hono/zod-openapi";
import { toDecimal } from "../platforms/pricing.ts";
import type { UsageLine } from "./store.ts";

export const UsageQuery = z.object({
  month: z
    .string()
    .regex(/^2\d{3}-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11")
    .optional()
    .openapi({
      description: "A calendar month, UTC; default: the current one. Kept for 24 months.",
      example: "2026-11",
    }),
});

const counted = (description: string) => z.int().openapi({ description });

export const UsageLineView = z
  .object({
    service: z.string().openapi({
      description: "The `channel_type`, `models`, or `pictures`: copies of pictures that fit a platform.",
      example: "twitter",
    }),
    operation: z.string().openapi({
      description:
        "A line of `prices` of `/social/get-platforms`, or what was done where calls are free; `read` counts reads that cost nothing.",
      example: "post_create",
    }),
    calls: counted("Calls that were made, or may have been made if their answer was lost."),
    units: counted("What the price is for: requests, objects that were read, texts, images, seconds of video."),
    bytes: counted("Bytes of the media files that were published."),
    input_tokens: counted("Of models, where the server reports them."),
    output_tokens: counted("Of models, where the server reports them."),
    amount: z.number().openapi({
      description:
        "What the platform charged, models by the operator's prices, or Cloudflare for copies of pictures at its list price, in US dollars, exact.",
      example: 1.5,
    }),
  })
  .openapi("UsageLine");

export const EXAMPLE_LINE = {
  service: "twitter",
  operation: "post_create",
  calls: 100,
  units: 100,
  bytes: 18_423_300,
  input_tokens: 0,
  output_tokens: 0,
  amount: 1.5,
};

export function toLineView({ service, operation, calls, units, bytes, ...line }: UsageLine) {
  const { inputTokens: input_tokens, outputTokens: output_tokens, micros } = line;
  return { service, operation, calls, units, bytes, input_tokens, output_tokens, amount: toDecimal(micros) };
}

export const ModelCallsView = z
  .object({
    today: counted("Calls of models today (UTC), trials apart."),
    most: counted("The most of a day; further calls are not made."),
    most_of_automation: counted("The most of a day for one comment automation, which then answers with its own texts."),
    trials_today: counted("Calls for `test-comment-automation` today."),
    most_trials: counted("The most of a day."),
  })
  .openapi("ModelCalls");

export const IntakeView = z
  .object({
    comments_today: counted("Comments of other people that were stored today (UTC)."),
    most_comments: counted("The most of a day; further ones are read on the next day."),
    messages_today: counted("Direct messages that were read today (UTC)."),
    most_messages: counted("The most of a day; further ones are read on the next day."),
  })
  .openapi("Intake");

export const AmountView = z.object({ amount: z.number(), currency: z.literal("USD") });

export function toAmountView(micros: number): z.output<typeof AmountView> {
  return { amount: toDecimal(micros), currency: "USD" };
}
