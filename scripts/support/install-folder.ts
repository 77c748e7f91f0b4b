import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./command.ts";
import { shortPath } from "./paths.ts";
import { run } from "./processes.ts";
import { say } from "./terminal.ts";

/**
 * Installs the packages of a folder that has a lock of its own, once per lock: those that only one command or
 * test needs. None of their install scripts runs.
 */
export async function installFolder(folder: string): Promise<void> {
  const record = join(folder, "node_modules", ".installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(record) && readFileSync(record, "utf8") === lock) return;
  say(`Installing the packages of ${shortPath(folder)} …`);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", folder];
  const npm = process.env.npm_execpath;
  const { code, output } = await (npm === undefined ? run("npm", args) : run(process.execPath, [npm, ...args]));
  if (code !== 0) throw new Refusal(`The packages of ${shortPath(folder)} could not be installed:\n${output}`);
  writeFileSync(record, lock);
}
