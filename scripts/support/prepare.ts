import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { areAssetsOf, hashInputs } from "./build-inputs.ts";
import { Refusal } from "./command.ts";
import { ROOT } from "./paths.ts";
import { ensureSecrets, type Secrets } from "./secrets.ts";
import { wrangler } from "./tools.ts";

/** Prepares what a Worker needs before it starts: secrets, database, bundle. wrangler makes the assets. */

export const CONFIGS = {
  service: "wrangler.toml",
  banners: join("src", "banners", "wrangler.toml"),
  sandbox: join("sandbox", "wrangler.toml"),
};

/** Prepares the secrets and the database of the service; returns the secrets. */
export async function prepare(directory: string, migrateMore: () => Promise<void> = async () => {}): Promise<Secrets> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const secrets = ensureSecrets(directory);
  await migrate(join(directory, "service"));
  await migrateMore();
  return secrets;
}

/** What a service starts with once it is built. */
export interface Built {
  readonly secrets: Secrets;
  /** Of the service. */
  readonly script: string;
  /** The configuration that runs the built Worker of banners. */
  readonly banners: string;
}

export interface Building {
  readonly service: Promise<Built>;
  readonly sandbox: Promise<string>;
}

export interface BuildingOptions {
  readonly onStep?: ((step: string) => void) | undefined;
  readonly migrateMore?: (() => Promise<void>) | undefined;
  /** The entry of the service, if not src/worker.ts. */
  readonly entry?: string | undefined;
}

/**
 * Also builds all Workers, and returns the paths of what they run from. These do not change when the sources
 * do: wrangler watches the sources, and a reload loses the messages of the local queue.
 */
export function prepareBuilt(
  directory: string,
  { onStep = () => {}, migrateMore, entry }: BuildingOptions = {},
): Building {
  const step = async <T>(done: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    onStep(done);
    return result;
  };
  const build = (name: keyof typeof CONFIGS, own?: string) =>
    step(`Built the ${name}`, buildWorker(CONFIGS[name], join(directory, "build", name), own));
  const prepared = step("Prepared the database", prepare(directory, migrateMore));
  const banners = step("Built the banners", buildBanners(join(directory, "build", "banners")));
  return {
    service: Promise.all([prepared, build("service", entry), banners]).then(([secrets, script, banners]) => {
      return { secrets, script, banners };
    }),
    sandbox: build("sandbox"),
  };
}

/**
 * Bundles the Worker of this configuration, or of another entry with it, unless it was built of the same
 * sources; returns the script's path.
 */
export async function buildWorker(config: string, directory: string, entry = "worker.ts"): Promise<string> {
  const script = join(directory, `${basename(entry, ".ts")}.js`);
  const hash = hashInputs();
  const inputs = `${config} ${entry} ${hash}`;
  const record = join(directory, "inputs");
  const isBuilt = existsSync(script) && existsSync(record) && readFileSync(record, "utf8") === inputs;
  // Only the service has assets, which all state directories share.
  if (isBuilt && (config === CONFIGS.sandbox || areAssetsOf(hash))) return script;
  rmSync(directory, { recursive: true, force: true });
  const own = entry === "worker.ts" ? [] : [entry];
  // Without a source map, which wrangler dev does not read and which takes a fifth of the time.
  const options = ["--dry-run", "--no-upload-source-maps", "--config", config, "--outdir", directory];
  const { code, output } = await wrangler(["deploy", ...own, ...options]);
  if (code !== 0) throw new Refusal(`The Worker of ${config} does not build:\n${output}`);
  writeFileSync(record, inputs);
  return script;
}

/** Bundles the Worker of banners, and returns a configuration that runs the bundle. */
async function buildBanners(directory: string): Promise<string> {
  const script = await buildWorker(CONFIGS.banners, directory);
  const { rawConfig } = readRawConfig({ config: join(ROOT, CONFIGS.banners) });
  const { build: _, ...rest } = rawConfig;
  const assets = { ...rest.assets, directory: join(ROOT, "dist", "fonts") };
  const file = join(directory, "wrangler.json");
  const text = JSON.stringify({ ...rest, main: basename(script), no_bundle: true, minify: false, assets });
  // A running `wrangler dev` reloads on every write.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  return file;
}

/** Migrates the local database of this state directory. Takes a few milliseconds if it is up to date. */
async function migrate(directory: string): Promise<void> {
  if (isUpToDate(directory)) return;
  const apply = ["d1", "migrations", "apply", "belfry", "--local", "--persist-to", directory];
  const { code, output } = await wrangler(apply, { env: { CI: "true" } });
  if (code !== 0) throw new Refusal(`The migrations could not be applied:\n${output}`);
}

/**
 * Opens the local database of this state directory, in wrangler's SQLite file. Null if it does not exist yet.
 */
export function withDatabase<T>(directory: string, act: (database: DatabaseSync) => T): T | null {
  const folder = join(directory, "v3", "d1", "miniflare-D1DatabaseObject");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const name = files.find((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  if (name === undefined) return null;
  const database = new DatabaseSync(join(folder, name), { timeout: 10_000 });
  try {
    return act(database);
  } finally {
    database.close();
  }
}

/** The migrations of this version: file names in order. */
const migrationNames = (): readonly string[] =>
  readdirSync(join(ROOT, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .sort();

/** Reads wrangler's own record of applied migrations. */
function isUpToDate(directory: string): boolean {
  try {
    const rows = withDatabase(directory, (database) => database.prepare("SELECT name FROM d1_migrations").all());
    const applied = new Set(rows?.map(({ name }) => name));
    return migrationNames().every((name) => applied.has(name));
  } catch {
    // No record yet.
    return false;
  }
}
