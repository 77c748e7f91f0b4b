import { DatabaseSync } from "node:sqlite";
import { localDatabase } from "../scripts/support/migrations.mjs";

const DAY_MS = 86_400_000;

/**
 * Fills the project with `count` posts over six channel types and all states, straight into the local database: the
 * triggers keep its counters. Answers the ids of the first post and of a facebook channel.
 */
export function fillPosts(directory, projectId, count) {
  const database = new DatabaseSync(localDatabase(directory), { timeout: 10_000 });
  const now = Date.now();
  try {
    database.exec("BEGIN");
    database.prepare(CHANNELS).run(projectId, now, now);
    const channels = "SELECT min(id) AS first FROM channels WHERE project_id = ?";
    const { first: channelId } = database.prepare(channels).get(projectId);
    database.prepare(POSTS).run({ count, projectId, channelId, now, day: DAY_MS });
    const { first: postId } = database.prepare("SELECT min(id) AS first FROM posts").get();
    database.exec("COMMIT");
    return { channelId, postId };
  } finally {
    database.close();
  }
}

const TYPES = ["facebook", "instagram", "twitter", "linkedin", "youtube", "tiktok"];

const CHANNELS = `
INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at)
SELECT ?, 'bench', value, 'bench-' || key, 'Bench ' || value, '{}', 'connected', ?, ?
FROM json_each('${JSON.stringify(TYPES)}') ORDER BY key`;

// Of a hundred posts: 84 published, 6 failed, 4 scheduled, 4 queued, 2 drafts; the types in turn.
const POSTS = `
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :count),
shaped AS (
  SELECT n, n % 6 AS type, n * 7919 % 100 AS share FROM numbers
),
stated AS (
  SELECT *, CASE WHEN share < 84 THEN 'published' WHEN share < 90 THEN 'failed' WHEN share < 94 THEN 'scheduled'
    WHEN share < 98 THEN 'queued' ELSE 'draft' END AS state FROM shaped
)
INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, extra,
  publish_mode, time_zone, publish_at, slot_at, platform_post_id, platform_posts, permalink, error, created_at, updated_at,
  published_at)
SELECT :projectId, :channelId + type, json_extract('${JSON.stringify(TYPES)}', '$[' || type || ']'), state, 'post',
  'Post number ' || n || ' of the bench, with a caption of an ordinary length for such a post.', '[]', '[]', '[]', NULL,
  CASE state WHEN 'queued' THEN 'queued' WHEN 'scheduled' THEN 'scheduled' ELSE 'now' END, 'Europe/Berlin',
  CASE WHEN state IN ('queued', 'scheduled') THEN :now + :day + n * 60000 ELSE :now - :day - n END,
  CASE state WHEN 'queued' THEN :now + :day + n * 60000 END,
  CASE state WHEN 'published' THEN 'bench-' || n END, '[]',
  CASE state WHEN 'published' THEN 'https://example.com/posts/' || n END,
  CASE state WHEN 'failed' THEN 'The platform refused it.' END,
  :now - :day, :now - :day, CASE state WHEN 'published' THEN :now - :day END
FROM stated`;
