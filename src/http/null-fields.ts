import type { Shape } from "./shape.ts";

/**
 * Removes optional fields that are null: generated clients send null for a field that is not set. Null stays
 * where it has its own meaning: in updates, it clears a field.
 */
export function withoutNulls(shape: Shape, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  switch (shape.kind) {
    case "object": {
      if (Array.isArray(value)) return value;
      const { fields, absentAsNull } = shape;
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
          if (part === null && absentAsNull.has(name)) return [];
          const field = fields.get(name);
          return [[name, field ? withoutNulls(field, part) : part]];
        }),
      );
    }
    case "array":
      return Array.isArray(value) ? value.map((item) => withoutNulls(shape.item, item)) : value;
    case "record":
      if (Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutNulls(shape.value, part)]));
    case "union":
      return shape.options.reduce((changed, option) => withoutNulls(option, changed), value as unknown);
    case "value":
      return value;
  }
}
