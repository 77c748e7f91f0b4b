import { createMiddleware } from "hono/factory";
import { z } from "zod";

/** The values of a field, in order; files are not accepted. */
export const sent = z
  .unknown()
  .optional()
  .transform((value) => [value].flat().filter((each) => typeof each === "string"));

/** A body of another type counts as a form without fields; the validator would refuse it. */
export const takeAnyBody = createMiddleware(async (c, next) => {
  try {
    await c.req.formData();
  } catch {
    c.req.bodyCache.formData = new FormData();
  }
  await next();
});
