import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { installFolder } from "../../scripts/support/install-folder.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import type { Served } from "./client-package.ts";
import { runToEnd } from "./command.ts";

/** The official inspector of MCP servers, in a folder of its own: it brings a hundred packages. */
const FOLDER = join(ROOT, "test", "inspector");
const INSPECTOR = join(FOLDER, "node_modules", "@modelcontextprotocol", "inspector", "clients/launcher/build/index.js");

const Tools = z.object({ tools: z.array(z.object({ name: z.string() })) });
const Printed = z.object({ result: z.unknown() });
const Called = z.object({ isError: z.boolean().default(false), content: z.array(z.object({ text: z.string() })) });

/** Lists and calls tools as the inspector does, in both versions of the protocol. */
export async function checkInspector(served: Served): Promise<void> {
  await installFolder(FOLDER);
  for (const era of ["modern", "legacy"]) {
    const inspect = (...args: readonly string[]) => ask(served, "--protocol-era", era, ...args);
    // Strict: a schema that some model would not take ends it with another code.
    const { tools } = Tools.parse(await inspect("--method", "tools/list", "--strict"));
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["list_channels", "publish_post", "explain"]));
    const call = ["--method", "tools/call", "--tool-name"];
    const listed = Called.parse(await inspect(...call, "list_channels"));
    expect(listed).toMatchObject({ isError: false, content: [{ text: expect.stringContaining("facebook") }] });
  }
}

async function ask({ url, token }: Served, ...args: readonly string[]): Promise<unknown> {
  const target = [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const options = ["--cli", ...target, ...args, "--format", "json", "--quiet"];
  const { code, stdout, stderr } = await runToEnd(process.execPath, [INSPECTOR, ...options], {});
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return Printed.parse(JSON.parse(stdout)).result;
}
