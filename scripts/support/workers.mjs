import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./assets.mjs";
import { Refusal } from "./command.mjs";
import { answers, waitFor } from "./http.mjs";
import { migrate } from "./migrations.mjs";
import { ensureSecrets, writeVariables } from "./secrets.mjs";
import { startWranglerDev } from "./wrangler.mjs";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 90_000;

export const origin = (port) => `http://localhost:${port}`;

/** Makes all that the service needs before it starts; answers its secrets. */
export async function prepare(directory) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  buildAssets();
  const secrets = ensureSecrets(directory);
  await migrate(join(directory, "service"));
  return secrets;
}

/**
 * The service itself, from a prepared state directory. `variables` go over the standard ones. The answer's `origin` is
 * where it listens; it is ready once `await ready()` returns.
 */
export function startService({ directory, port, sandboxPort, secrets, variables = {}, logLevel = "error", onLine }) {
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
    args: ["--config", "wrangler.toml", "--env-file", file],
    directory,
    port,
    readyPath: "/healthz",
    logLevel,
    onLine,
  });
}

/** The simulated platforms. */
export function startSandbox({ directory, port, logLevel = "error", onLine }) {
  return startWorker({
    name: "sandbox",
    args: ["--config", join("sandbox", "wrangler.toml")],
    directory,
    port,
    readyPath: "/_control/health",
    logLevel,
    onLine,
  });
}

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
