import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import { type Ended, type Guarded, type GuardedOptions, type RunOptions, run, startGuarded } from "./processes.ts";

/** For every tool: no prompts, telemetry or network look-ups, so that it works offline and unattended. */
export const QUIET = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
  WRANGLER_WRITE_LOGS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
  NO_COLOR: "1",
  // Speeds up wrangler, which is started five times by `npm start`.
  NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
};
const QUIET_REDOCLY = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** The file that wrangler's bin starts in a child process; started directly, so that our signals reach it. */
const WRANGLER = ["--no-warnings", join(ROOT, "node_modules", "wrangler", "wrangler-dist", "cli.js")];

/** Runs a wrangler command to its end. */
export function wrangler(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(process.execPath, [...WRANGLER, ...args], { ...options, env: { ...QUIET, ...options.env } });
}

/**
 * Starts `wrangler dev`. `directory` holds its own files: the registry of local Workers and temporary files.
 */
export function startWranglerDev(args: readonly string[], directory: string, options: GuardedOptions): Guarded {
  const env = { ...QUIET, WRANGLER_REGISTRY_PATH: join(directory, "registry"), ...options.env };
  return startGuarded(process.execPath, [...WRANGLER, "dev", ...args], { ...options, env });
}

const PACKAGES = {
  biome: "@biomejs/biome",
  "drizzle-kit": "drizzle-kit",
  redocly: "@redocly/cli",
  spectral: "@stoplight/spectral-cli",
  tsc: "typescript",
  vitest: "vitest",
};
type Tool = keyof typeof PACKAGES;

/** Runs a tool of node_modules to its end, with our Node. */
export function runTool(name: Tool, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const env = { ...QUIET, ...QUIET_REDOCLY, ...options.env };
  return run(process.execPath, [scriptOf(name), ...args], { ...options, env });
}

const Manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

/** The file behind `node_modules/.bin/name`. */
function scriptOf(name: Tool): string {
  const folder = join(ROOT, "node_modules", PACKAGES[name]);
  const { bin } = Manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  const script = typeof bin === "string" ? bin : bin[name];
  if (script === undefined) throw new Error(`${PACKAGES[name]} has no command ${name}.`);
  return join(folder, script);
}
