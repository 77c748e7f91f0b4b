import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Browser } from "../../test/support/browser.ts";
import { createControl } from "../../test/support/control.ts";
import { connectThrough } from "../../test/support/person.ts";
import { type Api, type Channel, type ConnectStatus, createApi, type Operator, operatorOf } from "./api.ts";
import type { Scope } from "./command.ts";
import { enterWebhooks } from "./dashboards.ts";
import { bindOnce } from "./databases.ts";
import { reach } from "./http.ts";
import { ROOT } from "./paths.ts";
import { findFreePort } from "./ports.ts";
import { CONFIGS } from "./prepare.ts";
import { makeScratch } from "./scratch.ts";
import type { Secrets } from "./secrets.ts";
import { buildAndStartSandbox, type Running, startService, type WorkerOptions } from "./workers.ts";

export interface World {
  /** Replaced by each `restartService`. */
  readonly service: Running;
  readonly sandbox: Running;
  readonly operator: Operator;
  /** A client of a project with every permission. */
  readonly api: Api;
  readonly token: string;
  /** The storage of the Workers, one folder each. */
  readonly directory: string;
  readonly control: ReturnType<typeof createControl>;
  readonly secrets: Secrets;
  /**
   * Restarts the service after `world.service.kill()`, with the same state and port. The given variables
   * replace the former ones of the same names.
   */
  restartService(variables?: Readonly<Record<string, string>>): Promise<void>;
}

/** The values in sandbox/settings.ts. */
export const REALISMS = ["calm", "production"] as const;
export type Realism = (typeof REALISMS)[number];

export interface WorldOptions extends Pick<WorkerOptions, "logLevel"> {
  /** Override the service's default variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How closely the simulated platforms behave like real ones; `calm` by default. */
  readonly realism?: Realism;
  /** How many databases the service has; one by default. */
  readonly databases?: number;
  /** The entry of the service, if not src/worker.ts. */
  readonly entry?: string;
  /** Whether the memory of the service is watched: without the Worker of banners (workers.ts). */
  readonly isInspected?: boolean;
  /** Receives the service's output. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts a separate service and sandbox with free ports and empty state in a temporary directory. All are
 * removed with the scope.
 */
export async function bootWorld(
  scope: Scope,
  { variables = {}, realism = "calm", databases = 1, entry, isInspected = false, logLevel, onLine }: WorldOptions = {},
): Promise<World> {
  const directory = temporaryDirectory(scope);
  const [port, sandboxPort, inspectorPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const isPlain = databases === 1 && entry === undefined;
  const config = isPlain ? CONFIGS.service : `wrangler.databases.${basename(directory)}.toml`;
  const migrateMore = isPlain ? undefined : bindOnce(config, databases, directory);
  if (migrateMore) scope.defer(() => rmSync(join(ROOT, config), { force: true }));
  const { sandbox, ...made } = await buildAndStartSandbox(
    scope,
    { directory, port: sandboxPort },
    { migrateMore, entry },
  );
  let options = {
    directory,
    config,
    port,
    inspectorPort,
    sandboxPort,
    ...made,
    ...(isInspected ? { banners: null } : {}),
    variables,
    logLevel,
    onLine,
  };
  let service = startService(options);
  scope.defer(() => service.stop());
  await Promise.all([service.ready(), sandbox.ready()]);

  const operator = operatorOf(service.origin, made.secrets.OPERATOR_KEY);
  const { token } = await operator.issueToken({ project: "Demo" });
  const control = createControl(reach, sandbox.origin);
  await control.settings({ realism });
  await enterWebhooks(operator, control);
  return {
    get service() {
      return service;
    },
    sandbox,
    operator,
    api: createApi(service.origin, token),
    token,
    directory,
    control,
    secrets: made.secrets,
    async restartService(changed = {}) {
      options = { ...options, variables: { ...options.variables, ...changed } };
      service = startService(options);
      await service.ready();
    },
  };
}

/**
 * Connects the accounts like a user, through the hosted page and the platforms' consent pages. Returns the
 * session's final connect-status; throws the last page's text if a step fails.
 */
export async function connectAccounts(
  api: Api,
  choice: { readonly platforms: readonly string[]; readonly accounts: readonly string[] },
): Promise<ConnectStatus> {
  const { connect_url: url, connect_token: token } = await api.connectChannel({ userId: "a-person" });
  const page = await connectThrough(new Browser(reach), url, choice);
  const status = await api.connectStatus(token);
  if (status.connect_status === "success") return status;
  const why = status.message ?? `the last page was ${new URL(page.url).origin}, ${page.status}`;
  throw new Error(`The connection session ended as ${status.connect_status}: ${why}.`);
}

/**
 * Connects the first accounts of each of these platforms in the sandbox in one session. Additional logins
 * have names such as `platform:purpose`.
 */
export async function connectAll(
  { api, control }: Pick<World, "api" | "control">,
  platforms: readonly string[],
  each: number,
): Promise<ConnectStatus> {
  const offered = await Promise.all(platformsOf(platforms).map((platform) => control.accounts(platform)));
  return connectAccounts(api, { platforms, accounts: offered.flatMap((accounts) => accounts.slice(0, each)) });
}

/** The platforms of these logins, each once: `facebook` and `facebook:ads` are of the same. */
const platformsOf = (logins: readonly string[]): readonly string[] => [
  ...new Set(logins.map((login) => login.split(":")[0] ?? login)),
];

/** A project of its own with channels, by default on Facebook and X. */
export interface Project {
  readonly name: string;
  /** The token of the first client. */
  readonly token: string;
  /** One client per token, because each token has its own rate limit. */
  readonly apis: readonly [Api, ...Api[]];
  readonly channels: readonly Channel[];
}

interface ProjectOptions {
  /** With further logins by their names, `platform:purpose`. */
  readonly platforms?: readonly string[];
  readonly accounts?: readonly string[];
  readonly tokens?: number;
}

/** Connects these accounts, by default a new one on each platform. */
export async function createProject(
  { control, operator, service }: Pick<World, "control" | "operator"> & { service: Pick<Running, "origin"> },
  name: string,
  { platforms = ["facebook", "twitter"], accounts, tokens = 1 }: ProjectOptions = {},
): Promise<Project> {
  const newToken = async () => (await operator.issueToken({ project: name })).token;
  const token = await newToken();
  const apis: [Api, ...Api[]] = [createApi(service.origin, token)];
  while (apis.length < tokens) apis.push(createApi(service.origin, await newToken()));
  const own = accounts ?? (await newAccounts(control, platforms, name));
  await connectAccounts(apis[0], { platforms, accounts: own });
  return { name, token, apis, channels: await apis[0].listChannels() };
}

/** A new account on each platform; some are named with a further login (`platform:purpose`). */
function newAccounts(control: World["control"], logins: readonly string[], name: string): Promise<string[]> {
  return Promise.all(platformsOf(logins).map((platform) => control.addAccount(platform, name)));
}

/** Raises the platforms' rate limits, for runs that measure our own. */
export const raiseRateLimits = ({ control }: World): Promise<void> =>
  control.settings({ facebook_calls_per_hour: 100_000_000, twitter_rate_limit_scale: 1000 });

/** Removed with the scope. */
export function temporaryDirectory(scope: Scope): string {
  const directory = makeScratch("belfry-");
  scope.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
