import { join } from "node:path";
import { ROOT } from "./paths.mjs";
import { run, startGuarded } from "./processes.mjs";

/** What its bin starts in a further process; started directly, our signals reach it. */
const WRANGLER = ["--no-warnings", join(ROOT, "node_modules", "wrangler", "wrangler-dist", "cli.js")];

/** No question, no report, no look-up over the network: every command must work offline and unattended. */
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
};

/** Runs a wrangler command to its end. */
export function wrangler(args, options = {}) {
  return run(process.execPath, [...WRANGLER, ...args], { ...options, env: { ...QUIET, ...options.env } });
}

/** Starts `wrangler dev`. `directory` takes what it writes for itself: the registry of local Workers, temporary files. */
export function startWranglerDev(args, directory, options = {}) {
  const env = { ...QUIET, WRANGLER_REGISTRY_PATH: join(directory, "registry"), ...options.env };
  return startGuarded(process.execPath, [...WRANGLER, "dev", ...args], { ...options, env });
}
