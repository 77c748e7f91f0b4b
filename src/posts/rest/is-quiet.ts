import { type SQL, sql } from "drizzle-orm";
import { hasFiles } from "../../files/store.ts";
import { FIRST_COMMENT, PERMALINK, PUBLISH, UNPUBLISH } from "../jobs.ts";

/** What another feature does with a post: a condition on the post and its channel. */
export type Occupies = (postId: SQL, channelId: SQL) => SQL;

/** The newest posts of the same text that are looked at. */
const TWINS = 100;

/**
 * A condition on a row of `posts`: it was published before `before`, and nothing happens with it.
 */
export function isQuiet(before: number, occupations: readonly Occupies[]): SQL {
  const busy = [
    hasAny("jobs", [PUBLISH, FIRST_COMMENT, UNPUBLISH]),
    hasAny("recurring", [PERMALINK, "drop:post"]),
    hasFiles(sql`posts.id`),
    hasOpenTwin,
    ...occupations.map((occupies) => occupies(sql`posts.id`, sql`posts.channel_id`)),
  ];
  return sql`posts.state = 'published' AND posts.deleted_at IS NULL AND posts.removal IS NULL AND posts.published_at < ${before}
    AND posts.platform_posts <> '[]' AND NOT (${sql.join(busy, sql` OR `)})`;
}

const hasAny = (table: "jobs" | "recurring", kinds: readonly string[]): SQL =>
  sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)} AS work WHERE work.key IN (${sql.join(
    kinds.map((kind) => sql`${kind} || ':' || posts.id`),
    sql`, `,
  )}))`;

/**
 * Whether a post of the same text may fail, or has: this one then shows that it was posted
 * (lists/attention.ts).
 */
const hasOpenTwin: SQL = sql`EXISTS (SELECT 1 FROM (SELECT twin.state FROM posts AS twin INDEXED BY posts_by_caption
  WHERE twin.channel_id = posts.channel_id AND twin.caption_hash = posts.caption_hash AND twin.caption_hash IS NOT NULL
  ORDER BY twin.created_at DESC LIMIT ${sql.raw(`${TWINS}`)}) AS twins WHERE twins.state NOT IN ('published', 'deleted'))`;
