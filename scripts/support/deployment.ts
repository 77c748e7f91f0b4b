import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { ROOT } from "./paths.ts";
import { CONFIGS } from "./prepare.ts";

/**
 * The configuration of the deployed service: wrangler.toml, which is tracked, with the operator's own
 * settings over it, which are not. So `git pull` has nothing to merge, and no command writes into a tracked
 * file.
 */

/** The operator's settings, in the form of wrangler.toml; optional. */
export const settingsFile = (): string => resolve(ROOT, process.env.BELFRY_SETTINGS || "settings.toml");

/**
 * What wrangler reads. Beside wrangler.toml, because paths in it are relative to its folder; of this process
 * alone, because another command may run with other settings.
 */
const MERGED = `wrangler.merged.${process.pid}.json`;
const MERGED_BANNERS = `wrangler.merged.banners.${process.pid}.json`;

type Value = unknown;
type Table = Readonly<Record<string, Value>>;

/** Writes the merged configuration, and returns its path for `--config`. The file ends with the process. */
export function deploymentConfig(): string {
  return writeConfig(MERGED, mergedSettings(settingsFile()));
}

/** The same of the Worker of banners, which belongs to one service. */
export function bannersConfig(): string {
  return writeConfig(MERGED_BANNERS, bannersSettings(mergedSettings(settingsFile())));
}

function writeConfig(name: string, settings: Table): string {
  const file = join(ROOT, name);
  if (!existsSync(file)) process.once("exit", () => rmSync(file, { force: true }));
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
  return file;
}

/**
 * The settings of wrangler.toml, with those of this file over them if it is there. The service binds the
 * Worker of banners that has its name.
 */
export function mergedSettings(own: string): Table {
  const base = readTable(join(ROOT, CONFIGS.service));
  const merged = existsSync(own) ? mergeTables(base, readTable(own)) : base;
  return mergeTables(merged, { services: [{ binding: "BANNERS", service: bannersNameOf(merged) }] });
}

/** Cloudflare's builds name the service after the Worker that they belong to, whatever its settings say. */
const bannersNameOf = ({ name }: Table): string => `${process.env[OVERRIDING] || String(name)}-banners`;
const OVERRIDING = "WRANGLER_CI_OVERRIDE_NAME";

/** What would give the Worker of banners the name of the service, or compare the two. */
export const WITHOUT_OVERRIDING = { [OVERRIDING]: undefined, WRANGLER_CI_MATCH_TAG: undefined };

/** Settings that say where a Worker is deployed, and so count for both. */
const COMMON = ["account_id", "compliance_region"];

function bannersSettings(service: Table): Table {
  const folder = dirname(CONFIGS.banners);
  const { main, assets, ...rest } = readTable(join(ROOT, CONFIGS.banners));
  const common = Object.entries(service).filter(([name]) => COMMON.includes(name));
  return {
    ...rest,
    ...Object.fromEntries(common),
    name: bannersNameOf(service),
    // Their paths are relative to the folder of the file.
    main: join(folder, String(main)),
    assets: isTable(assets) ? { ...assets, directory: join(folder, String(assets.directory)) } : assets,
  };
}

const readTable = (config: string): Table => ({ ...readRawConfig({ config }).rawConfig });

/**
 * The settings of `own` over those of `base`. Tables are merged; of lists of tables, an entry replaces the
 * one with the same binding, name, queue or tag, or is added. Everything else is replaced. Pure.
 */
export function mergeTables(base: Table, own: Table): Table {
  const merged = Object.entries(own).map(([name, value]) => [name, mergeValues(base[name], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

function mergeValues(base: Value, own: Value): Value {
  if (isTable(base) && isTable(own)) return mergeTables(base, own);
  if (!isTables(base) || !isTables(own)) return own;
  const added = own.filter((entry) => !base.some((one) => isSame(one, entry)));
  return [...base.map((one) => own.find((entry) => isSame(one, entry)) ?? one), ...added];
}

/** What names an entry of a list, the first that it has. */
const IDENTITIES = ["binding", "name", "queue", "tag"];
const identityOf = (entry: Table): string | undefined =>
  IDENTITIES.flatMap((key) => (key in entry ? [`${key} ${String(entry[key])}`] : []))[0];
const isSame = (one: Table, other: Table): boolean =>
  identityOf(one) !== undefined && identityOf(one) === identityOf(other);

const isTable = (value: Value): value is Table => typeof value === "object" && value !== null && !Array.isArray(value);
const isTables = (value: Value): value is readonly Table[] => Array.isArray(value) && value.every(isTable);
