import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import { run } from "./processes.ts";

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** Imports the commands one after the other. With --help each prints its text and does nothing else. */
const PRINT_ALL = `for (const file of process.argv.slice(1, -1)) {
  await import(file);
  process.stdout.write("\\0");
}`;

/** The files of the commands, as package.json names them. */
export function commandFiles(): readonly string[] {
  const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  return Object.values(scripts).flatMap((script) => /run\.mjs (\S+)$/.exec(script)?.[1] ?? []);
}

/**
 * What --help prints, by the file of the command: scripts/run.mjs prints it before any package is installed,
 * and finds the options of all commands in it.
 */
export async function usagesText(): Promise<string> {
  const files = commandFiles();
  const paths = files.map((file) => join(ROOT, file));
  const { code, output } = await run(process.execPath, ["--input-type=module", "-e", PRINT_ALL, ...paths, "--help"]);
  const texts = output.split("\0");
  if (code !== 0 || texts.length !== files.length + 1) throw new Error(output);
  return `${JSON.stringify(Object.fromEntries(files.map((file, at) => [file, texts[at]])), null, 2)}\n`;
}
