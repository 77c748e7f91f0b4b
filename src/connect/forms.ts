import { zValidator } from "@hono/zod-validator";
import { createMiddleware } from "hono/factory";
import { z } from "zod";

/** How often and with what a field was sent, in order; files are no fields of ours. */
const sent = z
  .unknown()
  .optional()
  .transform((value) => [value].flat().filter((each) => typeof each === "string"));

/** The fields of all forms in choose-platforms.tsx and views.tsx: what a form does not have is empty. */
const FormFields = z.object({ form: sent, platform: sent, account: sent, without: sent });
export type FormFields = z.output<typeof FormFields>;

/** A body that is no form at all is like one without fields: the validator would end the request instead. */
const takeAnyBody = createMiddleware(async (c, next) => {
  try {
    await c.req.formData();
  } catch {
    c.req.bodyCache.formData = new FormData();
  }
  await next();
});

/** Puts what was sent into `c.req.valid("form")`; refuses nothing. */
export const readForm = [takeAnyBody, zValidator("form", FormFields)] as const;

/** Of a parameter that is repeated, the first counts. */
const first = z.union([z.string(), z.array(z.string()).transform(([one]) => one)]).optional();

/**
 * What a platform sends a browser back with. Facebook has a second form for errors: error_code and
 * error_message; a login may have another name for the code (`OAuth.codeParameter`).
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
