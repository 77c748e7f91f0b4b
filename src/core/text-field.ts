import { z } from "@hono/zod-openapi";
import { hasMarkPile, MAX_MARKS } from "./text.ts";

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
