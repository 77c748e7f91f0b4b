import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, test } from "vitest";
import { idOf, type PostId, type ProjectId } from "../../src/core/ids.ts";
import { createMeter } from "../../src/core/meter.ts";
import { connectDb, runBatch } from "../../src/db/client.ts";
import {
  claimCopy,
  copyMetadata,
  findStoredCopy,
  keepClaim,
  MAKER_MS,
  markCopyMade,
  releaseClaim,
} from "../../src/files/fitted-copy.ts";
import { endUses, forgetFiles } from "../../src/files/store.ts";
import { createDeps } from "../../src/service/deps.ts";
import { bindings } from "../support/queue.ts";

/** Copies of files for a rule: one for each, whoever needs it and whoever dies over it. */
const deps = createDeps(bindings, {}, createMeter());
const db = connectDb(env.DB, createMeter());
const MEDIA = { kind: "image", mime: "image/jpeg", width: 1440, height: 1080, durationSeconds: null } as const;

let projects = 700_000;
const newKey = () => ({ projectId: idOf<ProjectId>(++projects), of: `original ${projects}`, rule: "jpeg 1440" });
const post = (id: number, job = `publish:${id}`, isOpen = sql`(SELECT 1)`) => ({
  postId: idOf<PostId>(id),
  isOpen,
  job,
  maxBytes: 1000,
});
const bytesOf = async (id: ProjectId) =>
  env.DB.prepare("SELECT bytes FROM file_bytes WHERE project_id = ?").bind(id).first<number>("bytes");
const rowsOf = async (of: string) =>
  (
    await env.DB.prepare("SELECT id, name, bytes, forget_at FROM files WHERE fitted_from = ?").bind(of).all<{
      id: number;
      name: string;
      bytes: number;
      forget_at: number | null;
    }>()
  ).results;

describe("a copy", () => {
  test("is claimed by one of several jobs, and found by all when it is made", async ({ expect }) => {
    const key = newKey();
    const claims = await Promise.all([1, 2, 3].map((id) => claimCopy(deps, key, post(id))));
    expect(claims.map(({ kind }) => kind).sort()).toEqual(["claimed", "taken", "taken"]);
    expect(await bytesOf(key.projectId)).toBe(1000);
    const [row] = await rowsOf(key.of);
    if (!row) throw new Error("No row.");
    await runBatch(db, [markCopyMade(db, { name: row.name, bytes: 640, media: MEDIA })]);
    expect(await bytesOf(key.projectId)).toBe(640);
    const found = await claimCopy(deps, key, post(4));
    expect(found).toEqual({ kind: "made", name: row.name, bytes: 640, media: MEDIA });
    expect(await rowsOf(key.of)).toHaveLength(1);
  });

  test("is continued by its own job at once, by others after a while", async ({ expect }) => {
    const key = newKey();
    const now = Date.now();
    const first = await claimCopy(deps, key, post(1), now);
    expect(await claimCopy(deps, key, post(1), now + 1)).toEqual(first);
    expect(await claimCopy(deps, key, post(2), now + MAKER_MS)).toEqual({ kind: "taken" });
    expect(await claimCopy(deps, key, post(2), now + MAKER_MS + 2)).toEqual(first);
    if (first.kind !== "claimed") throw new Error("Not claimed.");
    expect(await keepClaim(db, first.name, "publish:1", now + MAKER_MS + 3)).toBe(false);
    expect(await keepClaim(db, first.name, "publish:2", now + MAKER_MS + 3)).toBe(true);
    await releaseClaim(db, first.name, "publish:1");
    expect(await claimCopy(deps, key, post(3), now + MAKER_MS + 4)).toEqual({ kind: "taken" });
    await releaseClaim(db, first.name, "publish:2");
    expect(await claimCopy(deps, key, post(3), now + MAKER_MS + 5)).toEqual(first);
  });

  test("of another rule or project is another one", async ({ expect }) => {
    const key = newKey();
    const all = [key, { ...key, rule: "jpeg 1080" }, { ...key, projectId: newKey().projectId }];
    const names = [];
    for (const one of all) {
      const claim = await claimCopy(deps, one, post(1));
      if (claim.kind === "claimed") names.push(claim.name);
    }
    expect(new Set(names).size).toBe(3);
  });

  test("needs room in the storage of the project", async ({ expect }) => {
    const key = newKey();
    const most = deps.config.quotas.uploadedBytes;
    expect(await claimCopy(deps, key, { ...post(1), maxBytes: most + 1 })).toEqual({ kind: "full", usedBytes: 0 });
    expect(await rowsOf(key.of)).toEqual([]);
  });

  test("is kept for a post that is open, until it ends", async ({ expect }) => {
    const key = newKey();
    await claimCopy(deps, key, post(71, "publish:71", sql`(SELECT 0)`));
    expect(await rowsOf(key.of)).toMatchObject([{ forget_at: expect.any(Number) }]);
    await claimCopy(deps, key, post(72));
    expect(await rowsOf(key.of)).toMatchObject([{ forget_at: null }]);
    await runBatch(db, [...endUses(db, idOf<PostId>(72), Date.now())]);
    expect(await rowsOf(key.of)).toMatchObject([{ forget_at: expect.any(Number) }]);
  });

  test("goes with its original, unless a post needs it", async ({ expect }) => {
    const { projectId, rule } = newKey();
    const originals = ["unused", "used"].map((name) => `${name} ${projectId}`);
    for (const name of originals) {
      await env.DB.prepare("INSERT INTO files (project_id, name, bytes, is_copy, created_at) VALUES (?, ?, 1, 0, 1)")
        .bind(projectId, name)
        .run();
      await claimCopy(deps, { projectId, of: name, rule }, post(name.startsWith("unused") ? 81 : 82));
    }
    await runBatch(db, [...endUses(db, idOf<PostId>(81), Date.now())]);
    const ids = await env.DB.prepare("SELECT id FROM files WHERE project_id = ? AND fitted_from IS NULL")
      .bind(projectId)
      .all<{ id: number }>();
    await forgetFiles(
      db,
      ids.results.map(({ id }) => idOf(id)),
    );
    const [unused = "", used = ""] = originals;
    expect(await rowsOf(unused)).toMatchObject([{ forget_at: 0 }]);
    expect(await rowsOf(used)).toMatchObject([{ forget_at: null }]);
    // It is being deleted: a job waits until that is done.
    expect(await claimCopy(deps, { projectId, of: unused, rule }, post(83))).toEqual({ kind: "taken" });
  });

  test("that is in the bucket says what it is", async ({ expect }) => {
    const name = crypto.randomUUID();
    expect(await findStoredCopy(env.FILES, name)).toBeNull();
    await env.FILES.put(name, "four", { customMetadata: copyMetadata(MEDIA) });
    expect(await findStoredCopy(env.FILES, name)).toEqual({ name, bytes: 4, media: MEDIA });
  });
});
