import { cpSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import { inject, test } from "vitest";
import { ROOT } from "../../scripts/support/paths.ts";
import { runTool } from "../../scripts/support/tools.ts";
import { Folder } from "./folder.ts";

/**
 * Clients that generators make of the served document compile under strict settings, and refuse what the
 * service refuses: in uses/ each client is used, with the same bodies, and what must not compile is under
 * `@ts-expect-error`.
 */
const served = new Folder("served").write("openapi.json", inject("document"));

const STRICT = {
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.Iterable"],
    types: [],
    module: "ESNext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  },
  include: ["**/*.ts"],
};

/** Compiles what is in the folder, with the use of that client. */
async function compile(folder: Folder, use: string): Promise<string> {
  const uses = join(ROOT, "test", "document", "uses");
  cpSync(join(uses, use), folder.at("use.ts"));
  cpSync(join(uses, "bodies.ts"), folder.at("bodies.ts"));
  folder.write("tsconfig.json", JSON.stringify(STRICT));
  return (await runTool("tsc", ["--project", folder.path])).output;
}

test("openapi-typescript, with openapi-fetch", async ({ expect }) => {
  const folder = new Folder("openapi-typescript");
  folder.write("client.ts", astToString(await openapiTypescript(inject("document"))));
  expect(await compile(folder, "openapi-fetch.ts")).toBe("");
});

test("@hey-api/openapi-ts", async ({ expect }) => {
  const folder = new Folder("hey-api");
  await createClient({ input: served, output: folder.at("client"), logs: { level: "silent", file: false } });
  expect(await compile(folder, "hey-api.ts")).toBe("");
});

test("orval", async ({ expect }) => {
  const folder = new Folder("orval");
  await generate({ input: { target: served }, output: { target: folder.at("client.ts"), client: "fetch" } }, ROOT, {
    logLevel: "error",
  });
  expect(await compile(folder, "orval.ts")).toBe("");
});
