import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { plural } from "../src/core/text.ts";
import {
  copyOut,
  KEYS,
  type Manifest,
  readManifest,
  refuseUnlessEmpty,
  refuseUnreadable,
  restoreFrom,
} from "./support/backup.ts";
import { isLoggedIn } from "./support/cloudflare.ts";
import { Refusal, readArguments, runCommand, type Scope } from "./support/command.ts";
import { megabytes } from "./support/memory.ts";
import { shortPath, stateDirectory } from "./support/paths.ts";
import { writePrivate } from "./support/secrets.ts";
import { PRODUCTION_FILE, readSecretsFile } from "./support/secrets-file.ts";
import { findUser } from "./support/state.ts";
import { openStores } from "./support/stores.ts";
import { green, say, yellow } from "./support/terminal.ts";

const USAGE = `npm run backup -- [--to FOLDER] [--with-keys] [--remote] [--secrets-file FILE]
npm run backup -- --restore FOLDER [--remote] [--secrets-file FILE]

Copies the databases (\`wrangler d1 export\`) and every file of the bucket into a folder, or restores such a copy into empty
databases. The folder has personal data; credentials in it are sealed.

  --to FOLDER          where to (default: backup- and the time). A folder with an earlier copy is brought up to date: files that it
                       has are not copied again
  --with-keys          also writes the secrets into the folder (${KEYS}). Without them, keep CREDENTIAL_KEYS and SIGNING_KEY elsewhere:
                       no one can read the credentials, or use the tokens, of a copy without its keys
  --restore FOLDER     restores the copy. Posts that went live after it was made are looked up, and not sent again
  --secrets-file FILE  the secrets, to check that they open what the copy has (with --remote: ${PRODUCTION_FILE}, if it exists;
                       for a restoration ${KEYS} of the copy)
  --remote             the deployed service. Requires \`npx wrangler login\` or CLOUDFLARE_API_TOKEN`;

const OPTIONS = {
  to: { type: "string" },
  "with-keys": { type: "boolean" },
  restore: { type: "string" },
  "secrets-file": { type: "string" },
  remote: { type: "boolean" },
} as const;
type Options = ReturnType<typeof readArguments<typeof OPTIONS>>;
type Secrets = Readonly<Record<string, string>>;

async function backup(scope: Scope): Promise<void> {
  const options = readArguments(OPTIONS);
  if (options.restore !== undefined && (options.to !== undefined || options["with-keys"]))
    throw new Refusal("--restore does not go with --to and --with-keys.");
  if (options.remote && !(await isLoggedIn()))
    throw new Refusal("Not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
  const directory = options.remote ? null : stateDirectory();
  if (options.restore === undefined) await copy(scope, options, directory);
  else await restore(scope, { options, directory, folder: resolve(options.restore) });
}

async function copy(scope: Scope, options: Options, directory: string | null): Promise<void> {
  const folder = resolve(options.to ?? `backup-${new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-")}`);
  const secrets = givenSecrets(options, directory);
  if (options["with-keys"] && secrets?.CREDENTIAL_KEYS === undefined)
    throw new Refusal("--with-keys needs the secrets: name their file with --secrets-file.");
  const stores = await openStores(scope, directory);
  const manifest = await copyOut(stores, folder, secrets?.CREDENTIAL_KEYS ?? null);
  if (options["with-keys"] && secrets) writePrivate(join(folder, KEYS), linesOf(secrets));
  say(`${green("✓")} ${shortPath(folder)}: ${contentOf(manifest)}.`);
  if (secrets === null && manifest.probes.length > 0) {
    const ids = manifest.probes.map(({ key }) => key).join(", ");
    say(
      `${yellow("!")} Not checked: whether you have the keys (${ids}) that sealed its credentials. Name their file with --secrets-file.`,
    );
  } else if (!options["with-keys"]) say(`  Your keys open its credentials. Keep a copy of them elsewhere.`);
}

interface Restoration {
  readonly options: Options;
  readonly directory: string | null;
  readonly folder: string;
}

async function restore(scope: Scope, { options, directory, folder }: Restoration): Promise<void> {
  const { probes, databases } = readManifest(folder);
  const keys = join(folder, KEYS);
  const secrets = givenSecrets(options, directory) ?? readSecretsFile(keys);
  if (!secrets?.CREDENTIAL_KEYS)
    throw new Refusal(`The secrets of the copy are needed: name their file with --secrets-file.`);
  await refuseUnreadable(probes, secrets.CREDENTIAL_KEYS);
  if (directory !== null && (await findUser(directory)))
    throw new Refusal(`A service runs in ${shortPath(directory)}. Stop it first.`);
  const stores = await openStores(scope, directory);
  await stores.ensure(databases.length);
  await refuseUnlessEmpty(stores);
  const manifest = await restoreFrom(stores, folder);
  if (directory !== null) keepSecrets(directory, secrets);
  say(`${green("✓")} Restored ${contentOf(manifest)}, as of ${manifest.made_at}.`);
  const file = existsSync(keys) ? ` -- --secrets-file ${shortPath(keys)}` : "";
  say(directory === null ? `  Now \`npm run deploy${file}\`, with the same keys.` : "  Now `npm start`.");
}

/** The secrets that the person has at hand; null if there are none. */
function givenSecrets(options: Options, directory: string | null): Secrets | null {
  const named = options["secrets-file"];
  if (named !== undefined) {
    const given = readSecretsFile(named);
    if (given === null) throw new Refusal(`There is no file ${named}.`);
    return given;
  }
  if (directory === null) return readSecretsFile(PRODUCTION_FILE);
  const own = join(directory, "secrets.json");
  return existsSync(own) ? JSON.parse(readFileSync(own, "utf8")) : null;
}

/** For a state directory that has none of its own. */
function keepSecrets(directory: string, { CREDENTIAL_KEYS, SIGNING_KEY, OPERATOR_KEY }: Secrets): void {
  const file = join(directory, "secrets.json");
  if (!existsSync(file))
    writePrivate(file, `${JSON.stringify({ CREDENTIAL_KEYS, SIGNING_KEY, OPERATOR_KEY }, null, 2)}\n`);
}

/** As dotenv lines that `parseEnv` reads back. */
function linesOf(secrets: Secrets): string {
  const text = Object.entries(secrets)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join("");
  const read: Readonly<Record<string, string | undefined>> = parseEnv(text);
  const lost = Object.keys(secrets).filter((name) => read[name] !== secrets[name]);
  if (lost.length > 0) throw new Refusal(`The values of ${lost.join(", ")} cannot be written as lines.`);
  return text;
}

const quoted = (value: string): string => (value.includes("'") ? `"${value}"` : `'${value}'`);

function contentOf({ databases, files }: Manifest): string {
  const bytes = databases.reduce((sum, one) => sum + one.bytes, 0);
  return `${plural(databases.length, "database")} (${megabytes(bytes)}), ${plural(files.count, "file")} (${megabytes(files.bytes)})`;
}

await runCommand(USAGE, backup);
