import type { Context } from "hono";
import { SECOND } from "../core/time.ts";
import { PART_BYTES } from "../files/parts.ts";
import type { AppEnv } from "../http/environment.ts";

/** The memory of forms: their sizes, and the room that those with files share. */

export const MAX_FORM_BYTES = 256 * 1024;
/** A part of an upload, with the fields of its form. */
export const MAX_FILE_FORM_BYTES = PART_BYTES + MAX_FORM_BYTES;

const WAIT_MS = 10 * SECOND;

/**
 * Reads and runs a form with a file once the isolate has room for it (`deps.forms`, which the API's forms
 * use as well); null if it has none in time. A form without a stated length takes the room of the largest.
 */
export async function withFormRoom<T>(c: Context<AppEnv>, run: () => Promise<T>): Promise<T | null> {
  const { forms } = c.var.deps;
  const stated = Number(c.req.header("Content-Length") ?? Number.NaN);
  const bytes =
    Number.isSafeInteger(stated) && stated >= 0 ? Math.min(stated, MAX_FILE_FORM_BYTES) : MAX_FILE_FORM_BYTES;
  if (!(await forms.take(bytes, WAIT_MS))) return null;
  try {
    return await run();
  } finally {
    forms.give(bytes);
  }
}
