import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { bindingOf, MAX_DATABASES } from "../src/db/databases.ts";
import { MODEL_VARIABLES } from "../src/models/server.ts";
import { isLoggedIn, listSecrets, missingQueues } from "./support/cloudflare.ts";
import { Refusal, readArguments, readWhole, runCommand, type Scope } from "./support/command.ts";
import { furtherDatabases, migrateDatabases } from "./support/databases.ts";
import { bannersConfig, deploymentConfig, settingsFile, WITHOUT_OVERRIDING } from "./support/deployment.ts";
import { callJson, waitFor } from "./support/http.ts";
import { shortPath } from "./support/paths.ts";
import type { RunOptions } from "./support/processes.ts";
import { writePrivate } from "./support/secrets.ts";
import { APP_PAIRS, PRODUCTION_FILE, problemsOf, REQUIRED_SECRETS, readSecretsFile } from "./support/secrets-file.ts";
import { readSettings } from "./support/settings.ts";
import { green, red, say } from "./support/terminal.ts";
import { wrangler } from "./support/tools.ts";
import { capital, sizeProblem, WORKER_LIMITS, type WorkerLimits } from "./support/worker-limits.ts";

const USAGE = `npm run deploy -- [--dry-run] [--secrets-file FILE] [--databases N]

Checks that every secret exists and is strong, creates missing queues, bucket and database, applies the migrations, deploys both Workers (that of banners first), and
checks that the service is ready (at BELFRY_URL, else PUBLIC_ORIGIN, else the deployed address). Requires \`npx wrangler login\` or
CLOUDFLARE_API_TOKEN. Your settings are in settings.toml, which git ignores: what it has takes the place of the same in wrangler.toml
(docs/deploy.md).

  --secrets-file FILE   the secrets to upload (default: ${PRODUCTION_FILE}, if it exists; \`npm run secrets -- ${PRODUCTION_FILE}\`
                        creates it). Secrets that the Worker already has are optional
  --databases N         the number of databases, once more are needed: adds them to settings.toml, creates and migrates them
  --dry-run             only builds, without a login, and shows the sizes; with --databases, also what would be added`;

const READY_TIMEOUT_MS = 30_000;

async function deploy(scope: Scope): Promise<number> {
  const options = readArguments({
    "dry-run": { type: "boolean" },
    "secrets-file": { type: "string" },
    databases: { type: "string" },
  });
  const file = options["secrets-file"] ?? PRODUCTION_FILE;
  const given = readSecretsFile(file);
  if (given === null && options["secrets-file"]) throw new Refusal(`There is no file ${file}.`);
  if (options["dry-run"]) {
    if (given !== null) refuseBadSecrets(given, [...REQUIRED_SECRETS, ...APP_PAIRS.flat(), ...MODEL_VARIABLES], false);
    await checkSizes();
    bindDatabases(options.databases, true);
    say("Nothing was deployed: this was a dry run.");
    return 0;
  }
  if (!(await isLoggedIn())) {
    throw new Refusal("Not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
  }
  await checkSecrets(given ?? {});
  await checkSizes();
  bindDatabases(options.databases, false);
  const { queues, buckets, databases, publicOrigin } = readSettings();
  for (const name of await missingQueues(queues)) await ensure(["queues", "create", name], `queue ${name}`);
  for (const name of buckets) await ensure(["r2", "bucket", "create", name, "--update-config=false"], `bucket ${name}`);
  for (const name of databases) await ensure(["d1", "create", name, "--update-config=false"], `database ${name}`);
  await attended(["d1", "migrations", "apply", bindingOf(0), "--remote"], { env: { CI: "true" } });
  await migrateDatabases(1, databases.length, ["--remote", "--config", deploymentConfig()]);
  if (databases.length > 1) say(`${green("✓")} All ${databases.length} databases are migrated.`);
  // First: Cloudflare refuses a binding to a Worker that does not exist. The service of the version before
  // goes on with it if its own deployment fails.
  await attended(["deploy"], { config: bannersConfig(), env: WITHOUT_OVERRIDING });
  const target = await upload(scope, given ?? {});
  say(`${green("✓")} Deployed${target === null ? "" : ` to ${target}`}.`);
  const origin = process.env.BELFRY_URL || publicOrigin || target;
  return origin === null ? 0 : await askWhetherReady(origin);
}

/** Adds databases to the settings, where they stay: a database with projects is never left out. */
function bindDatabases(wanted: string | undefined, isDry: boolean): void {
  if (wanted === undefined) return;
  const to = readWhole("databases", wanted, MAX_DATABASES);
  const { databases, bindings } = readSettings();
  if (to < databases.length)
    throw new Refusal(`The service has ${databases.length} databases. Their number cannot become smaller.`);
  const [name = "belfry"] = databases;
  const added = furtherDatabases({ name, from: databases.length, to, hasSweeps: bindings.has("SWEEPS") });
  if (added === "") return;
  const file = settingsFile();
  if (isDry) {
    say(`${to - databases.length} databases would be added to ${shortPath(file)}:\n\n${added}`);
    return;
  }
  const text = existsSync(file) ? `${readFileSync(file, "utf8").trimEnd()}\n\n` : "";
  writeFileSync(file, `${text}${added}`);
  say(`${green("✓")} ${shortPath(file)} binds ${to} databases now. Keep it: no copy of it is elsewhere.`);
}

/** Runs before anything is created or deployed: a service without its secrets returns only 503. */
async function checkSecrets(given: Readonly<Record<string, string>>): Promise<void> {
  const listed = await listSecrets();
  if (listed.kind === "failed") throw new Refusal(`The Worker's secrets could not be listed:\n${listed.why}`);
  refuseBadSecrets(given, listed.kind === "secrets" ? listed.names : [], listed.kind === "secrets");
  say(`${green("✓")} The secrets are set: ${REQUIRED_SECRETS.join(", ")}.`);
}

function refuseBadSecrets(given: Readonly<Record<string, string>>, deployed: readonly string[], hasWorker: boolean) {
  const problems = problemsOf(given, deployed);
  if (problems.length === 0) return;
  const lines = problems.map(({ variable, problem }) => `${red("✗")} ${variable} ${problem}.`);
  const put = hasWorker ? `\nOr one by one: \`npx wrangler secret put ${problems[0]?.variable}\`.` : "";
  throw new Refusal(
    `${lines.join("\n")}\nNothing was deployed. \`npm run secrets -- ${PRODUCTION_FILE}\` creates the service's own secrets (remove the
line of a weak one first). Add a platform's id and secret to ${PRODUCTION_FILE} yourself. Then run \`npm run deploy\` again.${put}`,
  );
}

async function checkSizes(): Promise<void> {
  await checkSize(["--config", deploymentConfig()], {}, WORKER_LIMITS.service);
  await checkSize(["--config", bannersConfig()], WITHOUT_OVERRIDING, WORKER_LIMITS.banners);
}

async function checkSize(args: readonly string[], env: RunOptions["env"] & {}, limits: WorkerLimits): Promise<void> {
  const { code, output } = await wrangler(["deploy", "--dry-run", ...args], { env });
  const [, total, gzip] = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(output) ?? [];
  if (code !== 0 || gzip === undefined) throw new Refusal(`${capital(limits.of)} does not build:\n${output}`);
  const problem = sizeProblem(limits, Number(gzip));
  if (problem !== null) throw new Refusal(problem);
  say(
    `${green("✓")} ${capital(limits.of)} builds: ${total} KiB, ${gzip} KiB gzipped (our own limit: ${limits.maxGzipKib} KiB).`,
  );
}

/** Creates a resource unless it exists. */
async function ensure(args: readonly string[], what: string): Promise<void> {
  const { code, output } = await wrangler([...args, "--config", deploymentConfig()], { env: { CI: "true" } });
  if (code === 0) return say(`${green("✓")} Created the ${what}.`);
  if (/already (exists|taken|in use)|11009/i.test(output)) return;
  throw new Refusal(`The ${what} could not be created:\n${output}`);
}

const Deployed = z.object({ type: z.literal("deploy"), targets: z.array(z.string()) });

/** Returns the first URL of the deployment from wrangler's output; null if there is none. */
async function upload(scope: Scope, secrets: Readonly<Record<string, string>>): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-deploy-"));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, "report.ndjson");
  // As JSON: with dotenv lines, shell variables would override the values that were checked.
  const file = join(folder, "secrets.json");
  writePrivate(file, JSON.stringify(secrets));
  const supplied = Object.keys(secrets).length > 0 ? ["--secrets-file", file] : [];
  await attended(["deploy", ...supplied], { env: { WRANGLER_OUTPUT_FILE_PATH: report } });
  const lines = readFileSync(report, "utf8").trim().split("\n");
  const deployed = lines.map((line) => Deployed.safeParse(JSON.parse(line))).find(({ success }) => success)?.data;
  const [target] = deployed?.targets ?? [];
  return target === undefined ? null : new URL(/^https?:/.test(target) ? target : `https://${target}`).origin;
}

const Health = z.object({ message: z.string() }).catch({ message: "no readable answer" });

/** Only the Worker can read secrets uploaded earlier, so it reports weak ones itself. */
async function askWhetherReady(origin: string): Promise<number> {
  let last = "no answer";
  const ready = await waitFor(
    async () => {
      const answer = await callJson("GET", `${origin}/healthz`).catch(() => null);
      if (answer?.status === 200) return "ready";
      if (answer) last = Health.parse(answer.body).message;
      return null;
    },
    { timeoutMs: READY_TIMEOUT_MS, everyMs: 2_000 },
  );
  if (ready === null) {
    say(`${red("✗")} ${origin}/healthz: ${last}`);
    return 1;
  }
  say(`${green("✓")} ${origin}/healthz: ready. \`npm run doctor -- --remote\` also checks the platforms' apps.`);
  return 0;
}

interface Attended {
  readonly env?: RunOptions["env"] & {};
  readonly config?: string;
}

async function attended(args: readonly string[], { env = {}, config = deploymentConfig() }: Attended): Promise<void> {
  const { code } = await wrangler([...args, "--config", config], { env, stdio: "inherit" });
  if (code !== 0) throw new Refusal(`\`wrangler ${args.join(" ")}\` failed; see above. The later steps were not run.`);
}

await runCommand(USAGE, deploy);
