import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { readFormBody } from "../http/text-input.ts";
import type { Fields } from "./definition.ts";

interface ReadForm {
  /** Texts by field. */
  readonly fields: Fields;
  /** The first file that is not empty. */
  readonly file: File | null;
}

/** A body of another type counts as a form without fields. Errors: a 422 for texts that are not UTF-8. */
export async function readForm(c: Context<AppEnv>): Promise<ReadForm> {
  const form = await readFormBody(c);
  const fields = new Map<string, string[]>();
  let file: File | null = null;
  for (const [name, value] of form) {
    if (typeof value === "string") {
      const values = fields.get(name);
      if (values) values.push(value);
      else fields.set(name, [value]);
    } else if (value.size > 0) file ??= value;
  }
  return { fields: Object.fromEntries(fields), file };
}
