import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { withDatabase } from "../scripts/support/prepare.ts";

export const DAY_MS = 86_400_000;

const DEADLINE_MS = 6 * 3_600_000;
/** The age of the oldest posts, and how long finished jobs are kept (docs/storage.md). */
const HISTORY_MS = 60 * DAY_MS;
const JOBS_KEPT_MS = 7 * DAY_MS;

/**
 * Fills the project with `count` posts over six channel types and all states, with their events and jobs.
 * Writes directly to the local database, where triggers update the counters. Each live post gets a watch, and
 * every two hundred posts an automation. Every four posts get a log entry of the first automation, a
 * generated post and a campaign. Returns the ids of the first of each, and of a Facebook channel.
 */
export function fillPosts(directory: string, projectId: number, count: number): Promise<Filled> {
  return inTransaction(directory, (database) => {
    const now = Date.now();
    const first = firstOf(database);
    database.prepare(CHANNELS).run(projectId, now, now);
    const channelId = first("channels");
    database.prepare(GRANTS).run(now, projectId);
    database.prepare(POSTS).run({ count, projectId, channelId, now, day: DAY_MS, step: HISTORY_MS / count });
    const postId = first("posts");
    database.prepare(EVENTS).run({ projectId });
    fillJobs(database, { projectId, now });
    const automations = { projectId, channelId, now, count: Math.ceil(count / POSTS_AN_AUTOMATION) };
    database.prepare(AUTOMATIONS).run(automations);
    const automationId = first("automations");
    database.prepare(TARGETS).run({ channelId, active: automationId + ACTIVE_BOTS });
    database.prepare(WATCHES).run({ now });
    const replies = { first: automationId, projectId, postId, now, count: Math.ceil(count / POSTS_A_REPLY) };
    database.prepare(REPLIES).run(replies);
    const some = { projectId, now, count: Math.ceil(count / POSTS_A_CAMPAIGN) };
    database.prepare(GENERATIONS).run(some);
    database.prepare(CAMPAIGNS).run({ ...some, postId, channelId });
    return { channelId, postId, automationId, campaignId: first("campaigns"), generationId: FIRST_GENERATION };
  });
}

/** Writes to the local database in one transaction. */
export async function inTransaction<T>(directory: string, write: (database: DatabaseSync) => T): Promise<T> {
  const written = withDatabase(directory, (database) => {
    database.exec("BEGIN");
    const result = write(database);
    database.exec("COMMIT");
    return { result };
  });
  if (written === null) throw new Error(`There is no database in ${directory}.`);
  // The write blocks this process; now it notices the connections that the service has closed meanwhile.
  await sleep(100);
  return written.result;
}

const First = z.object({ first: z.int() });

const firstOf = (database: DatabaseSync) => (table: string) =>
  First.parse(database.prepare(`SELECT min(id) AS first FROM ${table}`).get()).first;

interface Filled {
  readonly channelId: number;
  readonly postId: number;
  readonly automationId: number;
  readonly campaignId: number;
  readonly generationId: string;
}

/** As in the statement below. */
const FIRST_GENERATION = "00000000-0000-4000-8000-000000000001";

const POSTS_AN_AUTOMATION = 200;
/** Total of all automations, below the limit of their channel. */
const ACTIVE_BOTS = 30;
const POSTS_A_REPLY = 4;
export const POSTS_A_CAMPAIGN = 4;

/** An open job for each waiting post, and the journals of posts that finished within the retention period. */
function fillJobs(database: DatabaseSync, { projectId, now }: { projectId: number; now: number }): void {
  database.prepare(OPEN_JOBS).run({ projectId, deadline: DEADLINE_MS });
  database.prepare(DONE_JOBS).run({ projectId, deadline: DEADLINE_MS, since: now - JOBS_KEPT_MS });
  database.prepare(STEPS).run({ projectId });
}

export const TYPES = ["facebook", "instagram", "twitter", "linkedin", "youtube", "tiktok"];

const CHANNELS = `
INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at)
SELECT ?, 'bench', value, 'bench-' || key, 'Bench ' || value, '{}', 'connected', ?, ?
FROM json_each('${JSON.stringify(TYPES)}') ORDER BY key`;

const GRANTS = `
INSERT INTO grants (channel_id, purpose, version, stored_at, stored_by, health, stopped)
SELECT id, 'publish', 1, ?, 'login', 'connected', '{}' FROM channels WHERE project_id = ?`;

// Of a hundred posts: 84 published, 6 failed, 4 scheduled, 4 queued, 2 drafts; the channel types rotate.
const POSTS = `
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :count),
shaped AS (
  SELECT n, n % 6 AS type, n * 7919 % 100 AS share, CAST(:now - :day - (:count - n) * :step AS INTEGER) AS at FROM numbers
),
stated AS (
  SELECT *, CASE WHEN share < 84 THEN 'published' WHEN share < 90 THEN 'failed' WHEN share < 94 THEN 'scheduled'
    WHEN share < 98 THEN 'queued' ELSE 'draft' END AS state FROM shaped
)
INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, extra,
  publish_mode, time_zone, publish_at, slot_at, platform_posts, permalink, error, created_at, updated_at, published_at)
SELECT :projectId, :channelId + type, json_extract('${JSON.stringify(TYPES)}', '$[' || type || ']'), state, 'post',
  'Post number ' || n || ' of the bench, with a caption of an ordinary length for such a post.', '[]', '[]', '[]', NULL,
  CASE state WHEN 'queued' THEN 'queued' WHEN 'scheduled' THEN 'scheduled' ELSE 'now' END, 'Europe/Berlin',
  CASE WHEN state IN ('queued', 'scheduled') THEN :now + :day + n * 60000 ELSE at END,
  CASE state WHEN 'queued' THEN :now + :day + n * 60000 END,
  '[]',
  CASE state WHEN 'published' THEN 'https://example.com/posts/' || n END,
  CASE state WHEN 'failed' THEN 'The platform refused it.' END,
  at, at + 2000, CASE state WHEN 'published' THEN at + 2000 END
FROM stated`;

const EVENTS = `
INSERT INTO events (id, project_id, subject, subject_id, type, message, created_at)
SELECT (posts.created_at + 700 * key) * 1000, posts.project_id, 'post', posts.id, value ->> 0, value ->> 1, posts.created_at + 700 * key
FROM posts JOIN json_each('${JSON.stringify([
  ["post.created", "The post was accepted and will be published now."],
  ["post.processing", "Publishing has begun."],
  ["post.ended", "It went out, or the platform refused it."],
])}') ON key = 0 OR posts.state IN ('published', 'failed')
WHERE posts.project_id = :projectId ORDER BY posts.id, key`;

const OPEN_JOBS = `
INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, deadline_at, created_at)
SELECT 'publish:' || id, 'publish', project_id, id, 'open', publish_at, publish_at + :deadline, created_at
FROM posts WHERE project_id = :projectId AND state IN ('scheduled', 'queued')`;

const DONE_JOBS = `
INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, arrived_at, deadline_at, created_at, finished_at)
SELECT 'publish:' || id, 'publish', project_id, id, 'done', publish_at, publish_at, publish_at + :deadline, created_at, updated_at
FROM posts WHERE project_id = :projectId AND state IN ('published', 'failed') AND updated_at > :since`;

const STEPS = `
INSERT INTO job_steps (job_key, name, state, result, begun_at, attempted_at)
SELECT jobs.key, step.value, 'done', '{"id":"bench"}', jobs.run_at, jobs.finished_at
FROM jobs JOIN json_each('["files","prepared","commit:0"]') AS step
WHERE jobs.project_id = :projectId AND jobs.state = 'done'`;

export const NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)";

const AUTOMATIONS = `${NUMBERS}
INSERT INTO automations (project_id, name, state, channel_ids, target_type, trigger_type, response_type, comment_reply,
  response_time, delay_seconds, frequency, uses_ai, active_since, created_at, updated_at)
SELECT :projectId, 'Automation ' || n, iif(n <= ${ACTIVE_BOTS}, 'active', 'stopped'), json_array(:channelId), 'all', 'any', 'comment', 'Thank you!', 'instant', 0,
  'everytime', 0, :now, :now, :now FROM numbers`;

const TARGETS = `
INSERT INTO automation_targets (channel_id, post_id, automation_id) SELECT :channelId, 0, id FROM automations WHERE id < :active`;

const WATCHES = `
INSERT INTO recurring (key, kind, due_at, interval_ms, group_key, created_at)
SELECT 'comments:' || id, 'comments', :now + id * 1000, 60000, 'channel:' || channel_id, :now FROM posts WHERE state = 'published'`;

const REPLIES = `${NUMBERS}
INSERT INTO replies (automation_id, project_id, post_id, comment_id, outcome, message, comment_part, due_at, created_at, updated_at)
SELECT :first, :projectId, :postId, 'bench-' || n, 'replied', 'Answered.',
  '{"state":"sent","text":"Thank you!","id":"bench","at":1}', :now, :now, :now FROM numbers`;

const GENERATIONS = `${NUMBERS}
INSERT INTO generations (uuid, project_id, type, input, origin, state, caption, files, created_at, ended_at)
SELECT printf('00000000-0000-4000-8000-%012d', n), :projectId, 'text_only', 'Bells', 'https://example.com', 'done', 'A caption of the bench.',
  '[]', :now, :now FROM numbers`;

const TERMS = JSON.stringify({
  adAccountId: "bench",
  objective: "engagement",
  budgetType: "lifetime",
  budgetMinor: 7_000,
  currency: "EUR",
  days: 7,
  countries: ["DE"],
  interests: [],
  audiences: [],
});

const CAMPAIGNS = `${NUMBERS}
INSERT INTO campaigns (project_id, post_id, channel_id, platform, name, state, terms, currency, decimals, reference, made, reach, impressions,
  spend_minor, goal, created_at, updated_at)
SELECT :projectId, :postId, :channelId, 'facebook', 'Campaign ' || n, 'completed', '${TERMS}', 'EUR', 2, 'bench-' || n, '{}', 100, 150, 700, 'completed',
  :now, :now FROM numbers`;
