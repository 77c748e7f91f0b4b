import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";
import { run } from "./processes.mjs";
import { QUIET } from "./wrangler.mjs";

/** Runs a tool of node_modules to its end, under our Node and without reports or look-ups over the network. */
export function runTool(name, args, options = {}) {
  const environment = { ...QUIET, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  return run(process.execPath, [scriptOf(name), ...args], { ...options, env: { ...environment, ...options.env } });
}

const PACKAGES = { biome: "@biomejs/biome", redocly: "@redocly/cli", tsc: "typescript" };

/** The file behind `node_modules/.bin/name`. */
function scriptOf(name) {
  const folder = join(ROOT, "node_modules", PACKAGES[name] ?? name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[name]);
}
