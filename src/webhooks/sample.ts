import { z } from "@hono/zod-openapi";
import { LEAVING, type LeavingName } from "./catalog.ts";

/**
 * The data of a message of this type as it is documented, with every optional field and invented values, for
 * a receiver to be tried with. Its `message` says that it is a test.
 */
export function sampleData(type: LeavingName): Readonly<Record<string, unknown>> {
  const { idKey, detail } = LEAVING[type];
  const fields = sampleOf(detail, "");
  return { [idKey]: idKey === "month" ? 203003 : 42, message: "This is a test.", ...(isFields(fields) ? fields : {}) };
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const IS_TIME = /(?:^|_)(?:at|until|time|since)$/;
const IS_ADDRESS = /(?:^|_)(?:url|permalink)$/;

function sampleOf(schema: z.core.$ZodType, name: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return sampleOf(schema.def.innerType, name);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries<z.core.$ZodType>(schema.shape).map(([key, inner]) => [key, sampleOf(inner, key)]),
    );
  if (schema instanceof z.ZodArray) return [sampleOf(schema.def.element, name)];
  if (schema instanceof z.ZodRecord) return { sample: sampleOf(schema.def.valueType, name) };
  if (schema instanceof z.ZodUnion) return sampleOf(schema.def.options[0] ?? z.null(), name);
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.def.values[0];
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodString)
    return IS_TIME.test(name)
      ? "2030-03-05T10:00:00.000+00:00"
      : IS_ADDRESS.test(name)
        ? "https://example.com/"
        : "sample";
  return null;
}
