import { z } from "zod";

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

const CONTROLS = /\p{Cc}/u;

/** A short text in one line, which the form requires. */
export const line = (max: number) =>
  field(
    z
      .string()
      .min(1, "Fill in this field.")
      .max(max, `Use at most ${max} characters.`)
      .refine((text) => !CONTROLS.test(text), "Use one line of text."),
  );

/** An e-mail address, in lower case. */
export const email = field(
  z
    .email("Enter an e-mail address, for example you@example.com.")
    .max(254, "This e-mail address is too long.")
    .transform((address) => address.toLowerCase()),
);

/** The id of a row in a path or field; 0 for everything else, which no row has. */
export function idIn(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

/** A form with a button and no fields. */
export const NoFields = z.object({});

/** An address of the console; the start page for everything else. */
export function localPath(text: string | undefined): string {
  return text !== undefined && text.length <= 300 && /^\/console(\/[\w-]+)*$/.test(text) ? text : "/console";
}
