import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import type { Fields } from "./definition.ts";

/** Texts by field, and the first file that is not empty. */
export async function readForm(c: Context<AppEnv>): Promise<{ readonly fields: Fields; readonly file: File | null }> {
  const form = await c.req.formData().catch(() => new FormData());
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
