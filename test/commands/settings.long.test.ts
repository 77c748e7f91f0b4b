import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { mergedSettings, mergeTables } from "../../scripts/support/deployment.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { fakeCloudflare } from "./cloudflare.ts";
import { npmRun, temporaryFolder } from "./command.ts";

/** The operator's settings, which are not in a tracked file. */

const SETTINGS = `name = "acme"
routes = [{ pattern = "social.example.com", custom_domain = true }]

[vars]
PUBLIC_ORIGIN = "https://social.example.com"
MAX_WEBHOOKS = "5"

[[r2_buckets]]
binding = "FILES"
bucket_name = "acme-files"

[[send_email]]
name = "MAIL"
`;

function settingsFile(text: string): string {
  const file = join(temporaryFolder(), "settings.toml");
  writeFileSync(file, text);
  return file;
}

const tracked = () => readFileSync(join(ROOT, "wrangler.toml"), "utf8");

describe("settings.toml", () => {
  test("takes the place of the same in wrangler.toml, and leaves the rest and the file alone", async ({ expect }) => {
    const before = tracked();
    const file = settingsFile(SETTINGS);
    const ran = await npmRun("deploy", ["--dry-run"], { BELFRY_SETTINGS: file });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("our own limit") });
    const merged = mergedSettings(file);
    expect(merged).toMatchObject({
      name: "acme",
      main: "src/worker.ts",
      vars: { ENVIRONMENT: "production", PUBLIC_ORIGIN: "https://social.example.com", MAX_WEBHOOKS: "5" },
      r2_buckets: [{ binding: "FILES", bucket_name: "acme-files" }],
      send_email: [{ name: "MAIL" }],
      d1_databases: [{ binding: "DB", database_name: "belfry" }],
    });
    expect(merged.queues).toMatchObject({ consumers: { length: 7 } });
    expect(merged.services).toEqual([{ binding: "BANNERS", service: "acme-banners" }]);
    expect(tracked()).toBe(before);
  });

  test("decides what a deployment creates and where it looks", async ({ expect }) => {
    const fake = await fakeCloudflare({ secrets: ["CREDENTIAL_KEYS", "SIGNING_KEY", "OPERATOR_KEY"] });
    const env = { ...fake.env, BELFRY_URL: "", BELFRY_SETTINGS: settingsFile('name = "acme"\n') };
    await npmRun("deploy", [], env);
    // The fake knows the Worker belfry only: there is none yet of this name.
    expect(fake.calls).toContain("GET /workers/scripts/acme/secrets");
    expect(fake.calls).not.toContain("GET /workers/scripts/belfry/secrets");
  });

  test("gets the further databases; without the file wrangler.toml alone counts", async ({ expect }) => {
    const before = tracked();
    const env = { BELFRY_SETTINGS: settingsFile(SETTINGS) };
    const ran = await npmRun("deploy", ["--dry-run", "--databases", "3"], env);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("2 databases would be added to") });
    for (const text of ['binding = "DB_1"', 'database_name = "belfry-2"', 'queue = "belfry-sweeps"'])
      expect(ran.stdout).toContain(text);
    expect(readFileSync(env.BELFRY_SETTINGS, "utf8")).toBe(SETTINGS);
    expect(tracked()).toBe(before);
    const absent = join(temporaryFolder(), "settings.toml");
    const none = await npmRun("deploy", ["--dry-run"], { BELFRY_SETTINGS: absent });
    expect(none.code).toBe(0);
    expect(mergedSettings(absent)).toMatchObject({ name: "belfry", vars: { PUBLIC_ORIGIN: "" } });
  });

  test("is ignored by git, as is what is made of it, and its example sets nothing else", ({ expect }) => {
    const files = ["settings.toml", "wrangler.merged.1.json", "wrangler.merged.banners.1.json"];
    const ignored = execFileSync("git", ["check-ignore", ...files], { cwd: ROOT, encoding: "utf8" });
    expect(ignored.trim().split("\n")).toEqual(files);
    const example = readFileSync(join(ROOT, "settings.example.toml"), "utf8");
    expect(example.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([
      "[vars]",
      'PUBLIC_ORIGIN = ""',
    ]);
  });
});

describe("merging", () => {
  test("replaces entries of lists by what names them, adds others, and replaces all else", ({ expect }) => {
    const base = { a: 1, t: { x: 1, y: 2 }, list: [{ binding: "A", v: 1 }, { binding: "B" }], plain: ["x"] };
    const own = { a: 2, t: { y: 3 }, list: [{ binding: "A", v: 2 }, { binding: "C" }], plain: ["y"] };
    expect(mergeTables(base, own)).toEqual({
      a: 2,
      t: { x: 1, y: 3 },
      list: [{ binding: "A", v: 2 }, { binding: "B" }, { binding: "C" }],
      plain: ["y"],
    });
    expect(base.list[0]).toEqual({ binding: "A", v: 1 });
  });
});
