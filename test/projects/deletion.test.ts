import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { idOf, type ProjectId } from "../../src/core/ids.ts";
import { inOrderOfDeletion, rowsOf, type StoredTable, TABLES } from "../../src/projects/tables.ts";
import { CONSOLE_URL, filled, formTo, invite, type Owned, owned } from "../console/console-browser.ts";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { activeCampaign, adsOf, boostHome } from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { start } from "../support/connecting.ts";
import { PNG } from "../support/media-files.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { oneOf, seededRandom, whole } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { uploaded } from "../support/uploads.ts";
import { call, createPost, HANDLES, newBrowser } from "../support/world.ts";

/** Deleting a project: what is gone, what stays, and that it survives the death of a delivery anywhere. */

interface Filled extends Owned {
  readonly text: string;
  readonly connectUrl: string;
  readonly posts: Readonly<Record<"live" | "scheduled" | "draft", number>>;
}

/** A project with rows in many tables, at the account that others use too. */
async function filledProject(): Promise<Filled> {
  const owner = await owned();
  const { project } = owner;
  const [channelId = 0] = await project.connect("twitter", [HANDLES.fern]);
  const channel = { channel_type: "twitter", channel_id: channelId } as const;
  const text = `Deleted ${crypto.randomUUID()}`;
  const live = await createPost(project, channel, { caption_text: `${text} live` });
  const { url } = await uploaded(project, PNG);
  const draft = await createPost(project, channel, {
    caption_text: `${text} draft`,
    publish_mode: "draft",
    media_urls: [url],
  });
  const schedule = { publish_mode: "scheduled", schedule_time: "2031-01-01 10:00", time_zone: "UTC" };
  const scheduled = await createPost(project, channel, { caption_text: `${text} later`, ...schedule });
  const bot = { name: "Bot", channels: [channelId], comment_reply: "Thanks!", ai_enable: "no" };
  await project.call("POST", "/social/create-comment-automation", { body: bot });
  await project.call("POST", "/social/create-webhook", { body: { url: "https://hooks.test/a" } });
  await project.call("POST", "/social/create-post-generation", { body: { post_type: "text_only", input: "Bread" } });
  await invite(owner, { role: "viewer" });
  const { connect_url: connectUrl } = await start(project, "myapp://done");
  await queuesIdle();
  return { ...owner, text, connectUrl, posts: { live, scheduled, draft } };
}

async function requestDeletion(
  { browser, id }: Owned,
  name: string,
  atPlatforms: readonly string[] = ["logins"],
): Promise<ReturnType<typeof browser.send>> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/data`);
  const form = filled(formTo(page, "/data/delete"), { name });
  return browser.send(form, (field) => (field.name === "at_platforms" ? atPlatforms.includes(field.value) : undefined));
}

const stepOf = (id: number) =>
  env.DB.prepare("SELECT step FROM project_deletions WHERE deleted_id = ?").bind(id).first<string>("step");

async function untilDone(id: number): Promise<void> {
  for (let turn = 0; turn < 120; turn++) {
    if ((await stepOf(id)) === "done") return;
    await advance(MINUTE);
    await cron();
    await queuesIdle(MINUTE);
  }
  throw new Error(`The deletion stays at ${await stepOf(id)}.`);
}

const dialect = new SQLiteSyncDialect();

/** The rows of a project in a table, by the same condition as the deletion has. */
async function rowsIn(table: StoredTable, id: number): Promise<readonly unknown[]> {
  const where = rowsOf(table)?.(idOf<ProjectId>(id)) ?? sql`0`;
  const query = dialect.sqlToQuery(sql`SELECT * FROM ${sql.identifier(table.name)} WHERE ${where}`);
  const { results } = await env.DB.prepare(query.sql)
    .bind(...query.params)
    .all();
  return results;
}

/** All rows of a project by table. */
async function allRows(id: number): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const entries = await Promise.all(
    inOrderOfDeletion().map(async (table) => [table.name, await rowsIn(table, id)] as const),
  );
  return Object.fromEntries(entries);
}

interface Owns {
  readonly ids: Readonly<Record<string, readonly number[]>>;
  readonly files: readonly string[];
  readonly keys: readonly string[];
}

/** What the project has, by ids and names that are searched afterwards. */
async function ownsOf(id: number): Promise<Owns> {
  const list = async (query: string) =>
    (await env.DB.prepare(query).bind(id).all<{ value: number & string }>()).results.map(({ value }) => value);
  const ids = {
    project_id: [id],
    channel_id: await list("SELECT id AS value FROM channels WHERE project_id = ?"),
    post_id: await list("SELECT id AS value FROM posts WHERE project_id = ?"),
    automation_id: await list("SELECT id AS value FROM automations WHERE project_id = ?"),
    file_id: await list("SELECT id AS value FROM files WHERE project_id = ?"),
    webhook_id: await list("SELECT id AS value FROM webhooks WHERE project_id = ?"),
  };
  const files = await list("SELECT name AS value FROM files WHERE project_id = ?");
  const keys = (await list("SELECT hash AS value FROM tokens WHERE project_id = ?")).map((hash) => `token:${hash}`);
  return { ids, files, keys };
}

/** In any table with such a column, in tasks, in KV, or in the bucket. */
async function expectNothingLeft(id: number, { ids, files, keys }: Owns): Promise<void> {
  for (const [name, rows] of Object.entries(await allRows(id))) expect([name, rows]).toEqual([name, []]);
  for (const table of TABLES.values()) {
    for (const [column, values] of Object.entries(ids)) {
      if (!table.columns.some(({ name }) => name === column)) continue;
      const found = await env.DB.prepare(
        `SELECT count(*) AS n FROM ${table.name} WHERE ${column} IN (SELECT value FROM json_each(?))`,
      )
        .bind(JSON.stringify(values))
        .first<number>("n");
      expect([table.name, column, found]).toEqual([table.name, column, 0]);
    }
  }
  const tasks = (await env.DB.prepare("SELECT key FROM recurring").all<{ key: string }>()).results;
  const mineAre = (key: string) => {
    const [kind = "", subject = ""] = key.split(":");
    const owners = /^(comments|permalink)$/.test(kind) ? ids.post_id : ids.channel_id;
    return /^(refresh|watch|subscribe|comments|permalink)$/.test(kind) && owners?.includes(Number(subject));
  };
  expect(tasks.filter(({ key }) => mineAre(key))).toEqual([]);
  for (const name of files) expect(await env.FILES.head(name)).toBeNull();
  for (const key of keys) expect(await env.KV.get(key)).toBeNull();
  expect((await env.KV.list({ prefix: `connect:${id}:` })).keys).toEqual([]);
}

/** Rows that other work of the service changes meanwhile are compared by their number. */
const LIVELY = [
  "jobs",
  "job_steps",
  "recurring",
  "webhook_deliveries",
  "grants",
  "events",
  "rate_waits",
  "sign_in_links",
  "connect_sessions",
  "usage",
];
const steady = (rows: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !LIVELY.includes(name)));

describe("a project that is deleted", () => {
  test("is found by no request from then on, and leaves nothing; another one loses nothing", async () => {
    const [mine, other] = [await filledProject(), await filledProject()];
    const owns = await ownsOf(mine.id);
    const before = await allRows(other.id);
    expect((await requestDeletion(mine, "Another name")).status).toBe(422);
    expect((await mine.project.call("GET", "/social/get-webhooks")).status).toBe(200);
    const done = await requestDeletion(mine, mine.project.name);
    expect(done.url).toBe(`${CONSOLE_URL}/projects`);
    expect(done.html).toContain("is being deleted");
    // Within two seconds.
    await advance(2_000);
    expect((await mine.project.call("GET", "/social/get-webhooks")).status).toBe(401);
    expect((await mine.browser.go(`${CONSOLE_URL}/projects/${mine.id}`)).status).toBe(404);
    expect((await newBrowser().go(mine.connectUrl)).status).toBe(404);
    const issued = await call("POST", "/internal/tokens", {
      headers: { "X-Operator-Key": env.OPERATOR_KEY },
      body: { project: mine.project.name },
    });
    expect(issued.body).not.toHaveProperty("token");
    await untilDone(mine.id);
    await expectNothingLeft(mine.id, owns);
    expect(steady(await allRows(other.id))).toEqual(steady(before));
    expect((await other.project.call("GET", "/social/get-webhooks")).status).toBe(200);
    // Without --delete-posts: what is live stays, and what was scheduled is not published.
    expect(await sandbox.postsWith(`${mine.text} live`)).toHaveLength(1);
    expect(await sandbox.postsWith(`${mine.text} later`)).toHaveLength(0);
    const { html } = await mine.browser.go(`${CONSOLE_URL}/projects`);
    expect(html).toContain(mine.project.name);
    for (const words of ["3 posts", "1 channels", "1 bots", "1 files"]) expect(html).toContain(words);
  });

  test("takes its posts at the platforms with it, on request", async () => {
    const mine = await filledProject();
    await requestDeletion(mine, mine.project.name, ["posts", "logins"]);
    await untilDone(mine.id);
    expect(await sandbox.postsWith(`${mine.text} live`)).toHaveLength(0);
    expect((await mine.browser.go(`${CONSOLE_URL}/projects`)).html).toContain("1 post deleted at platforms");
  });

  test("by the operator is the same, and a repeat shows how far it is", async () => {
    const mine = await filledProject();
    const headers = { "X-Operator-Key": env.OPERATOR_KEY };
    const request = () => call("POST", "/internal/projects/delete", { headers, body: { id: mine.id } });
    expect((await request()).body).toMatchObject({ deletion: { project_id: mine.id, is_gone: false } });
    expect((await request()).body).toMatchObject({ deletion: { project_id: mine.id } });
    await untilDone(mine.id);
    expect((await request()).body).toMatchObject({
      deletion: { is_gone: true, gone: { posts: 3, channels: 1 }, remaining_at_platforms: { posts: 0, campaigns: 0 } },
    });
    const missing = await call("POST", "/internal/projects/delete", { headers, body: { project: "None such" } });
    expect(missing.status).toBe(404);
  });
});

test("campaigns that may still spend end at the platform first", async () => {
  const home = await boostHome("facebook");
  const name = `Campaign ${crypto.randomUUID()}`;
  await activeCampaign(home, { name });
  expect(await adsOf("facebook", "campaign", name)).toHaveLength(1);
  const { name: project } = home.project;
  const id = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(project).first<number>("id");
  const headers = { "X-Operator-Key": env.OPERATOR_KEY };
  await call("POST", "/internal/projects/delete", { headers, body: { project, id } });
  await untilDone(id ?? 0);
  expect(await adsOf("facebook", "campaign", name)).toEqual([]);
  for (const [table, rows] of Object.entries(await allRows(id ?? 0))) expect([table, rows]).toEqual([table, []]);
  const done = await call("POST", "/internal/projects/deletion", { headers, body: { project } });
  expect(done.body).toMatchObject({ deletion: { gone: { campaigns: 1 }, remaining_at_platforms: { campaigns: 0 } } });
});

test.for([1, 2])("a deletion survives deaths anywhere: seed %i", { timeout: 240_000 }, async (seed) => {
  const random = seededRandom(seed);
  const [mine, other] = [await filledProject(), await filledProject()];
  const owns = await ownsOf(mine.id);
  const before = await allRows(other.id);
  await requestDeletion(mine, mine.project.name);
  makeMortal();
  for (let turn = 0; turn < 25 && (await stepOf(mine.id)) !== "done"; turn++) {
    const deaths = Array.from({ length: 2 }, () => [
      whole(random, 1, 60),
      oneOf(random, ["dies", "dies", "loses the answer", "fails"]),
    ]);
    arm(Object.fromEntries(deaths));
    await cron().catch(() => undefined);
    await queuesIdle(MINUTE).catch(() => undefined);
    disarm();
    await advance(6 * MINUTE);
  }
  await untilDone(mine.id);
  await expectNothingLeft(mine.id, owns);
  expect(steady(await allRows(other.id))).toEqual(steady(before));
  const gone = await env.DB.prepare("SELECT gone FROM project_deletions WHERE deleted_id = ?")
    .bind(mine.id)
    .first<string>("gone");
  expect(JSON.parse(gone ?? "{}")).toMatchObject({ posts: 3, channels: 1, bots: 1, projects: 1 });
});
