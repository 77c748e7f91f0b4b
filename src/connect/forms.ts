import { zValidator } from "@hono/zod-validator";
import { createMiddleware } from "hono/factory";
import { z } from "zod";

/** The values of a field, in order; files are not accepted. */
const sent = z
  .unknown()
  .optional()
  .transform((value) => [value].flat().filter((each) => typeof each === "string"));

/** The fields of all forms in choose-platforms.tsx and views.tsx; absent ones are empty. */
const FormFields = z.object({ form: sent, platform: sent, account: sent, without: sent });
export type FormFields = z.output<typeof FormFields>;

/** A body of another type counts as a form without fields; the validator would refuse it. */
const takeAnyBody = createMiddleware(async (c, next) => {
  try {
    await c.req.formData();
  } catch {
    c.req.bodyCache.formData = new FormData();
  }
  await next();
});

/** Puts the fields into `c.req.valid("form")`; refuses nothing. */
export const readForm = [takeAnyBody, zValidator("form", FormFields)] as const;

/** The first value of a repeated parameter. */
const first = z.union([z.string(), z.array(z.string()).transform(([one]) => one)]).optional();

/**
 * The query of a platform's callback. Facebook has a second form for errors: error_code and error_message. A
 * login may have another name for the code (`OAuth.codeParameter`).
 */
const CallbackQuery = z.object({
  state: first,
  code: first,
  auth_code: first,
  error: first,
  error_description: first,
  error_code: first,
  error_message: first,
});
export type CallbackQuery = z.output<typeof CallbackQuery>;

/** Puts it into `c.req.valid("query")`; refuses nothing. */
export const readCallback = zValidator("query", CallbackQuery);
