/**
 * The document's schemas for a validator that takes an `id` anywhere for the address of a schema, be it in an
 * example.
 */
export function withoutExamples<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas, (key, value: unknown) => (key === "example" ? undefined : value)));
}
