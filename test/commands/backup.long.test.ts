import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type ExpectStatic, test } from "vitest";
import { createApi } from "../../scripts/support/api.ts";
import { waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { withDatabase } from "../../scripts/support/prepare.ts";
import { ensureSecrets, makeSecrets } from "../../scripts/support/secrets.ts";
import { startCron, startService } from "../../scripts/support/workers.ts";
import { bootWorld, connectAll } from "../../scripts/support/world.ts";
import { npmRun, temporaryFolder } from "./command.ts";
import { testScope } from "./test-scope.ts";

/** Some forty starts of wrangler: a minute on an idle machine. */
const LIMIT_MS = 900_000;
const PICTURE = readFileSync(join(ROOT, "sandbox", "media", "square.jpg"));

describe("npm run backup", () => {
  test("copies a service out of its stores, and a copy of it lives on from there", { timeout: LIMIT_MS }, async ({
    expect,
  }) => {
    const scope = testScope();
    const world = await bootWorld(scope);
    const [channel = 0] = (await connectAll(world, ["facebook"], 1)).channel_ids ?? [];
    const url = await uploaded(world.service.origin, world.token);
    const post = { channel_type: "facebook", channel_id: channel, post_type: "post", media_urls: [] } as const;
    const schedule = { publish_mode: "scheduled", schedule_time: "2030-01-01 10:00", time_zone: "UTC" } as const;
    const later = await world.api.createPost({ ...post, ...schedule, caption_text: "Kept — ‘quoted’; with\nlines" });

    // While the service runs.
    const folder = join(temporaryFolder(), "copy");
    const env = { STATE_DIR: world.directory };
    const copied = await npmRun("backup", ["--to", folder, "--with-keys"], env);
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 database .*, 1 file /) });
    expect(readdirSync(folder).sort()).toEqual(["database-0.sql", "files", "files.jsonl", "keys.env", "manifest.json"]);
    for (const file of ["database-0.sql", "keys.env", "manifest.json"])
      expect(statSync(join(folder, file)).mode & 0o077, file).toBe(0);
    const again = await npmRun("backup", ["--to", folder], env);
    expect(again).toMatchObject({ code: 0 });

    const database = new DatabaseSync(":memory:");
    database.exec(`BEGIN; ${readFileSync(join(folder, "database-0.sql"), "utf8")}; COMMIT`);
    const own = withDatabase(join(world.directory, "service"), contentOf);
    expect(contentOf(database)).toEqual(own);
    expect(own?.find(({ name }) => name === "channels")?.rows).toBe(1);
    await refusals(folder, env, expect);

    // Posts after the copy are lost: the restored database says from when on.
    await world.api.createPost({ ...post, ...schedule, caption_text: "Lost" });
    const state = join(temporaryFolder(), "state");
    const before = Date.now();
    const restored = await npmRun("backup", ["--restore", folder], { STATE_DIR: state });
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("Restored 1 database") });
    const note = withDatabase(join(state, "service"), (database) => {
      return database.prepare("SELECT value FROM sweep_notes WHERE name = 'set_back'").get();
    });
    const { since, until } = JSON.parse(String(note?.value));
    expect(since).toBeLessThan(before);
    expect(until).toBeGreaterThanOrEqual(before);

    await world.service.stop();
    const service = startService({
      directory: state,
      port: await findFreePort(),
      secrets: ensureSecrets(state),
      sandboxPort: world.sandbox.port,
      script: join(world.directory, "build", "service", "worker.js"),
      banners: join(world.directory, "build", "banners", "wrangler.json"),
    });
    scope.defer(() => service.stop());
    await service.ready();
    scope.defer(startCron(service.origin, () => {}));
    const api = createApi(service.origin, world.token);
    // The first sweep writes the record of the token.
    const known = () => api.listChannels().catch(() => null);
    expect(await waitFor(known, { timeoutMs: 120_000, everyMs: 1_000 })).toHaveLength(1);
    const posts = await api.listAllPosts("channel_type=facebook");
    expect([...posts.values()].map(({ post_id: id, STATUS }) => [id, STATUS])).toEqual([[later, "scheduled"]]);
    const served = await fetch(new URL(new URL(url).pathname, service.origin));
    expect(Buffer.from(await served.arrayBuffer()).equals(PICTURE)).toBe(true);
    expect(served.headers.get("content-type")).toBe("image/jpeg");
    // With the sealed credentials of the copy.
    const now = await api.createPost({ ...post, publish_mode: "now", caption_text: "After the restoration" });
    const live = await waitFor(
      async () => {
        const found = (await api.listAllPosts("channel_type=facebook")).get(now);
        return found?.STATUS === "published" || found?.STATUS === "failed" ? found : null;
      },
      { timeoutMs: 90_000, everyMs: 500 },
    );
    expect(live).toMatchObject({ STATUS: "published" });
    const shown = await world.control.posts();
    expect(shown.map(({ text }) => text)).toEqual(["After the restoration"]);
  });
});

/** Keys that do not open the copy, a database that is not empty, and a folder of another kind. */
async function refusals(folder: string, env: Readonly<Record<string, string>>, expect: ExpectStatic): Promise<void> {
  const other = join(temporaryFolder(), "other.vars");
  writeFileSync(other, lines(makeSecrets()));
  const state = join(temporaryFolder(), "state");
  const args = ["--restore", folder];
  const wrong = await npmRun("backup", [...args, "--secrets-file", other], { STATE_DIR: state });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("key k1") });
  expect(existsSync(join(state, "service", "v3", "d1"))).toBe(false);
  const target = join(temporaryFolder(), "new");
  const unread = await npmRun("backup", ["--to", target, "--secrets-file", other], env);
  expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining("nobody can read") });
  expect(existsSync(join(target, "manifest.json"))).toBe(false);
  const full = await npmRun("backup", args, env);
  expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") });
  const foreign = temporaryFolder();
  writeFileSync(join(foreign, "letter.txt"), "mine");
  for (const option of ["--to", "--restore"]) {
    const ran = await npmRun("backup", [option, foreign], env);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("copy") });
  }
  expect(readdirSync(foreign)).toEqual(["letter.txt"]);
}

/** Every table with its number of rows, and what triggers count. */
function contentOf(database: DatabaseSync) {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf!_%' ESCAPE '!' ORDER BY name",
    )
    .all();
  return tables.map(({ name }) => {
    const all = database.prepare(`SELECT * FROM "${name}"`).all();
    const isCount = /counts|usage/.test(String(name));
    return { name, rows: all.length, counted: isCount ? JSON.stringify(all) : null };
  });
}

async function uploaded(origin: string, token: string): Promise<string> {
  const answer = await fetch(`${origin}/api/v1/social/upload-media`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "image/jpeg" },
    body: PICTURE,
  });
  const { data } = JSON.parse(await answer.text());
  return data.url;
}

const lines = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
