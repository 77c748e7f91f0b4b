import { z } from "zod";
import { DAY_MS, inTransaction, NUMBERS, TYPES } from "./fill.ts";
import { EXTERNAL_ID, MEMBER, RARE, USERS } from "./list-requests.ts";

/** The final number of rows of each kind. */
export const LISTED = {
  posts: 200_000,
  bots: 200_000,
  channels: 20_000,
  deliveries: 50_000,
  comments: 100_000,
  conversations: 20_000,
  messages: 20_000,
  files: 20_000,
  // The most that a project may have.
  series: 200,
  feeds: 50,
  neighbourPosts: 1_000,
};

const Found = z.object({ found: z.int() });

interface Project {
  readonly projectId: number;
  /** Name of the second project, which gets a thousand posts. */
  readonly neighbour: string;
  readonly channelId: number;
  readonly postId: number;
  readonly webhookId: number;
}

interface FilledLists {
  /** The actual row counts by list and filter. */
  readonly totals: ReadonlyMap<string, number>;
  readonly conversationId: number;
}

/**
 * Adds to the rows of `fillPosts`: more channels and bots, deliveries of a webhook, comments, conversations,
 * a media library, series, feeds, and numbers of all published posts. All drafts wait for approval. Every
 * third post gets the same external id; every seventh moves to another channel. Writes directly to the local
 * database, where triggers update the counters.
 */
export function fillLists(
  directory: string,
  { projectId, neighbour, channelId, postId, webhookId }: Project,
): Promise<FilledLists> {
  return inTransaction(directory, (database) => {
    const now = Date.now();
    const step = TYPES.length;
    const find = (statement: string, value: string | number) =>
      Found.parse(database.prepare(statement).get(value)).found;
    database.prepare(CHANNELS).run({ projectId, now, count: LISTED.channels - step });
    database.prepare(GRANTS).run({ projectId, now, soon: now + DAY_MS });
    database.prepare(BOTS).run({ projectId, now, count: LISTED.bots });
    database.prepare(EXTERNAL_IDS).run({ projectId });
    database.prepare(SPREAD).run({ projectId, channelId, step, count: Math.floor(LISTED.channels / step) - 1 });
    database.prepare(DELIVERIES).run({ projectId, webhookId, now, count: LISTED.deliveries });
    database.prepare(COMMENTS).run({ projectId, channelId, postId, now, count: LISTED.comments });
    database.prepare("UPDATE channels SET messages_since = ? WHERE id = ?").run(now, channelId);
    database.prepare(CONVERSATIONS).run({ projectId, channelId, now, count: LISTED.conversations });
    const conversationId = find("SELECT min(id) AS found FROM conversations WHERE project_id = ?", projectId);
    database.prepare(MESSAGES).run({ projectId, conversationId, now, count: LISTED.messages });
    database.prepare(FILES).run({ projectId, now, count: LISTED.files });
    database.prepare(NUMBERS_OF_POSTS).run({ projectId });
    database.prepare(SERIES).run({ projectId, now, count: LISTED.series });
    database.prepare(FEEDS).run({ projectId, now, count: LISTED.feeds });
    database.prepare(APPROVALS).run({ projectId, now });
    const neighbourId = find("SELECT id AS found FROM projects WHERE name = ?", neighbour);
    database.prepare(NEIGHBOUR_CHANNEL).run({ neighbourId, now });
    database.prepare(NEIGHBOUR_POSTS).run({ projectId, neighbourId, count: LISTED.neighbourPosts });
    const totals = TOTALS.map(
      ([name, from]) => [name, find(`SELECT count(*) AS found FROM ${from} AND project_id = ?`, projectId)] as const,
    );
    return { totals: new Map(totals), conversationId };
  });
}

const TOTALS = [
  ["get-channels?", "channels WHERE disconnected_at IS NULL"],
  [`get-channels?user_id=${USERS.many}`, `channels WHERE disconnected_at IS NULL AND user_ref = '${USERS.many}'`],
  [`get-posts?channels=${TYPES.join(",")}`, "posts WHERE deleted_at IS NULL"],
  ["get-posts?channels=facebook", "posts WHERE deleted_at IS NULL AND channel_type = 'facebook'"],
  [`get-posts?channels=${TYPES.join(",")}&status=published`, "posts WHERE state = 'published'"],
  ["get-comment-automations?", "automations WHERE deleted_at IS NULL"],
  ["get-campaigns?", "campaigns WHERE deleted_at IS NULL"],
] as const;

// Seven of ten belong to one user; the platforms rotate in the order of the first six.
const CHANNELS = `${NUMBERS}
INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at)
SELECT :projectId, CASE WHEN n % 10 < 7 THEN '${USERS.many}' ELSE 'user-' || (n % 500) END,
  json_extract('${JSON.stringify(TYPES)}', '$[' || ((n - 1) % ${TYPES.length}) || ']'), 'more-' || n, 'Channel ' || n, '{}',
  CASE n % 100 WHEN 0 THEN 'reconnect_needed' WHEN 1 THEN 'expiring' ELSE 'connected' END, :now, :now
FROM numbers ORDER BY n`;

const GRANTS = `
INSERT INTO grants (channel_id, purpose, version, stored_at, stored_by, health, reconnect_by, stopped)
SELECT id, 'publish', 1, :now, 'login', marked_health, CASE marked_health WHEN 'expiring' THEN :soon END, '{}'
FROM channels WHERE project_id = :projectId AND account_id LIKE 'more-%'`;

const BOTS = `${NUMBERS}
INSERT INTO automations (project_id, name, state, channel_ids, target_type, trigger_type, response_type, comment_reply,
  response_time, delay_seconds, frequency, uses_ai, active_since, created_at, updated_at)
SELECT :projectId, 'Bot ' || n, 'stopped', '[]', 'all', 'any', 'comment', 'Thank you!', 'instant', 0, 'everytime', 0, :now, :now, :now
FROM numbers WHERE n > (SELECT count(*) FROM automations WHERE project_id = :projectId)`;

const EXTERNAL_IDS = `
UPDATE posts SET external_id = '${EXTERNAL_ID}' WHERE project_id = :projectId AND id % 3 = 0`;

// To a channel of the same platform.
const SPREAD = `
UPDATE posts SET channel_id = channel_id + :step * (id * 7919 % :count), slot_at = NULL
WHERE project_id = :projectId AND id % 7 = 0 AND channel_id < :channelId + :step`;

const DELIVERIES = `${NUMBERS}
INSERT INTO webhook_deliveries (project_id, webhook_id, message_id, type, body, state, attempts, tries, created_at, updated_at)
SELECT :projectId, :webhookId, 'bench-' || n, 'post.ended', '{}', CASE n % 10 WHEN 0 THEN 'failed' ELSE 'delivered' END, 1, '[]',
  :now, :now
FROM numbers`;

// Half of them under one post; of ten, one waits for an answer.
const COMMENTS = `${NUMBERS}
INSERT INTO comments (project_id, channel_id, post_id, comment_id, author_id, author_name, text, created_at, seen_at, urgency, assigned_to)
SELECT :projectId, :channelId, :postId + iif(n % 2 = 0, 0, n), 'bench-' || n, 'person', 'A person', 'Comment ' || n, :now - n, :now - n,
  CASE WHEN n % 10 = 0 THEN 2 WHEN n % 10 < 5 THEN 1 ELSE 0 END, iif(n % 7 = 0, '${MEMBER}', NULL)
FROM numbers`;

const CONVERSATIONS = `${NUMBERS}
INSERT INTO conversations (project_id, channel_id, platform, person_id, person_name, priority, last_message_at, last_inbound_at, created_at, updated_at)
SELECT :projectId, :channelId, 'facebook', 'person-' || n, 'Person ' || n, n % 3, :now - n, :now - n, :now - n, :now - n FROM numbers`;

const MESSAGES = `${NUMBERS}
INSERT INTO direct_messages (project_id, conversation_id, platform_id, origin, state, text, attachments, is_typed, is_announced, sent_at, created_at)
SELECT :projectId, :conversationId, 'bench-' || n, 'person', 'received', 'Message ' || n, '[]', 0, 1, :now - n, :now - n FROM numbers`;

// One of ten thousand has the tag and the word that are searched.
const FILES = `${NUMBERS}
INSERT INTO files (project_id, name, bytes, media, library, search_text, created_at)
SELECT :projectId, printf('%032x', n), 1000,
  json_object('kind', iif(n % 100 = 0, 'video', 'image'), 'mime', 'image/png', 'width', 10, 'height', 10, 'durationSeconds', NULL),
  json_object('title', 'File ' || n, 'altText', NULL, 'tags', iif(n % 10000 = 0, json_array('${RARE}'), json_array('common'))),
  iif(n % 10000 = 0, 'file ${RARE}', 'file ' || n), :now
FROM numbers`;

const NUMBERS_OF_POSTS = `
INSERT INTO post_insights (post_id, project_id, channel_id, platform, post_type, items, published_at, observed_at, due_at, numbers)
SELECT id, project_id, channel_id, channel_type, post_type, '[]', published_at, published_at, NULL,
  json_object('metrics', json_object('likes', id * 7919 % 1000), 'missing', json('{}'), 'raw', json('{}'))
FROM posts WHERE project_id = :projectId AND state = 'published'`;

const SERIES = `${NUMBERS}
INSERT INTO series (project_id, name, state, post, rule, start_time, time_zone, created_at, updated_at)
SELECT :projectId, 'Series ' || n, 'ended', '{}', 'FREQ=DAILY', '2026-01-01 09:00', 'UTC', :now, :now FROM numbers`;

const FEEDS = `${NUMBERS}
INSERT INTO feeds (project_id, name, url, state, publish_mode, posts, created_at, updated_at)
SELECT :projectId, 'Feed ' || n, 'https://example.com/' || n, 'paused', 'draft', '[]', :now, :now FROM numbers`;

const APPROVALS = `
UPDATE posts SET approval_state = 'waiting', approval = json_object('wanted', json('{"publish_mode":"now"}'), 'requestedBy', '${MEMBER}',
  'requestedAt', :now, 'decidedBy', NULL, 'decidedAt', NULL, 'note', NULL, 'linkNonce', NULL)
WHERE project_id = :projectId AND state = 'draft'`;

const NEIGHBOUR_CHANNEL = `
INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at)
VALUES (:neighbourId, 'bench', 'facebook', 'neighbour', 'Neighbour', '{}', 'connected', :now, :now)`;

const NEIGHBOUR_POSTS = `
INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, publish_mode, time_zone,
  publish_at, platform_posts, thread, created_at, updated_at, published_at)
SELECT :neighbourId, (SELECT id FROM channels WHERE project_id = :neighbourId), 'facebook', state, post_type, caption, media_urls,
  hash_tags, publish_mode, time_zone, publish_at, platform_posts, thread, created_at, updated_at, published_at
FROM posts WHERE project_id = :projectId AND state = 'published' LIMIT :count`;
