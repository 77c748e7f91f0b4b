import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { sha256Hex } from "../../src/core/tokens.ts";
import { sweep } from "../../src/entry/dispatch.ts";
import { createDeps } from "../../src/service/deps.ts";
import { advance } from "../support/clock.ts";
import { begun, choose } from "../support/connecting.ts";
import { bindings, cron } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import { call, issueToken, Project } from "../support/world.ts";

async function count(sql: string, ...values: unknown[]): Promise<number> {
  return (
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
      .bind(...values)
      .first<number>("n")) ?? Number.NaN
  );
}

/**
 * What a sweep reads in the order of an index, some rows of it: its notes, lists that it passes to the
 * statement, the first row, 5,000 events, and indexes that hold only rows with work.
 */
const BOUNDED_SCANS = new RegExp(
  [
    "^SCAN (CONSTANT ROW|\\(subquery-\\d+\\)|sweep_notes|walk|(kinds|queue) VIRTUAL TABLE INDEX 1:)$",
    "^SCAN (comments|comment_acts|replies|projects|events)$",
    "^SCAN \\w+ USING (COVERING )?INDEX (events_pending|files_to_forget|jobs_in_flight|jobs_throttled|rate_waits_in_turn)$",
  ].join("|"),
);

describe("the sweep forgets", () => {
  test("connect sessions and their logins soon after their end", async ({ expect }) => {
    const { connection, browser } = await begun();
    await choose(browser, connection, ["twitter"]);
    const hash = await sha256Hex(connection.connect_token);
    const rows = async () => [
      await count("connect_sessions WHERE token_hash = ?", hash),
      await count("oauth_states WHERE token_hash = ?", hash),
    ];
    await cron();
    expect(await rows()).toEqual([1, 1]);
    await advance(16 * 60_000);
    await cron();
    expect(await rows()).toEqual([1, 0]);
    await advance(15 * 60_000);
    await cron();
    expect(await rows()).toEqual([0, 0]);
  });

  test("idempotency keys after a day, the oldest first, so many in a sweep", async ({ expect }) => {
    const project = await Project.create();
    const request = () =>
      project.call("POST", "/social/connect-channel", {
        body: { userId: "a" },
        headers: { "Idempotency-Key": "mine" },
      });
    await request();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
       INSERT INTO idempotency_keys (project_id, key, request_hash, answer, created_at)
       SELECT -1, 'key ' || i, '', '', ? + i FROM n`,
    )
      .bind(Date.now() - 3 * DAY)
      .run();
    await cron();
    expect(await count("idempotency_keys WHERE project_id = -1")).toBe(25_000);
    expect(await count("idempotency_keys WHERE project_id = -1 AND key = 'key 20000'")).toBe(0);
    await cron();
    await cron();
    expect(await count("idempotency_keys WHERE project_id = -1")).toBe(0);
    expect((await request()).headers.get("Idempotency-Replayed")).toBe("true");
    await advance(DAY + 60_000);
    await cron();
    expect((await request()).headers.get("Idempotency-Replayed")).toBeNull();
  });

  test("tokens a year after they were revoked or expired, and all that was stored for them", async ({ expect }) => {
    const name = `forgotten ${crypto.randomUUID()}`;
    const operator = { "X-Operator-Key": env.OPERATOR_KEY };
    const expiring = await issueToken(name, { expiresAt: new Date(Date.now() + 2 * DAY).toISOString() });
    const revoked = await issueToken(name);
    const lasting = await issueToken(name);
    const request = (token: string) => call("GET", "/social/upcoming-posts", { token });
    for (const { token } of [expiring, revoked, lasting]) await request(token);
    await call("POST", "/internal/tokens/revoke", { headers: operator, body: { id: revoked.id } });
    const left = async () => count("tokens WHERE id IN (?, ?, ?)", expiring.id, revoked.id, lasting.id);
    const stored = async (token: string) => {
      const limiter = env.LIMITER.get(env.LIMITER.idFromName(await sha256Hex(token)));
      return runInDurableObject(limiter, async (_, { storage }) => (await storage.list()).size);
    };
    await advance(364 * DAY);
    await cron();
    expect(await left()).toBe(3);
    expect(await stored(revoked.token)).toBeGreaterThan(0);
    await advance(2 * DAY);
    await cron();
    expect(await left()).toBe(2);
    expect(await stored(revoked.token)).toBe(0);
    expect(await request(revoked.token)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    await advance(2 * DAY);
    await cron();
    expect(await left()).toBe(1);
    expect(await stored(expiring.token)).toBe(0);
    expect((await request(lasting.token)).status).toBe(200);
  });

  test("numbers of posts two years after their publication", async ({ expect }) => {
    const project = await Project.create();
    const [channel] = await project.connect("facebook");
    const own = await projectIdOf(project);
    const leave = env.DB.prepare(
      `INSERT INTO post_insights (post_id, project_id, channel_id, platform, post_type, items, published_at)
       VALUES (?1, ?2, ?3, 'facebook', 'post', '[]', ?4)`,
    );
    await env.DB.prepare("INSERT INTO post_counts (project_id, counts) VALUES (?, '{}')").bind(own).run();
    const [old, young] = [-1, -2];
    await env.DB.batch([
      leave.bind(old, own, channel, Date.now() - 731 * DAY),
      leave.bind(young, own, channel, Date.now() - 728 * DAY),
    ]);
    const left = () => count("post_insights WHERE project_id = ?", own);
    await advance(DAY);
    await cron();
    expect(await left()).toBe(1);
    await advance(2 * DAY);
    await cron();
    expect(await left()).toBe(0);
  });

  test("without reading whole tables: what a sweep asks, when nothing is due", async ({ expect }) => {
    await cron();
    const queries = new Set<string>();
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === "prepare") queries.add(String(args[0]));
          return Reflect.apply(member, target, args);
        };
      },
    });
    await sweep(createDeps({ ...bindings, DB }, { test: true }));
    const scans = new Set<string>();
    for (const query of queries) {
      const values = Array.from({ length: query.split("?").length - 1 }, () => 1);
      const plan = env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...values);
      const { results } = await plan.all<{ detail: string }>();
      for (const { detail } of results) if (detail.startsWith("SCAN")) scans.add(detail);
    }
    expect([...scans].filter((scan) => !BOUNDED_SCANS.test(scan))).toEqual([]);
  });
});

describe("unused files", () => {
  /**
   * Files without bytes in the bucket, whose time has passed; the other project's follow all of the first
   * one's.
   */
  const leave = async (projectId: number, files: number, forgetAt: number) => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO files (project_id, name, bytes, is_copy, created_at, forget_at) SELECT ?1, 'left ' || ?1 || ' ' || i, 1, 0, 1, ?3 FROM n`,
    )
      .bind(projectId, files, forgetAt)
      .run();
  };
  const left = (projectId: number) => count("files WHERE project_id = ?", projectId);

  test("go as fast as 1.4 million a day, and one project's do not keep another's", async ({ expect }) => {
    const [one, other] = [await projectIdOf(await Project.create()), await projectIdOf(await Project.create())];
    await leave(one, 12_000, Date.now() - 2 * DAY);
    await leave(other, 300, Date.now() - DAY);
    await cron();
    expect(await left(other)).toBe(0);
    expect(await left(one)).toBeLessThanOrEqual(12_000 - 3_000);
    for (let minute = 0; minute < 4; minute++) await cron();
    expect(await left(one)).toBe(0);
  });
});

test("whom an automation answered once is forgotten after a year, and generations with their media", async ({
  expect,
}) => {
  const project = await projectIdOf(await Project.create());
  const now = Date.now();
  const author = env.DB.prepare(
    "INSERT INTO replied_authors (automation_id, author_id, post_id, comment_id, answered_at) VALUES (9000, ?1, 1, '1', ?2)",
  );
  await env.DB.batch([author.bind("old", now - 366 * DAY), author.bind("young", now - 364 * DAY)]);
  const generation = env.DB.prepare(
    "INSERT INTO generations (uuid, project_id, type, input, origin, state, caption, files, created_at, ended_at) VALUES (?1, ?2, 'text_only', 'x', 'https://belfry.test', 'done', 'x', '[]', ?3, ?3)",
  );
  const [old, young] = [crypto.randomUUID(), crypto.randomUUID()];
  await env.DB.batch([
    generation.bind(old, project, now - 366 * DAY),
    generation.bind(young, project, now - 364 * DAY),
  ]);
  await env.DB.prepare(
    "INSERT INTO files (project_id, name, bytes, is_copy, generation_id, created_at) SELECT ?1, 'made ' || uuid, 1, 0, id, 1 FROM generations WHERE project_id = ?1",
  )
    .bind(project)
    .run();
  await cron();
  await cron();
  expect(await count("replied_authors WHERE automation_id = 9000")).toBe(1);
  expect(await count("generations WHERE project_id = ? AND deleted_at IS NULL", project)).toBe(1);
  expect(await count("files WHERE project_id = ?", project)).toBe(1);
  expect(await count("files WHERE name = ?", `made ${young}`)).toBe(1);
});

async function projectIdOf({ name }: Project): Promise<number> {
  const row = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<{ id: number }>();
  return row?.id ?? Number.NaN;
}
