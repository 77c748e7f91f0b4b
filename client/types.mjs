// Writes src/openapi.ts, the types of this client, from ../docs/openapi.json: `prepare` runs it before the
// compiler, and the repository's checks and tests do (scripts/support/sources.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ responses: Record<string, unknown>, "x-idempotent"?: boolean }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>> }} Document
 */

/**
 * The text of src/openapi.ts. Without examples, and without responses other than 200: the client throws them.
 * Also the operations that support `Idempotency-Key`.
 * @template Tree
 * @param {string} text of docs/openapi.json
 * @param {{ default: (document: Document) => Promise<Tree>, astToString: (tree: Tree) => string }} generator
 *   the module `openapi-typescript`
 */
export async function typesText(text, { default: generate, astToString }) {
  /** @type {Document} */
  const document = JSON.parse(text, (key, value) => (isExample(key, value) ? undefined : value));
  /** @type {string[]} */
  const idempotent = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      operation.responses = { 200: operation.responses["200"] };
      if (operation["x-idempotent"] === true) idempotent.push(path);
    }
  }
  return `// Made from docs/openapi.json by types.mjs.
${astToString(await generate(document))}
/** The operations that support \`Idempotency-Key\`. */
export const IDEMPOTENT_PATHS: readonly string[] = ${JSON.stringify(idempotent, null, 2)};
`;
}

/**
 * A property can also be called "example": then its value is a schema.
 * @param {string} key
 * @param {unknown} value
 */
function isExample(key, value) {
  return key === "example" && !(typeof value === "object" && value !== null && ("type" in value || "$ref" in value));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const document = readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8");
  // By a variable, because the repository's own compiler does not find this package.
  const generator = "openapi-typescript";
  writeFileSync(new URL("src/openapi.ts", import.meta.url), await typesText(document, await import(generator)));
}
