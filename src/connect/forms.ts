import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { sent, takeAnyBody } from "../pages/forms.ts";

/**
 * The fields of all forms of choose-platforms.tsx, account-views.tsx and sign-in-pages.tsx; absent: empty.
 */
const FormFields = z.object({ form: sent, platform: sent, account: sent, without: sent, answer: sent });
export type FormFields = z.output<typeof FormFields>;

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
  iss: first,
  error: first,
  error_description: first,
  error_code: first,
  error_message: first,
});
export type CallbackQuery = z.output<typeof CallbackQuery>;

/** Puts it into `c.req.valid("query")`; refuses nothing. */
export const readCallback = zValidator("query", CallbackQuery);
