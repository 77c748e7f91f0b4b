import type { z } from "zod";
import { shapeOf } from "../http/shape.ts";
import { invalidRequest } from "../http/validation.ts";

/**
 * The body of an operation of the API, made of a form and checked by the operation's own schema. A problem is
 * the same 422 with the same sentences; the fields of the form have the names of the API.
 */
export function apiBody<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  throw invalidRequest(read.error, input, shapeOf(schema));
}

/** Null for an empty field, which the API takes as absent. */
export const orNull = (text: string): string | null => (text === "" ? null : text);

/** The number that a field holds; the text itself if it holds none, which the schema then refuses. */
export const numberIn = (text: string): number | string =>
  /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
