import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const Secrets = z.object({ CREDENTIAL_KEYS: z.string(), SIGNING_KEY: z.string(), OPERATOR_KEY: z.string() });
export type Secrets = z.output<typeof Secrets>;

/** The service's secrets for this state directory: created once, readable only by their owner. */
export function ensureSecrets(directory: string): Secrets {
  const file = join(directory, "secrets.json");
  if (existsSync(file)) return Secrets.parse(JSON.parse(readFileSync(file, "utf8")));
  const secrets = makeSecrets();
  writePrivate(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Creates secrets of 256 random bits each. */
export function makeSecrets(): Secrets {
  return {
    CREDENTIAL_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    SIGNING_KEY: randomBytes(32).toString("base64url"),
    OPERATOR_KEY: randomBytes(32).toString("base64url"),
  };
}

/** Passes variables to wrangler in a file, so that no secret appears in the process list. */
export function writeVariables(file: string, variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`);
  writePrivate(file, `${lines.join("\n")}\n`);
}

export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  // An existing file keeps its mode on write.
  chmodSync(file, 0o600);
}
