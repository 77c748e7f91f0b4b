import { z } from "zod";
import { type Texts, textsIn } from "../pages/texts.ts";

/** Pieces of the schemas of forms: every field arrives as a list of texts. */

/** The first value of a field, without spaces around it; empty if it is absent. */
export const field = <Next extends z.ZodType<unknown, string>>(schema: Next) =>
  z
    .array(z.string())
    .default([])
    .transform(([first = ""]) => first.trim())
    .pipe(schema);

/** All values of a field. */
export const fields = <Next extends z.ZodType<unknown, string[]>>(schema: Next) =>
  z.array(z.string()).default([]).pipe(schema);

/** The schemas say in English what is wrong, as the API's do; the page translates it (checkText). */
export const { checks } = textsIn("en").form;

const CONTROLS = /\p{Cc}/u;

/** A short text in one line, which the form requires. */
export const line = (max: number) =>
  field(
    z
      .string()
      .min(1, checks.required)
      .max(max, checks.tooLong({ max: String(max) }))
      .refine((text) => !CONTROLS.test(text), checks.oneLine),
  );

/** An e-mail address, in lower case. */
export const email = field(
  z
    .email(checks.email)
    .max(254, checks.longEmail)
    .transform((address) => address.toLowerCase()),
);

/** What these schemas say is wrong, in the language of the page; null for other sentences. */
export function checkText({ form }: Texts, message: string): string | null {
  const name = (["required", "oneLine", "email", "longEmail"] as const).find((one) => checks[one] === message);
  if (name) return form.checks[name];
  const max = /\d+/.exec(message)?.[0] ?? "";
  return checks.tooLong({ max }) === message ? form.checks.tooLong({ max }) : null;
}

/** The id of a row in a path or field; 0 for everything else, which no row has. */
export function idIn(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

/** A form with a button and no fields. */
export const NoFields = z.object({});

/** Holds the longest request of an app (access/sealed-request.ts). */
const MAX_PATH = 6_000;

/** An address of the console; the start page for everything else. */
export function localPath(text: string | undefined): string {
  return text !== undefined && text.length <= MAX_PATH && /^\/console(\/[\w-]+(\.[\w-]+)*)*$/.test(text)
    ? text
    : "/console";
}
