import { join } from "node:path";
import { Refusal, type Scope } from "./command.ts";
import { answers, waitFor } from "./http.ts";
import { type BuildingOptions, type Built, CONFIGS, prepareBuilt } from "./prepare.ts";
import type { Guarded } from "./processes.ts";
import { type Secrets, writeVariables } from "./secrets.ts";
import { startWranglerDev } from "./tools.ts";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 90_000;
const MINUTE_MS = 60_000;

const originOf = (port: number): string => `http://localhost:${port}`;

export interface WorkerOptions {
  /** The parent of its output folders; its state is in `directory/name`. */
  readonly directory: string;
  readonly port: number;
  /** The port of its inspector; if omitted, any free one. */
  readonly inspectorPort?: number;
  /** A built script; if omitted, the Worker runs from its sources. */
  readonly script?: string | undefined;
  /** wrangler's log level for the Worker's output. */
  readonly logLevel?: "error" | "log" | undefined;
  /** Receives its output. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface Running extends Guarded {
  readonly name: string;
  readonly port: number;
  readonly origin: string;
  /** Of its inspector; 0 if it was not chosen. */
  readonly inspectorPort: number;
  /** Resolves once it responds; throws its last output if it does not start. */
  ready(): Promise<void>;
}

export interface ServiceOptions extends WorkerOptions {
  readonly secrets: Secrets;
  readonly sandboxPort?: number;
  /** Another configuration than wrangler.toml. */
  readonly config?: string;
  /**
   * The configuration of the built Worker of banners; if omitted, it runs from its sources. Null: it does not
   * run, so that no banner is drawn, and the inspector shows the isolate of the service.
   */
  readonly banners?: string | null | undefined;
  /** Override the defaults. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Starts the service from a prepared state directory, with the Worker of banners beside it in one process. It
 * is ready once `await ready()` returns.
 */
export function startService({
  secrets,
  sandboxPort,
  config = CONFIGS.service,
  banners = CONFIGS.banners,
  variables = {},
  ...options
}: ServiceOptions): Running {
  const file = join(options.directory, "service.env");
  writeVariables(file, secrets);
  const all = {
    ENVIRONMENT: "development",
    PUBLIC_ORIGIN: originOf(options.port),
    SANDBOX_URL: sandboxPort === undefined ? "" : originOf(sandboxPort),
    LOG_LEVEL: "errors",
    ...variables,
  };
  const args = [
    "--config",
    config,
    ...(banners === null ? [] : ["--config", banners]),
    "--env-file",
    file,
    ...asFlags(all),
  ];
  // wrangler prefers secrets of the shell to those of the file; this keeps the user's own out.
  return startWorker({ name: "service", args, readyPath: "/healthz", env: secrets, ...options });
}

/** Not for secrets: arguments are visible in the process list. */
function asFlags(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
}

/** Starts the simulated platforms. */
export function startSandbox(options: WorkerOptions): Running {
  const args = ["--config", CONFIGS.sandbox, ...asFlags({ ENVIRONMENT: "development" })];
  return startWorker({ name: "sandbox", args, readyPath: "/_control/health", ...options });
}

/**
 * Prepares and builds all Workers, and starts the sandbox while the service is still being built. The
 * sandbox stops with the scope.
 */
export async function buildAndStartSandbox(
  scope: Scope,
  { directory, port, onLine }: WorkerOptions,
  options?: BuildingOptions,
): Promise<Built & { readonly sandbox: Running }> {
  const building = prepareBuilt(directory, options);
  const started = building.sandbox.then((script) => {
    const sandbox = startSandbox({ directory, port, script, onLine });
    scope.defer(() => sandbox.stop());
    return sandbox;
  });
  const [sandbox, service] = await Promise.all([started, building.service]);
  return { sandbox, ...service };
}

interface AnyWorker extends WorkerOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly readyPath: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts any Worker of this repository under `wrangler dev`. */
export function startWorker(worker: AnyWorker): Running {
  const {
    name,
    args,
    directory,
    port,
    inspectorPort = 0,
    readyPath,
    script,
    logLevel = "error",
    onLine,
    env = {},
  } = worker;
  const child = startWranglerDev(
    [
      ...(script === undefined ? [] : [script, "--no-bundle"]),
      ...args,
      "--ip",
      HOST,
      "--port",
      String(port),
      "--inspector-port",
      String(inspectorPort),
      "--persist-to",
      join(directory, name),
      "--show-interactive-dev-session=false",
      "--log-level",
      logLevel,
    ],
    directory,
    // scripts/build.ts made the assets with the script.
    { onLine, env: script === undefined ? env : { ...env, BELFRY_ASSETS: "made" } },
  );
  const origin = originOf(port);
  return {
    ...child,
    name,
    port,
    origin,
    inspectorPort,
    get hasExited() {
      return child.hasExited;
    },
    async ready() {
      const probe = async () => child.hasExited || (await answers(`${origin}${readyPath}`));
      const isUp = await waitFor(probe, { timeoutMs: START_TIMEOUT_MS, everyMs: 100 });
      if (!isUp || child.hasExited) throw new Refusal(`The ${name} did not start.\n${child.tail()}`);
    },
  };
}

/** Runs the service's cron once, through wrangler's URL for it. Throws if it failed. */
export async function fireCron(origin: string): Promise<void> {
  const response = await fetch(`${origin}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`, {
    signal: AbortSignal.timeout(MINUTE_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The cron answered ${response.status}: ${text.slice(0, 500)}`);
}

/**
 * Fires the cron now and at the start of every minute, or every `everyMs`, until the returned function is
 * called.
 */
export function startCron(origin: string, onError: (message: string) => void, everyMs = MINUTE_MS): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const fire = async () => {
    try {
      await fireCron(origin);
    } catch (error) {
      if (!isStopped) onError(error instanceof Error ? error.message : String(error));
    }
    if (!isStopped) timer = setTimeout(fire, everyMs - (Date.now() % everyMs));
  };
  void fire();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
