import { z } from "@hono/zod-openapi";
import { hasMarkPile, isBlank, MAX_MARKS } from "./text.ts";

/** A text of at most `max` characters that is cheap to check. */
export function text(max: number) {
  return z
    .string()
    .max(max, { abort: true })
    .refine((value) => !hasMarkPile(value), {
      abort: true,
      message: `must not have more than ${MAX_MARKS} combining marks in a row.`,
    });
}

/** The same, empty or with something that is seen. */
export function optionalText(max: number) {
  return text(max).refine((value) => value === "" || !isBlank(value), "must not be blank.");
}

/** The same, and something of it is seen. Empty texts have a sentence of their own. */
export function filledText(max: number) {
  return text(max)
    .min(1, { abort: true })
    .refine((value) => !isBlank(value), "must not be blank.");
}
