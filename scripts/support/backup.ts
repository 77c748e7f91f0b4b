import {
  appendFileSync,
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { createSealer } from "../../src/core/sealing.ts";
import { parseSealingKeys } from "../../src/core/secrets.ts";
import { afterRestore } from "../../src/jobs/set-back-notes.ts";
import { Refusal } from "./command.ts";
import type { Bucket, ObjectAbout, Stores } from "./stores.ts";

/**
 * A copy of a service in a folder: `manifest.json`, one SQL file a database, the objects of the bucket in
 * `files/` with their list `files.jsonl`, and, if wanted, the secrets in `keys.env`. The manifest is written
 * last: without it a folder is no copy.
 */
const MANIFEST = "manifest.json";
const LIST = "files.jsonl";
export const KEYS = "keys.env";
const FORMAT = 1;
/** Objects pass through memory in pieces of this size; R2 wants parts of equal size. */
const PIECE_BYTES = 16 * 1024 * 1024;

/**
 * A sealed value of each key: shows before a restoration whether the keys at hand open what is in the copy.
 */
const Probe = z.object({ key: z.string(), context: z.string(), sealed: z.string() });
const Manifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  databases: z.array(z.object({ name: z.string(), file: z.string(), bytes: z.int() })).min(1),
  files: z.object({ count: z.int(), bytes: z.int() }),
  probes: z.array(Probe).readonly(),
});
export type Manifest = z.output<typeof Manifest>;

const Listed = z.object({
  key: z.string(),
  size: z.int(),
  etag: z.string(),
  httpMetadata: z.record(z.string(), z.unknown()).default({}),
  customMetadata: z.record(z.string(), z.string()).default({}),
});
type Listed = z.output<typeof Listed>;

/** The manifest of a copy; throws a Refusal if the folder is none. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) throw new Refusal(`${folder} is no finished copy: it has no ${MANIFEST}.`);
  const read = Manifest.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!read.success) throw new Refusal(`${file} was written by another version of Belfry.`);
  return read.data;
}

/**
 * Copies everything into a folder; one that has an earlier copy is brought up to date. The databases come
 * first: a file is never deleted before its row.
 */
export async function copyOut(stores: Stores, folder: string, credentialKeys: string | null): Promise<Manifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, LIST)))
    throw new Refusal(`${folder} exists, and is no copy.`);
  mkdirSync(join(folder, "files"), { recursive: true, mode: 0o700 });
  const probes = await findProbes(stores);
  if (credentialKeys !== null) await refuseUnreadable(probes, credentialKeys);
  // Until the end the folder is no copy.
  rmSync(join(folder, MANIFEST), { force: true });
  const made_at = new Date().toISOString();
  const databases = [];
  for (const [number, name] of stores.databases.entries()) {
    const file = `database-${number}.sql`;
    await writeDatabase(stores, number, join(folder, file));
    databases.push({ name, file, bytes: statSync(join(folder, file)).size });
  }
  const files = await copyFiles(stores.files, folder);
  const manifest: Manifest = { format: FORMAT, made_at, databases, files, probes };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

const Made = z.array(z.object({ type: z.string(), sql: z.string() }));
/** Our tables, with their indexes and triggers; the tables first. */
const SCHEMA = `SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
  AND name NOT LIKE '!_cf!_%' ESCAPE '!' ORDER BY type <> 'table', rowid`;

/**
 * A database as SQL that can be run from its start to its end. The file of `wrangler d1 export` alone cannot:
 * it has rows of a table before the table to which they refer. Triggers come last: they would count rows
 * twice.
 */
async function writeDatabase(stores: Stores, number: number, file: string): Promise<void> {
  const rows = `${file}.rows`;
  try {
    await stores.exportRows(number, rows);
    const made = Made.parse(await stores.query(number, SCHEMA));
    const [tables, others] = [made.filter(({ type }) => type === "table"), made.filter(({ type }) => type !== "table")];
    const text = (statements: z.output<typeof Made>) => statements.map(({ sql }) => `${sql};\n`).join("");
    writeFileSync(file, `PRAGMA defer_foreign_keys=TRUE;\n${text(tables)}`, { mode: 0o600 });
    chmodSync(file, 0o600);
    await pipeline(createReadStream(rows), createWriteStream(file, { flags: "a" }));
    appendFileSync(file, `\n${text(others)}`);
  } finally {
    rmSync(rows, { force: true });
  }
}

/**
 * Credentials of a channel and a secret of a webhook for each key that sealed any (src/channels,
 * src/deliveries).
 */
const PROBES = `SELECT credentials_key AS key, 'channel:' || channel_id || ':' || purpose AS context, min(credentials) AS sealed
  FROM grants WHERE credentials IS NOT NULL GROUP BY credentials_key
  UNION ALL SELECT secret_key, 'webhook:' || project_id, min(secret) FROM webhooks GROUP BY secret_key`;

async function findProbes(stores: Stores): Promise<readonly z.output<typeof Probe>[]> {
  const found = [];
  for (const number of stores.databases.keys()) found.push(...z.array(Probe).parse(await stores.query(number, PROBES)));
  return [...new Map(found.map((probe) => [probe.key, probe])).values()];
}

/** Throws a Refusal that names the keys without which sealed values of the copy could not be read. */
export async function refuseUnreadable(probes: Manifest["probes"], credentialKeys: string): Promise<void> {
  const sealer = createSealer(parseSealingKeys(credentialKeys) ?? []);
  const opened = await Promise.all(probes.map(({ sealed, context }) => sealer.open(sealed, context)));
  const unreadable = probes.filter((_, at) => opened[at] === null).map(({ key }) => key);
  if (unreadable.length > 0)
    throw new Refusal(
      `CREDENTIAL_KEYS lacks, or has another, key ${unreadable.join(", ")}: without it nobody can read the credentials that it sealed.`,
    );
}

async function copyFiles(bucket: Bucket, folder: string): Promise<Manifest["files"]> {
  const before = new Map(readList(folder).map((one) => [one.key, one.etag]));
  const list = join(folder, `${LIST}.new`);
  writeFileSync(list, "", { mode: 0o600 });
  const sum = { count: 0, bytes: 0 };
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const page = await bucket.list({
      include: ["httpMetadata", "customMetadata"],
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const object of page.objects) {
      const { key, size, etag, httpMetadata, customMetadata } = object;
      const target = fileOf(folder, key);
      const isKept = before.get(key) === etag && existsSync(target) && statSync(target).size === size;
      // Deleted meanwhile, by its row: the copy of the database may still name it, as after any restoration.
      if (!isKept && !(await download(bucket, object, target))) continue;
      appendFileSync(list, `${JSON.stringify(Listed.parse({ key, size, etag, httpMetadata, customMetadata }))}\n`);
      sum.count += 1;
      sum.bytes += size;
    }
    cursor = page.cursor;
    isLast = !page.truncated;
  }
  renameSync(list, join(folder, LIST));
  return sum;
}

/** False if the object does not exist any more. */
async function download(
  bucket: Bucket,
  { key, size }: { readonly key: string; readonly size: number },
  target: string,
): Promise<boolean> {
  const part = `${target}.part`;
  const file = await open(part, "w", 0o600);
  try {
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      const object = await bucket.get(key, { range: { offset, length: Math.min(PIECE_BYTES, size - offset) } });
      if (object === null) {
        rmSync(part, { force: true });
        return false;
      }
      await file.write(new Uint8Array(await object.arrayBuffer()));
    }
  } finally {
    await file.close();
  }
  renameSync(part, target);
  return true;
}

/** Names of objects have slashes; no name that we give has more than 255 bytes in this form. */
const fileOf = (folder: string, key: string): string => join(folder, "files", encodeURIComponent(key));

function readList(folder: string): readonly Listed[] {
  const file = join(folder, LIST);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [Listed.parse(JSON.parse(line))]));
}

/** Throws a Refusal if a database has tables: a copy is only restored into empty ones. */
export async function refuseUnlessEmpty(stores: Stores): Promise<void> {
  const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
    AND name NOT LIKE '!_cf!_%' ESCAPE '!' LIMIT 1`;
  for (const [number, name] of stores.databases.entries()) {
    if ((await stores.query(number, tables)).length > 0)
      throw new Refusal(`The database ${name} is not empty. A copy is restored into new databases only.`);
  }
}

/**
 * Restores a copy into empty databases. Each notes the time that it has lost: posts that went live since are
 * looked up before they are sent (docs/decisions/0059).
 */
export async function restoreFrom(stores: Stores, folder: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  for (const object of readList(folder)) await upload(stores.files, folder, object);
  for (const [number, { file }] of manifest.databases.entries()) await stores.importFrom(number, join(folder, file));
  const note = join(folder, "restored.sql");
  writeFileSync(note, afterRestore(Date.parse(manifest.made_at), Date.now()));
  for (const number of manifest.databases.keys()) await stores.importFrom(number, note);
  rmSync(note, { force: true });
  return manifest;
}

async function upload(bucket: Bucket, folder: string, { key, size, httpMetadata, customMetadata }: Listed) {
  const path = fileOf(folder, key);
  if (!existsSync(path) || statSync(path).size !== size) throw new Refusal(`${path} is missing, or not whole.`);
  const about: ObjectAbout = { httpMetadata, customMetadata };
  const file = await open(path);
  const read = async (offset: number) => {
    const bytes = new Uint8Array(Math.min(PIECE_BYTES, size - offset));
    await file.read(bytes, 0, bytes.length, offset);
    return bytes;
  };
  try {
    if (size <= PIECE_BYTES) return await bucket.put(key, await read(0), about);
    const sending = await bucket.createMultipartUpload(key, about);
    const parts = [];
    for (let offset = 0; offset < size; offset += PIECE_BYTES)
      parts.push(await sending.uploadPart(parts.length + 1, await read(offset)));
    await sending.complete(parts);
  } finally {
    await file.close();
  }
}
