import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import { run } from "./processes.ts";

const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) }))),
});

/** A package of its own, because it needs an older TypeScript than we do. */
const GENERATOR = join(ROOT, "test", "document", "node_modules", "openapi-typescript", "bin", "cli.js");

/**
 * The types of the client package, from docs/openapi.json. Without examples, and without responses other than
 * 200: the client throws them. Also the operations that support `Idempotency-Key`.
 */
export async function clientTypes(): Promise<string> {
  const document = Document.parse(JSON.parse(readFileSync(join(ROOT, "docs", "openapi.json"), "utf8")));
  const idempotent: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      operation.responses = { 200: operation.responses["200"] };
      if (operation["x-idempotent"] === true) idempotent.push(path);
    }
  }
  const folder = join(ROOT, "dist", "client");
  mkdirSync(folder, { recursive: true });
  const [input, output] = [join(folder, "openapi.json"), join(folder, "openapi.ts")];
  writeFileSync(
    input,
    JSON.stringify(document, (key, value: unknown) => (isExample(key, value) ? undefined : value)),
  );
  const { code, output: printed } = await run(process.execPath, [GENERATOR, input, "--output", output]);
  if (code !== 0) throw new Error(`The types of the client could not be generated.\n${printed}`);
  const types = readFileSync(output, "utf8");
  return `${types}
/** The operations that support \`Idempotency-Key\`. */
export const IDEMPOTENT_PATHS: readonly string[] = ${JSON.stringify(idempotent, null, 2)};
`;
}

/** A property can also be called "example": then its value is a schema. */
function isExample(key: string, value: unknown): boolean {
  return key === "example" && !(typeof value === "object" && value !== null && ("type" in value || "$ref" in value));
}
