import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindingOf, seedIds } from "../../src/db/databases.ts";
import { Refusal } from "./command.ts";
import { ROOT } from "./paths.ts";
import { CONFIGS } from "./prepare.ts";
import { wrangler } from "./tools.ts";

/** Further databases of a service (docs/decisions/0064): their bindings, and how they are migrated. */

const NUMBER = /^binding = "DB_(\d+)"$/gm;
const BASE_NAME = /^database_name = "(.+)"$/m;

/** How many databases a wrangler.toml binds. */
export const databasesIn = (toml: string): number => 1 + [...toml.matchAll(NUMBER)].length;

/** The text of wrangler.toml with at least this many databases, and the queue of their sweeps. */
export function withDatabases(toml: string, count: number): string {
  const [, name = "belfry"] = BASE_NAME.exec(toml) ?? [];
  const hasSweeps = toml.includes('binding = "SWEEPS"');
  const added = furtherDatabases({ name, from: databasesIn(toml), to: count, hasSweeps });
  return added === "" ? toml : `${toml.trimEnd()}\n\n${added}`;
}

interface Further {
  /** Of database 0. */
  readonly name: string;
  /** How many there are, and how many there should be. */
  readonly from: number;
  readonly to: number;
  readonly hasSweeps: boolean;
}

/** The lines that add databases, and the queue of their sweeps if it is missing; empty if none is wanted. */
export function furtherDatabases({ name, from, to, hasSweeps }: Further): string {
  const added: string[] = [];
  if (to > 1 && !hasSweeps) added.push(sweepsOf(name));
  for (let number = from; number < to; number++) {
    added.push(`[[d1_databases]]
binding = "${bindingOf(number)}"
database_name = "${name}-${number}"
migrations_dir = "migrations"
`);
  }
  return added.join("\n");
}

/** A sweep that fails is repeated by the next minute. */
const sweepsOf = (
  name: string,
) => `# Several databases (docs/decisions/0064): each is swept by an invocation of its own.
[[queues.producers]]
binding = "SWEEPS"
queue = "${name}-sweeps"

[[queues.consumers]]
queue = "${name}-sweeps"
max_batch_size = 1
max_batch_timeout = 0
max_retries = 0
`;

export const readToml = (): string => readFileSync(join(ROOT, CONFIGS.service), "utf8");

/**
 * Writes the configuration with this many databases beside wrangler.toml. Returns how the further ones are
 * migrated.
 */
export function bindDatabases(config: string, count: number, directory: string): () => Promise<void> {
  return writeConfig(config, withDatabases(readToml(), count), { count, directory });
}

/**
 * The same for a built service that must not reload when files change: its messages and, in `npm run scale`,
 * its clock would be lost.
 */
export function bindOnce(config: string, count: number, directory: string): () => Promise<void> {
  return writeConfig(config, withDatabases(readToml().replace(BUILD, ""), count), { count, directory });
}
const BUILD = /^\[build\]\n(?:.+\n)*/m;

interface Databases {
  readonly count: number;
  readonly directory: string;
}

function writeConfig(config: string, toml: string, { count, directory }: Databases): () => Promise<void> {
  writeFileSync(join(ROOT, config), toml);
  const place = ["--local", "--persist-to", join(directory, "service"), "--config", config];
  return () => migrateDatabases(1, count, place);
}

/** How many databases are migrated at a time: one by one takes minutes, all at once is refused. */
const WAVE = 4;

/** Migrates the databases from this number on, and lets their ids start apart. Repeatable. */
export async function migrateDatabases(from: number, count: number, place: readonly string[]): Promise<void> {
  for (let start = from; start < count; start += WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, count - start) }, (_, index) => start + index);
    await Promise.all(wave.map((number) => migrateOne(number, place)));
  }
}

async function migrateOne(number: number, place: readonly string[]): Promise<void> {
  const binding = bindingOf(number);
  await done(["d1", "migrations", "apply", binding, ...place]);
  if (number > 0) await done(["d1", "execute", binding, "--command", seedIds(number).join("; "), "--yes", ...place]);
}

/** Local databases have one file in common, which refuses a second process while the first one opens it. */
const ATTEMPTS = 5;

async function done(args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await wrangler(args, { env: { CI: "true" } });
    if (code === 0) return;
    if (attempt >= ATTEMPTS || !output.includes("SQLITE_BUSY"))
      throw new Refusal(`\`wrangler ${args.slice(0, 4).join(" ")}\` failed:\n${output}`);
  }
}
