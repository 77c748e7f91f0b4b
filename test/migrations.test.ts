import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

/** Migrations that move rows: from a database as the release before left it. */
async function apply(names: (name: string) => boolean): Promise<void> {
  for (const { name, queries } of env.MIGRATIONS) {
    if (!names(name)) continue;
    for (const query of queries) await env.DB.prepare(query).run();
  }
}

/** The database as the release left it whose last migration sorts before the name. */
async function releaseBefore(migration: string): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'",
  ).all<{ name: string }>();
  await env.DB.prepare("PRAGMA defer_foreign_keys = on").run();
  // What others refer to goes last.
  const order = ["posts", "grants", "channels", "tokens", "projects", "users"];
  const names = results.map(({ name }) => name).toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  for (const name of names) await env.DB.prepare(`DROP TABLE "${name}"`).run();
  await apply((name) => name < migration);
}

const run = (query: string) => env.DB.prepare(query).run();

async function insertProject(): Promise<void> {
  await run("INSERT INTO users (id, email, name, created_at) VALUES (1, 'a@example.com', 'A', 1)");
  await run("INSERT INTO projects (id, user_id, name, is_test, created_at) VALUES (1, 1, 'P', 1, 1)");
}

test("0002 keeps what is live, what is under way and which key seals a channel", async () => {
  await releaseBefore("0002");
  await insertProject();
  await run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, credentials, health, created_at, updated_at)
    VALUES (1, 1, 'u', 'twitter', '77', 'X', '{}', 'k1.nonce.cipher', 'connected', 1, 1)`);
  const post = (id: number, state: string, live: string) =>
    run(`INSERT INTO posts (id, project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at, published_at)
      VALUES (${id}, 1, 1, 'twitter', '${state}', 'post', 'x', '[]', '[]', '[]', 'now', 'UTC', 5, '${live}', 5, 9, 8)`);
  await post(1, "published", '[{"id":"901","permalink":null},{"id":"902","permalink":null}]');
  await post(2, "processing", "[]");
  await post(3, "deleted", "[]");
  await run(`INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, sent_at, deadline_at, created_at)
    VALUES ('publish:2', 'publish', 1, 2, 'open', 5, 5, 99, 5)`);
  await run(`INSERT INTO job_steps (job_key, name, state, result, begun_at, acted_at) VALUES
    ('publish:2', 'commit:0', 'done', '{"post":{"id":"903","permalink":null},"confirmAfterSeconds":null}', 6, 6),
    ('publish:2', 'commit:1', 'unsure', '"lost"', 7, 7)`);

  await apply((name) => name >= "0002");

  const publications = await env.DB.prepare(
    "SELECT post_id, item, account_id, platform_id, begun_at FROM publications ORDER BY post_id, item",
  ).all();
  expect(publications.results).toEqual([
    { post_id: 1, item: 0, account_id: "77", platform_id: "901", begun_at: 8 },
    { post_id: 1, item: 1, account_id: "77", platform_id: "902", begun_at: 8 },
    { post_id: 2, item: 0, account_id: "77", platform_id: "903", begun_at: 6 },
    { post_id: 2, item: 1, account_id: "77", platform_id: null, begun_at: 7 },
  ]);
  expect(await env.DB.prepare("SELECT credentials_key FROM channels").first()).toEqual({ credentials_key: "k1" });
  expect(await env.DB.prepare("SELECT deleted_at FROM posts WHERE id = 3").first()).toEqual({ deleted_at: 9 });
  // Without a known message the sweep sends one.
  expect(
    await env.DB.prepare("SELECT message_at, revision FROM jobs JOIN posts ON posts.id = subject_id").first(),
  ).toEqual({
    message_at: null,
    revision: 0,
  });
});

test("0004 and 0005 keep events, jobs under way, their journals and what is live, and go on counting posts", async () => {
  await releaseBefore("0004");
  await insertProject();
  await run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at)
    VALUES (1, 1, 'u', 'twitter', '77', 'X', '{}', 'connected', 1, 1)`);
  const post = (id: number, state: string) =>
    run(`INSERT INTO posts (id, project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at)
      VALUES (${id}, 1, 1, 'twitter', '${state}', 'post', 'x', '[]', '[]', '[]', 'now', 'UTC', 5, '[]', 5, 9)`);
  await post(1, "pending");
  await post(2, "processing");
  await run(`INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, message_at, lease_owner, lease_until, deadline_at, created_at)
    VALUES ('publish:1', 'publish', 1, 1, 'open', 5, 5, NULL, NULL, 99, 5), ('publish:2', 'publish', 1, 2, 'open', 5, NULL, 'me', 60, 99, 5)`);
  await run(`INSERT INTO job_steps (job_key, name, state, result, begun_at, acted_at, acts, looks)
    VALUES ('publish:2', 'commit:0', 'unsure', '"lost"', 7, 8, 2, 3)`);
  await run(
    `INSERT INTO publications (post_id, item, platform, account_id, platform_id, begun_at) VALUES (2, 0, 'twitter', '77', '901', 6)`,
  );
  await run(`INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at)
    VALUES (4, 1, 'post', 2, 'post.published', 'Live.', '{"permalink":null}', 5)`);

  await apply((name) => name >= "0004");

  const all = async (query: string) => (await env.DB.prepare(query).all()).results;
  expect(await all("SELECT key, queue, message_at, held_at, lease_owner, lease_until FROM jobs ORDER BY key")).toEqual([
    { key: "publish:1", queue: "publish", message_at: 5, held_at: null, lease_owner: null, lease_until: null },
    { key: "publish:2", queue: "publish", message_at: null, held_at: null, lease_owner: "me", lease_until: 60 },
  ]);
  expect(await all("SELECT state, result, begun_at, acted_at, acts, looks, tries, gave_up FROM job_steps")).toEqual([
    { state: "unsure", result: '"lost"', begun_at: 7, acted_at: 8, acts: 2, looks: 3, tries: 0, gave_up: null },
  ]);
  expect(await all("SELECT post_id, platform_id, begun_at FROM publications")).toEqual([
    { post_id: 2, platform_id: "901", begun_at: 6 },
  ]);
  await run(
    "INSERT INTO events (project_id, subject, subject_id, type, message, detail, created_at) VALUES (1, 'post', 2, 'post.updated', 'Changed.', '{}', 6)",
  );
  expect(await all("SELECT id, message, detail FROM events ORDER BY id")).toEqual([
    { id: 4, message: "Live.", detail: '{"permalink":null}' },
    { id: 5, message: "Changed.", detail: "{}" },
  ]);
  await run("UPDATE posts SET state = 'published' WHERE id = 2");
  await run("UPDATE posts SET state = 'deleted' WHERE id = 1");
  const [counts] = await all("SELECT counts FROM post_counts");
  expect(JSON.parse(String(counts?.counts))).toMatchObject({
    "twitter.pending": 0,
    "twitter.processing": 0,
    "twitter.published": 1,
  });
});

test("0006 moves credentials and health to grants, and carries over what the version before still writes", async () => {
  await releaseBefore("0006");
  await insertProject();
  const channel = (id: number, columns: string, values: string) =>
    run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, created_at, updated_at, ${columns})
      VALUES (${id}, 1, 'u', 'twitter', '${id}', 'X', '{}', 1, 9, ${values})`);
  const all =
    "credentials, credentials_key, credentials_expire_at, refresh_due_at, refresh_lease_until, refresh_attempts, health, health_reason";
  await channel(1, all, "'k1.nonce.cipher', 'k1', 70, 50, 20, 3, 'expiring', 'Could not be renewed yet.'");
  await channel(2, "health, disconnected_at", "'reconnect_needed', 8");

  await apply((name) => name >= "0006");

  const grants = async () =>
    (
      await env.DB.prepare(
        `SELECT channel_id, purpose, credentials, credentials_key AS key, scopes, expires_at, refresh_due_at, refresh_lease_until,
          refresh_attempts, version, stored_at, stored_by, health, health_reason, stopped FROM grants ORDER BY channel_id`,
      ).all()
    ).results;
  const moved = {
    channel_id: 1,
    purpose: "publish",
    credentials: "k1.nonce.cipher",
    key: "k1",
    scopes: null,
    expires_at: 70,
    refresh_due_at: 50,
    refresh_lease_until: 20,
    refresh_attempts: 3,
    version: 1,
    stored_at: 9,
    stored_by: "login",
    health: "expiring",
    health_reason: "Could not be renewed yet.",
    stopped: "{}",
  };
  const empty = { credentials: null, key: null, expires_at: null, refresh_due_at: null, refresh_lease_until: null };
  const disconnected = {
    ...moved,
    ...empty,
    channel_id: 2,
    refresh_attempts: 0,
    health: "reconnect_needed",
    health_reason: null,
  };
  expect(await grants()).toEqual([moved, disconnected]);
  const refreshes = async () =>
    (await env.DB.prepare("SELECT key, due_at FROM recurring WHERE kind = 'refresh' ORDER BY key").all()).results;
  expect(await refreshes()).toEqual([{ key: "refresh:1:publish", due_at: 50 }]);

  // The statements of the version before: its lease, the pair that it renewed, and an account connected anew.
  await run("UPDATE channels SET refresh_lease_until = 60 WHERE id = 1");
  expect((await grants())[0]).toEqual({ ...moved, refresh_lease_until: 60 });
  const renewed = `credentials = 'k1.nonce.second', credentials_key = 'k1', credentials_expire_at = 170, refresh_due_at = 150,
    refresh_lease_until = NULL, refresh_attempts = 0, health = 'connected', health_reason = NULL, updated_at = 65`;
  await run(`UPDATE channels SET ${renewed} WHERE id = 1`);
  await channel(3, "health", "'reconnect_needed'");
  await run(`UPDATE channels SET ${renewed} WHERE id = 3`);
  const second = {
    ...moved,
    credentials: "k1.nonce.second",
    expires_at: 170,
    refresh_due_at: 150,
    refresh_lease_until: null,
    refresh_attempts: 0,
    version: 2,
    stored_at: 65,
    health: "connected",
    health_reason: null,
  };
  expect(await grants()).toEqual([second, disconnected, { ...second, channel_id: 3, version: 1 }]);
  expect(await refreshes()).toEqual([
    { key: "refresh:1:publish", due_at: 50 },
    { key: "refresh:3:publish", due_at: 150 },
  ]);
  // What else changes on a channel leaves its grants alone.
  await run("UPDATE grants SET health = 'expiring' WHERE channel_id = 1");
  await run("UPDATE channels SET name = 'Y', disconnected_at = NULL, slots = '{}' WHERE id = 1");
  expect((await grants())[0]).toEqual({ ...second, health: "expiring" });
});

test("0007 gives facebook's videos their own id beside that of the post", async () => {
  await releaseBefore("0007");
  await insertProject();
  await run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at)
    VALUES (1, 1, 'u', 'facebook', '104', 'Page', '{}', 'connected', 1, 1)`);
  const post = (id: number, permalink: string, type = "post", platform = "facebook") =>
    run(`INSERT INTO posts (id, project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at)
      VALUES (${id}, 1, 1, '${platform}', 'published', '${type}', 'x', '[]', '[]', '[]', 'now', 'UTC', 5,
        '[{"id":"104_${id}","permalink":"https://www.facebook.com/${permalink}"}]', 5, 9)`);
  await post(1, "reel/880/", "reel");
  await post(2, "fern/videos/a-film/770");
  await post(3, "104/posts/13");
  await post(4, "fern/videos/a-film/");
  // A story is taken down by the post's id.
  await post(5, "104/videos/771/", "story");
  await post(6, "videos/1/", "post", "twitter");

  await apply((name) => name >= "0007");

  const stored = await env.DB.prepare("SELECT id, platform_posts ->> '$[0].secondaryId' AS own FROM posts").all();
  expect(stored.results).toEqual([
    { id: 1, own: "880" },
    { id: 2, own: "770" },
    { id: 3, own: null },
    { id: 4, own: null },
    { id: 5, own: null },
    { id: 6, own: null },
  ]);
  expect(await env.DB.prepare("SELECT platform_posts FROM posts WHERE id = 1").first()).toEqual({
    platform_posts: '[{"id":"104_1","permalink":"https://www.facebook.com/reel/880/","secondaryId":"880"}]',
  });
});

test("quota_triggers counts what waits and weighs the texts that are there, and counts on from them", async () => {
  const migration = env.MIGRATIONS.find(({ name }) => name.includes("quota_triggers"))?.name ?? "missing";
  await releaseBefore(migration);
  await insertProject();
  await run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at)
    VALUES (1, 1, 'u', 'twitter', '1', 'X', '{}', 'connected', 1, 9)`);
  const post = (id: number, state: string, caption: string) =>
    run(`INSERT INTO posts (id, project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
        publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at)
      VALUES (${id}, 1, 1, 'twitter', '${state}', 'post', '${caption}', '[]', '[]', '[]', 'scheduled', 'UTC', 5, '[]', 5, 9)`);
  await post(1, "scheduled", "äöü");
  await post(2, "published", "abc");

  await apply((name) => name >= migration);

  const counted = async () => {
    const row = await env.DB.prepare("SELECT waiting, bytes, counts FROM post_counts").first();
    return { waiting: row?.waiting, bytes: row?.bytes, counts: JSON.parse(String(row?.counts)) };
  };
  // Four empty lists a post: media, alt texts, hashtags, items.
  expect(await counted()).toMatchObject({ waiting: 1, bytes: 6 + 3 + 2 * 8 });
  await post(3, "draft", "x");
  expect(await counted()).toMatchObject({ waiting: 2, bytes: 34 });
  await run("UPDATE posts SET caption = 'longer' WHERE id = 3");
  await run("UPDATE posts SET state = 'deleted' WHERE id = 1");
  expect(await counted()).toMatchObject({ waiting: 1, bytes: 39 });
  await run("DELETE FROM posts WHERE id = 1");
  await run("DELETE FROM posts WHERE id = 3");
  expect(await counted()).toEqual({
    waiting: 0,
    bytes: 11,
    counts: { "twitter.scheduled": 0, "twitter.published": 1, "twitter.draft": 0, "twitter.deleted": 0 },
  });
});

test("0018 has every grant with credentials watched, which a login begins from now on", async () => {
  await releaseBefore("0018");
  await insertProject();
  const channel = (id: number) =>
    run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at)
      VALUES (${id}, 1, 'u', 'facebook', '${id}', 'Page', '{}', 'connected', 1, 1)`);
  const grant = (id: number, purpose: string, credentials: string | null) =>
    run(`INSERT INTO grants (channel_id, purpose, credentials, version, stored_at, stored_by, health, stopped)
      VALUES (${id}, '${purpose}', ${credentials === null ? "NULL" : `'${credentials}'`}, 1, 1, 'login', 'connected', '{}')`);
  await channel(1);
  await channel(2);
  await grant(1, "publish", "k1.nonce.cipher");
  await grant(1, "ads", "k1.nonce.cipher");
  await grant(2, "publish", null);

  await apply((name) => name >= "0018");

  const watched = await env.DB.prepare("SELECT key, kind FROM recurring ORDER BY key").all();
  expect(watched.results).toEqual([
    // Of 0019.
    { key: "subscribe:1", kind: "subscribe" },
    { key: "subscribe:2", kind: "subscribe" },
    { key: "watch:1:ads", kind: "watch" },
    { key: "watch:1:publish", kind: "watch" },
  ]);
  const logins = await env.DB.prepare("SELECT DISTINCT login FROM grants").all();
  expect(logins.results).toEqual([{ login: null }]);
});

test("health_marks marks channels with the health of their grants, and counts them by it", async () => {
  const migration = env.MIGRATIONS.find(({ name }) => name.endsWith("_health_marks.sql"))?.name ?? "";
  await releaseBefore(migration);
  await insertProject();
  const WEEK = 604_800_000;
  const channel = (id: number, disconnectedAt = "NULL") =>
    run(`INSERT INTO channels (id, project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at, disconnected_at)
      VALUES (${id}, 1, 'u', 'twitter', '${id}', 'X', '{}', 'connected', 1, 1, ${disconnectedAt})`);
  const grant = (id: number, health: string, endsAt: number | null, scopes = "NULL") =>
    run(`INSERT INTO grants (channel_id, purpose, version, stored_at, stored_by, health, stopped, ends_at, scopes)
      VALUES (${id}, 'publish', 1, 1, 'login', '${health}', '{}', ${endsAt ?? "NULL"}, ${scopes})`);
  for (const id of [1, 2, 3, 4]) await channel(id);
  await channel(5, "9");
  await grant(1, "connected", WEEK + 41);
  await grant(2, "expiring", null);
  await grant(3, "connected", null, `'["tweet.read"]'`);
  await grant(5, "connected", null);

  await apply((name) => name >= migration);

  const marks = await env.DB.prepare(
    "SELECT marked_health AS health, expiring_at AS at FROM channels ORDER BY id",
  ).all();
  expect(marks.results).toEqual([
    { health: "connected", at: 42 },
    { health: "expiring", at: null },
    { health: "reconnect_needed", at: null },
    { health: "reconnect_needed", at: null },
    { health: "connected", at: null },
  ]);
  const counted = async () => {
    const { results } = await env.DB.prepare("SELECT counts FROM channel_counts ORDER BY user_ref").all<{
      counts: string;
    }>();
    return results.map(({ counts }): unknown => JSON.parse(counts));
  };
  const counts = { twitter: 4, "twitter.connected": 1, "twitter.expiring": 1, "twitter.reconnect_needed": 2 };
  expect(await counted()).toEqual([counts, counts]);
  await run("UPDATE channels SET disconnected_at = NULL WHERE id = 5");
  await run("UPDATE grants SET stopped = json_object('publish', 'no') WHERE channel_id = 1");
  await run("UPDATE channels SET user_ref = 'v' WHERE id = 2");
  const all = { ...counts, twitter: 5, "twitter.reconnect_needed": 3 };
  expect(await counted()).toEqual([
    all,
    { ...all, twitter: 4, "twitter.expiring": 0 },
    { twitter: 1, "twitter.expiring": 1 },
  ]);
});
