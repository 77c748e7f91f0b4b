import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { z } from "zod";
import { bindingOf } from "../../src/db/databases.ts";
import { Refusal, type Scope } from "./command.ts";
import { readSettings } from "./settings.ts";
import { wrangler } from "./tools.ts";

/** The databases and the bucket of a service, outside of it: of a state directory, or deployed. */

/** The part of a bucket's binding that is used here. */
export interface Bucket {
  list(options: { readonly cursor?: string; readonly include: readonly string[] }): Promise<{
    readonly objects: readonly StoredObject[];
    readonly truncated: boolean;
    readonly cursor?: string;
  }>;
  get(key: string, options: { readonly range: Range }): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
  put(key: string, bytes: Uint8Array, about: ObjectAbout): Promise<unknown>;
  createMultipartUpload(key: string, about: ObjectAbout): Promise<Upload>;
}
interface Range {
  readonly offset: number;
  readonly length: number;
}
interface Upload {
  uploadPart(number: number, bytes: Uint8Array): Promise<unknown>;
  complete(parts: readonly unknown[]): Promise<unknown>;
  abort(): Promise<void>;
}
export interface ObjectAbout {
  readonly httpMetadata?: Readonly<Record<string, unknown>>;
  readonly customMetadata?: Readonly<Record<string, string>>;
}
interface StoredObject extends ObjectAbout {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
}

export interface Stores {
  /** The names of the databases, by their numbers. */
  readonly databases: readonly string[];
  readonly files: Bucket;
  /** The rows of a query in database `number`. */
  query(number: number, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Writes the rows of database `number` as SQL (`wrangler d1 export`). */
  exportRows(number: number, file: string): Promise<void>;
  /** Runs the statements of a file in database `number`. */
  importFrom(number: number, file: string): Promise<void>;
  /** Creates the deployed databases and the bucket, unless they exist. */
  ensure(databases: number): Promise<void>;
}

const COMPATIBILITY_DATE = "2026-10-01";
const BUCKET = "belfry-files";

/** Of the service of this state directory; of the deployed one, if there is none. */
export async function openStores(scope: Scope, directory: string | null): Promise<Stores> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-stores-"));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { databases, bucket } = directory === null ? deployedNames() : localNames(directory);
  if (directory !== null) {
    // `wrangler d1 export` has no option for the place of local databases: it looks beside its configuration.
    mkdirSync(join(folder, ".wrangler"));
    mkdirSync(join(directory, "service"), { recursive: true, mode: 0o700 });
    symlinkSync(join(directory, "service"), join(folder, ".wrangler", "state"));
  }
  const config = join(folder, "wrangler.json");
  const isRemote = directory === null;
  writeFileSync(
    config,
    JSON.stringify({
      name: "belfry-backup",
      compatibility_date: COMPATIBILITY_DATE,
      d1_databases: databases.map((database_name, number) => ({ binding: bindingOf(number), database_name })),
    }),
  );
  const files = join(folder, "files.json");
  writeFileSync(
    files,
    JSON.stringify({
      name: "belfry-backup",
      compatibility_date: COMPATIBILITY_DATE,
      r2_buckets: [{ binding: "FILES", bucket_name: bucket, ...(isRemote ? { remote: true } : {}) }],
    }),
  );
  const proxy = await getPlatformProxy<{ FILES: Bucket }>({
    configPath: files,
    persist: directory === null ? false : { path: join(directory, "service", "v3") },
    remoteBindings: isRemote,
  });
  scope.defer(() => proxy.dispose());
  const place = ["--config", config, isRemote ? "--remote" : "--local"];
  const d1 = async (args: readonly string[]) => {
    const { code, output } = await wrangler(["d1", ...args, ...place], { env: { CI: "true" } });
    if (code !== 0) throw new Refusal(`\`wrangler d1 ${args.slice(0, 2).join(" ")}\` failed:\n${output}`);
    return output;
  };
  return {
    databases,
    files: proxy.env.FILES,
    query: async (number, sql) => rowsIn(await d1(["execute", bindingOf(number), "--yes", "--json", "--command", sql])),
    exportRows: async (number, file) =>
      void (await d1(["export", bindingOf(number), "--no-schema", "--skip-confirmation", "--output", file])),
    importFrom: async (number, file) => void (await d1(["execute", bindingOf(number), "--yes", "--file", file])),
    async ensure(count) {
      if (!isRemote) return;
      if (count > databases.length)
        throw new Refusal(
          `The copy has ${count} databases: \`npm run deploy -- --databases ${count} --dry-run\` shows how.`,
        );
      for (const name of databases) await ensure(["d1", "create", name]);
      await ensure(["r2", "bucket", "create", bucket]);
    },
  };
}

function deployedNames() {
  const { databases, buckets } = readSettings();
  return { databases, bucket: buckets[0] ?? BUCKET };
}

/** A local database is a file; one without any is created by the first statement. */
function localNames(directory: string) {
  const folder = join(directory, "service", "v3", "d1", "miniflare-D1DatabaseObject");
  let count = 1;
  try {
    count = readdirSync(folder).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file)).length || 1;
  } catch {
    // No database yet.
  }
  const databases = Array.from({ length: count }, (_, number) => (number === 0 ? "belfry" : `belfry-${number}`));
  return { databases, bucket: BUCKET };
}

async function ensure(args: readonly string[]): Promise<void> {
  const { code, output } = await wrangler([...args, "--update-config=false"], { env: { CI: "true" } });
  if (code !== 0 && !/already (exists|taken|in use)|11009/i.test(output))
    throw new Refusal(`\`wrangler ${args.join(" ")}\` failed:\n${output}`);
}

const Answer = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) })).min(1);

function rowsIn(output: string) {
  const [answer] = Answer.parse(JSON.parse(output.slice(output.indexOf("["))));
  return answer?.results ?? [];
}
