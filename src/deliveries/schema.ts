import { z } from "@hono/zod-openapi";
import { answerSentence } from "../core/answer-problems.ts";
import { isoUtc } from "../core/time.ts";
import type { Delivery } from "./table.ts";

/** One attempt of a delivery, as the API returns it. */
export const AttemptView = z.object({
  at: z.string(),
  duration_ms: z.int(),
  status_code: z.int().nullable().openapi({ description: "Null if there was no answer." }),
  response_body: z.string().nullable().openapi({ description: "The first KiB; null if there was no answer." }),
  error: z.string().nullable().openapi({ description: "Why the attempt failed; null if it was delivered." }),
});

export function toAttemptView({
  at,
  ms,
  status,
  answer,
  problem,
}: Delivery["tries"][number]): z.input<typeof AttemptView> {
  const error = problem && answerSentence(problem);
  return { at: isoUtc(at), duration_ms: ms, status_code: status, response_body: answer, error };
}
