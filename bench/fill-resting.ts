import { z } from "zod";
import { DAY_MS, inTransaction, NUMBERS } from "./fill.ts";

/** A channel of a project, with published posts in the database and others at rest. */
export interface Resting {
  readonly project: string;
  readonly posts: number;
  readonly atRest: number;
}

const Found = z.object({ id: z.int() });

/** Fills the projects; returns the channel of each. Ids of posts at rest are above those of all others. */
export function fillResting(directory: string, projects: readonly Resting[]): Promise<readonly number[]> {
  return inTransaction(directory, (database) =>
    projects.map(({ project, posts, atRest }, index) => {
      const now = Date.now();
      const projectId = Found.parse(database.prepare("SELECT id FROM projects WHERE name = ?").get(project)).id;
      const channelId = Found.parse(database.prepare(CHANNEL).get({ projectId, now })).id;
      if (posts > 0) database.prepare(POSTS).run({ projectId, channelId, now, count: posts });
      const first = FIRST_AT_REST * (index + 1);
      if (atRest > 0)
        database.prepare(AT_REST).run({ projectId, channelId, first, old: now - 61 * DAY_MS, count: atRest });
      return channelId;
    }),
  );
}

const FIRST_AT_REST = 100_000_000;

const CHANNEL = `
INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at)
VALUES (:projectId, 'bench', 'facebook', 'rest-' || :projectId, 'Resting', '{}', 'connected', :now, :now) RETURNING id`;

const POSTS = `${NUMBERS}
INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, publish_mode,
  time_zone, publish_at, platform_posts, created_at, updated_at, published_at)
SELECT :projectId, :channelId, 'facebook', 'published', 'post', 'Post number ' || n || ' of the bench.', '[]', '[]', '[]', 'now', 'UTC',
  :now - n, '[]', :now - n, :now - n, :now - n FROM numbers`;

// Their page is in no bucket: no list of them is read.
const AT_REST = `${NUMBERS}
INSERT INTO posts_at_rest (id, project_id, channel_id, type, created_at, published_at, page)
SELECT :first + n, :projectId, :channelId, 1, :old - n, :old - n, 1 FROM numbers`;
