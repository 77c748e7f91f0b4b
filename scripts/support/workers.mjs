import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./assets.mjs";
import { Refusal } from "./command.mjs";
import { answers, waitFor } from "./http.mjs";
import { migrate } from "./migrations.mjs";
import { ensureSecrets, writeVariables } from "./secrets.mjs";
import { startWranglerDev, wrangler } from "./wrangler.mjs";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 90_000;

export const origin = (port) => `http://localhost:${port}`;

const CONFIGS = { service: "wrangler.toml", sandbox: join("sandbox", "wrangler.toml") };

/** Makes all that the service needs before it starts; answers its secrets. */
export async function prepare(directory) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  buildAssets();
  const secrets = ensureSecrets(directory);
  await migrate(join(directory, "service"));
  return secrets;
}

/**
 * The same, and both Workers built: what runs from `builds` stays as it is, whatever happens to the sources meanwhile
 * (wrangler watches them, and a reload loses what the local queue holds).
 */
export async function prepareBuilt(directory) {
  const build = async (name) => [name, await buildWorker(CONFIGS[name], join(directory, "build", name))];
  const [secrets, ...built] = await Promise.all([prepare(directory), build("service"), build("sandbox")]);
  return { secrets, builds: Object.fromEntries(built) };
}

/** Bundles the Worker of this configuration; answers the script's path. */
export async function buildWorker(config, directory, script = "worker.js") {
  // The service's configuration names their folder, which a fresh clone has not got.
  buildAssets();
  rmSync(directory, { recursive: true, force: true });
  const { code, output } = await wrangler(["deploy", "--dry-run", "--config", config, "--outdir", directory]);
  if (code !== 0) throw new Refusal(`The Worker of ${config} does not build:\n${output}`);
  return join(directory, script);
}

/**
 * The service itself, from a prepared state directory; without a built `script`, from its sources. `variables` go over
 * the standard ones. It is ready once `await ready()` returns.
 */
export function startService({ directory, port, sandboxPort, secrets, variables = {}, script, ...options }) {
  const file = join(directory, "service.env");
  writeVariables(file, {
    ENVIRONMENT: "development",
    PUBLIC_ORIGIN: origin(port),
    SANDBOX_URL: sandboxPort ? origin(sandboxPort) : "",
    LOG_LEVEL: "errors",
    ...secrets,
    ...variables,
  });
  return startWorker({
    name: "service",
    args: [...scriptArguments(script), "--config", CONFIGS.service, "--env-file", file],
    directory,
    port,
    readyPath: "/healthz",
    ...options,
  });
}

/** The simulated platforms. */
export function startSandbox({ directory, port, script, ...options }) {
  return startWorker({
    name: "sandbox",
    args: [...scriptArguments(script), "--config", CONFIGS.sandbox],
    directory,
    port,
    readyPath: "/_control/health",
    ...options,
  });
}

const scriptArguments = (script) => (script === undefined ? [] : [script, "--no-bundle"]);

/** Any Worker of this repository under `wrangler dev`; its state is kept in `directory/name`. */
export function startWorker({ name, args, directory, port, readyPath, logLevel = "error", onLine }) {
  const child = startWranglerDev(
    [
      ...args,
      ...["--ip", HOST, "--port", String(port), "--inspector-port", "0"],
      ...["--persist-to", join(directory, name)],
      ...["--show-interactive-dev-session=false", "--log-level", logLevel],
    ],
    directory,
    { onLine },
  );
  return {
    ...child,
    name,
    port,
    origin: origin(port),
    get hasExited() {
      return child.hasExited;
    },
    /** Resolves once it answers; throws its own last words when it does not start. */
    async ready() {
      const probe = async () => child.hasExited || (await answers(`${origin(port)}${readyPath}`));
      const isUp = await waitFor(probe, { timeoutMs: START_TIMEOUT_MS, everyMs: 100 });
      if (!isUp || child.hasExited) throw new Refusal(`The ${name} did not start.\n${child.tail()}`);
    },
  };
}
