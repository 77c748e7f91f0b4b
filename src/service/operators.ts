import { z } from "zod";

/** The setting `OPERATORS`: e-mail addresses, separated by commas; in lower case. */
export const Operators = z
  .string()
  .transform((text) => text.split(",").flatMap((address) => address.trim().toLowerCase() || []))
  .pipe(z.array(z.email("it must be e-mail addresses, separated by commas")))
  .default([]);
