import type { HttpRequest, Value } from "./n8n.ts";
import type { Operation } from "./operation.ts";

/** The request of an operation with these values by field. Values that are absent or empty are left out. */
export function requestOf(
  { method, path, fields }: Operation,
  base: string,
  values: Readonly<Record<string, Value>>,
): HttpRequest {
  const given = (place: string) =>
    Object.fromEntries(
      fields
        .filter((field) => field.in === place)
        .map(({ name, type }) => [name, type === "json" ? parsed(name, values[name]) : values[name]] as const)
        .filter(([, value]) => value !== undefined && value !== ""),
    );
  const inPath = given("path");
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(inPath[name] ?? "")));
  const hasBody = fields.some((field) => field.in === "body");
  return {
    method,
    url: `${base.replace(/\/+$/, "")}/api/v1${filled}`,
    qs: given("query"),
    ...(hasBody ? { body: given("body") } : {}),
    json: true,
  };
}

function parsed(name: string, value: Value): Value {
  if (typeof value !== "string" || value.trim() === "") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${name} is not valid JSON.`);
  }
}
