import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_DATABASES } from "../src/db/databases.ts";
import { createControl } from "../test/support/control.ts";
import { ensureDemo } from "./support/access.ts";
import { operatorOf } from "./support/api.ts";
import { Refusal, readArguments, readWhole, runCommand, type Scope } from "./support/command.ts";
import { enterWebhooks } from "./support/dashboards.ts";
import { bindDatabases } from "./support/databases.ts";
import { reach, waitFor } from "./support/http.ts";
import { createLogPrinter } from "./support/logs.ts";
import { shortPath, stateDirectory } from "./support/paths.ts";
import { portFrom, requireFree } from "./support/ports.ts";
import { CONFIGS, prepare } from "./support/prepare.ts";
import { findUser, readUser, release, take, type User, update } from "./support/state.ts";
import { bold, cyan, dim, elapsed, say } from "./support/terminal.ts";
import { buildAndStartSandbox, startCron, startSandbox, startService } from "./support/workers.ts";

const USAGE = `npm start -- [--watch] [--databases N]: runs the service and the simulated platforms on this machine, until Ctrl-C.

  --watch         runs the Workers from the sources and reloads them when these change
  --databases N   spreads new projects over N databases (docs/decisions/0064); a directory that had several keeps them

Variables:
  PORT, SANDBOX_PORT   the two ports (8787, 8788)
  STATE_DIR            the directory of the database and the secrets (.wrangler/belfry)
  SANDBOX_URL          the address of the sandbox for the service, if there is a proxy
  BELFRY_LOG=1         prints a line for every request`;

/** The account of the console in development. */
const DEMO_EMAIL = "demo@example.com";

/** `npm start`: runs the service and the simulated platforms on this machine until Ctrl-C. */
async function start(scope: Scope): Promise<void> {
  const directory = stateDirectory();
  const port = portFrom("PORT", 8787);
  const sandboxPort = portFrom("SANDBOX_PORT", 8788);
  if (port === sandboxPort) throw new Refusal(`PORT and SANDBOX_PORT are both ${port}, but must differ.`);
  const proxied = sandboxAddress();
  const url = `http://localhost:${port}`;
  await takeDirectory(directory, { state: "starting", url, port }, sandboxPort);
  scope.defer(() => release(directory));

  const since = Date.now();
  const onStep = (step: string) => say(dim(`${step} ${elapsed(since)}`));
  say(dim("Preparing the database and building the Workers …"));
  // With --watch, the Workers run from the sources and restart on changes.
  const options = readArguments({ watch: { type: "boolean" }, databases: { type: "string" } });
  const { config, migrateMore } = furtherDatabases(directory, options.databases);
  const sandboxOptions = { directory, port: sandboxPort, onLine: createLogPrinter("sandbox") };
  const { sandbox, ...made } = options.watch
    ? { secrets: await prepare(directory, migrateMore), sandbox: startSandbox(sandboxOptions) }
    : await buildAndStartSandbox(scope, sandboxOptions, { onStep, migrateMore });
  const isVerbose = process.env.BELFRY_LOG === "1";
  const service = startService({
    directory,
    port,
    sandboxPort,
    ...made,
    config,
    variables: { ...(isVerbose ? { LOG_LEVEL: "all" } : {}), ...proxied },
    logLevel: isVerbose ? "log" : "error",
    onLine: createLogPrinter("service"),
  });
  scope.defer(() => Promise.all([service.stop(), sandbox.stop()]));
  say(dim("Starting the service and the sandbox …"));
  await Promise.all([
    service.ready().then(() => onStep("Started the service")),
    sandbox.ready().then(() => onStep("Started the sandbox")),
  ]);
  const stopped = Promise.race([service, sandbox].map((worker) => worker.exited.then(() => worker)));

  const operator = operatorOf(service.origin, made.secrets.OPERATOR_KEY);
  const { token, projectId } = await ensureDemo(directory, service.origin, operator);
  await enterWebhooks(operator, createControl(reach, sandbox.origin));
  scope.defer(startCron(service.origin, (message) => say(`cron: ${message}`)));
  update(directory, { state: "ready", url, port });
  const console = await operator.signInLink({ email: DEMO_EMAIL, id: projectId });
  announce({ origin: service.origin, sandbox: sandbox.origin, console, token, directory });

  const { name, tail } = await stopped;
  if (!scope.isEnding) throw new Refusal(`The ${name} stopped unexpectedly.\n${tail()}`);
}

/** The configuration with further databases, in a file beside wrangler.toml, and how they are migrated. */
function furtherDatabases(directory: string, wanted: string | undefined) {
  const kept = join(directory, "databases");
  const before = existsSync(kept) ? Number(readFileSync(kept, "utf8")) : 1;
  const count = Math.max(before, wanted === undefined ? 1 : readWhole("databases", wanted, MAX_DATABASES));
  if (count === 1) return { config: CONFIGS.service, migrateMore: async () => {} };
  const config = "wrangler.databases.toml";
  const migrate = bindDatabases(config, count, directory);
  return {
    config,
    async migrateMore() {
      await migrate();
      writeFileSync(kept, String(count));
    },
  };
}

/** The address at which the service reaches the sandbox, if a proxy is between them. */
function sandboxAddress(): Readonly<Record<string, string>> {
  const address = process.env.SANDBOX_URL;
  if (!address) return {};
  const protocol = URL.parse(address)?.protocol;
  if (protocol === "http:" || protocol === "https:") return { SANDBOX_URL: address };
  throw new Refusal(`SANDBOX_URL must be an http address, such as http://localhost:8789, not "${address}".`);
}

/** One server per state directory, one listener per port. Conflicts are reported before anything starts. */
async function takeDirectory(
  directory: string,
  use: { readonly state: "starting"; readonly url: string; readonly port: number },
  sandboxPort: number,
): Promise<void> {
  const previous = readUser(directory);
  const isFree = async () => (await findUser(directory))?.state !== "token";
  const running = (await waitFor(isFree, { timeoutMs: 60_000 })) && (await findUser(directory));
  if (running) throw inUse(directory, running);
  // A server that was just killed may still hold its ports.
  const patienceMs = previous && [use.port, sandboxPort].includes(previous.port) ? 5000 : 0;
  await requireFree(use.port, "PORT", patienceMs);
  await requireFree(sandboxPort, "SANDBOX_PORT", patienceMs);
  if (!(await take(directory, use))) throw inUse(directory, await findUser(directory));
}

function inUse(directory: string, running: User | null): Refusal {
  const where = running?.url ? ` at ${running.url}` : "";
  const by = running ? ` (process ${running.pid}${where})` : "";
  return new Refusal(
    `${shortPath(directory)} is in use by a running server${by}. Stop it, or set STATE_DIR, PORT and SANDBOX_PORT to run another.`,
  );
}

interface Ready {
  readonly origin: string;
  readonly sandbox: string;
  /** The link that signs in to the console. */
  readonly console: string;
  readonly token: string;
  readonly directory: string;
}

function announce({ origin, sandbox, console, token, directory }: Ready): void {
  const api = `${origin}/api/v1`;
  const connect = [
    `curl -s ${api}/social/connect-channel`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    `-d '{"userId":"me"}'`,
  ].join(" ");
  say(`
${bold("Belfry is ready.")}

  Console  ${cyan(console)}
           ${dim("signs in to the project Demo, once, within an hour; npm run account makes another link")}
  API      ${cyan(api)}
  Docs     ${cyan(`${origin}/docs`)}
  Sandbox  ${cyan(sandbox)}  ${dim("the simulated platforms: your posts appear here")}
  Token    ${token}  ${dim('test project "Demo", every permission')}

Connect a channel: run this, then open the connect_url of the response in a browser.

  ${connect}

${dim(`State: ${shortPath(directory)}. Logs of every request: BELFRY_LOG=1 npm start. Ctrl-C stops.`)}
`);
}

await runCommand(USAGE, start, { interruptedCode: 0 });
