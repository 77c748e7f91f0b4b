import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal, readArguments, runCommand } from "./support/command.ts";
import { ROOT } from "./support/paths.ts";
import { green, say } from "./support/terminal.ts";
import { wrangler } from "./support/tools.ts";

const USAGE = `npm run deploy -- [--dry-run]

Creates the queues and the database if they are missing, applies the migrations, deploys. Needs \`npx wrangler login\` or
CLOUDFLARE_API_TOKEN. With --dry-run it only builds, without a login, and tells the size.`;

const DATABASE = "belfry";
/** Our own promise; the platform refuses at 3 MiB (free) or 10 MiB. */
const MAX_GZIP_KIB = 3 * 1024;

async function deploy(): Promise<void> {
  const options = readArguments({ "dry-run": { type: "boolean" }, help: { type: "boolean", short: "h" } });
  if (options.help) return say(USAGE);
  await checkSize();
  if (options["dry-run"]) return say("Nothing was deployed: this was a dry run.");
  await requireLogin();
  for (const name of queueNames()) await ensure(["queues", "create", name], `queue ${name}`);
  await ensure(["d1", "create", DATABASE, "--update-config=false"], `database ${DATABASE}`);
  await attended(["d1", "migrations", "apply", DATABASE, "--remote"], { CI: "true" });
  await attended(["deploy"]);
  say(
    `${green("✓")} Deployed. The secrets are set once with \`npx wrangler secret put NAME\` (README, "Deploying for real").`,
  );
}

async function checkSize(): Promise<void> {
  const { code, output } = await wrangler(["deploy", "--dry-run"]);
  const [, total, gzip] = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(output) ?? [];
  if (code !== 0 || gzip === undefined) throw new Refusal(`The Worker does not build:\n${output}`);
  if (Number(gzip) > MAX_GZIP_KIB)
    throw new Refusal(`The Worker is ${gzip} KiB gzipped; ${MAX_GZIP_KIB} KiB is the most.`);
  say(`${green("✓")} The Worker builds: ${total} KiB, ${gzip} KiB gzipped (limit ${MAX_GZIP_KIB} KiB).`);
}

async function requireLogin(): Promise<void> {
  if (process.env.CLOUDFLARE_API_TOKEN) return;
  const { code, output } = await wrangler(["whoami"]);
  if (code === 0 && !/not authenticated|not logged in/i.test(output)) return;
  throw new Refusal("Nobody is logged in to Cloudflare here: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
}

/** Every queue that wrangler.toml names, the one of dead letters included. */
function queueNames(): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const named = text.matchAll(/^(?:queue|dead_letter_queue)\s*=\s*"([^"]+)"/gm);
  return new Set(Array.from(named, ([, name = ""]) => name));
}

/** Creates what may be there already. */
async function ensure(args: readonly string[], what: string): Promise<void> {
  const { code, output } = await wrangler(args, { env: { CI: "true" } });
  if (code === 0) return say(`${green("✓")} Created the ${what}.`);
  if (/already (exists|taken|in use)|11009/i.test(output)) return;
  throw new Refusal(`The ${what} could not be created:\n${output}`);
}

async function attended(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code } = await wrangler(args, { env, stdio: "inherit" });
  if (code !== 0) throw new Refusal(`\`wrangler ${args.join(" ")}\` failed; see above. Nothing after it was done.`);
}

await runCommand(deploy);
