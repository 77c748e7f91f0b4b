import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { REQUIRED_SECRETS, readSecretsFile } from "../../scripts/support/secrets-file.ts";
import { fakeCloudflare, type World } from "./cloudflare.ts";
import { npmRun, temporaryFolder } from "./command.ts";

const cloudflare = (secrets: readonly string[] | null, more: Partial<World> = {}) =>
  fakeCloudflare({ secrets, ...more });

async function madeSecrets(): Promise<string> {
  const file = join(temporaryFolder(), ".prod.vars");
  const made = await npmRun("secrets", [file]);
  if (made.code !== 0) throw new Error(made.stderr);
  return file;
}

const changes = (calls: readonly string[]) => calls.filter((call) => !call.startsWith("GET "));

describe("npm run deploy", () => {
  test("names each missing secret before it touches anything, and the command that makes them", async ({ expect }) => {
    const fake = await cloudflare(null);
    const ran = await npmRun("deploy", ["--secrets-file", emptyFile()], fake.env);
    expect(ran.code).toBe(1);
    for (const name of REQUIRED_SECRETS) expect(ran.stderr).toContain(`${name} is missing.`);
    expect(ran.stderr).toContain("npm run secrets -- .prod.vars");
    expect(changes(fake.calls)).toEqual([]);
  });

  test("names weak secrets and half an app, but never a value; what the Worker has counts as there", async ({
    expect,
  }) => {
    const fake = await cloudflare(["CREDENTIAL_KEYS", "X_CLIENT_ID"]);
    const file = join(temporaryFolder(), "secrets");
    writeFileSync(file, "SIGNING_KEY=hunter2hunter2\nOPERATOR_KEY=change-me-please-change-me-please-now\n");
    const ran = await npmRun("deploy", ["--secrets-file", file], fake.env);
    expect(ran.code).toBe(1);
    expect(ran.stderr.match(/^✗ \w+/gm)).toEqual(["✗ SIGNING_KEY", "✗ OPERATOR_KEY", "✗ X_CLIENT_SECRET"]);
    expect(ran.stderr).toContain("npx wrangler secret put SIGNING_KEY");
    expect(ran.stderr + ran.stdout).not.toMatch(/hunter2|change-me/);
    expect(changes(fake.calls)).toEqual([]);
  });

  test("brings the secrets up with the very first version, after the queues, the bucket, the database and the migrations", async ({
    expect,
  }) => {
    const starting = { status: 503, body: { message: "Not yet." } };
    const health = [starting, { status: 200, body: { message: "Ready." } }];
    // Left by an earlier try: what exists is not created again.
    const queues = ["jobs", "media", "replies", "generation", "campaigns", "hooks"].map((name) => `belfry-${name}`);
    const fake = await cloudflare(null, { health, queues });
    const file = await madeSecrets();
    const ran = await npmRun("deploy", ["--secrets-file", file], fake.env);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/healthz: ready\./) });
    const at = (call: RegExp) => changes(fake.calls).findIndex((one) => call.test(one));
    const order = [
      /POST \/queues$/,
      /POST \/r2\/buckets$/,
      /POST \/d1\/database$/,
      /\/query$/,
      // Cloudflare refuses a binding to a Worker that is not there.
      /PUT \/workers\/scripts\/belfry-banners$/,
      /PUT \/workers\/scripts\/belfry$/,
    ];
    const places = order.map(at);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(fake.calls.filter((call) => call === "POST /queues")).toHaveLength(1);
    expect(Object.fromEntries(fake.uploaded?.secrets ?? [])).toEqual(readSecretsFile(file));
    expect(fake.uploaded?.services).toEqual(["belfry-banners"]);
  });

  test("gives the Worker of banners its own name where Cloudflare's builds name the service", async ({ expect }) => {
    const env = { WRANGLER_CI_OVERRIDE_NAME: "belfry", WRANGLER_CI_MATCH_TAG: "" };
    const file = settingsFile('name = "other"\n');
    const fake = await cloudflare(null, { health: [{ status: 200, body: { message: "Ready." } }] });
    const secrets = await madeSecrets();
    const ran = await npmRun("deploy", ["--secrets-file", secrets], { ...fake.env, ...env, BELFRY_SETTINGS: file });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/healthz: ready\./) });
    const uploads = fake.calls.filter((call) => /^PUT \/workers\/scripts\/[^/]+$/.test(call));
    expect(uploads).toEqual(["PUT /workers/scripts/belfry-banners", "PUT /workers/scripts/belfry"]);
    expect(fake.uploaded?.services).toEqual(["belfry-banners"]);
  });
});

describe("npm run secrets", () => {
  test("creates what is missing, keeps what exists, and lets no other user read it", async ({ expect }) => {
    const file = join(temporaryFolder(), ".dev.vars");
    writeFileSync(file, "# mine\nX_CLIENT_ID=abc\nSIGNING_KEY=\n");
    expect((await npmRun("secrets", [file])).stdout).toContain(
      "CREDENTIAL_KEYS, SIGNING_KEY, OPERATOR_KEY, ENVIRONMENT",
    );
    const first = readSecretsFile(file);
    expect(first).toMatchObject({ X_CLIENT_ID: "abc", ENVIRONMENT: "development" });
    expect(readFileSync(file, "utf8")).toContain("# mine");
    expect(statSync(file).mode & 0o077).toBe(0);
    await npmRun("secrets", [file]);
    expect(readSecretsFile(file)).toEqual(first);
  });
});

function settingsFile(text: string): string {
  const file = join(temporaryFolder(), "settings.toml");
  writeFileSync(file, text);
  return file;
}

function emptyFile(): string {
  const file = join(temporaryFolder(), "secrets");
  writeFileSync(file, "");
  return file;
}
