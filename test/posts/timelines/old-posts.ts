import { env } from "cloudflare:workers";
import type { Project } from "../../support/world.ts";

/** Posts from long ago: their answers, and where their timelines are. */

export const answersOf = async (project: Project, ids: readonly number[]) => {
  const answers: string[] = [];
  for (const id of ids) {
    for (const path of [
      `/social/get-post-events/${id}`,
      `/social/explain-post/${id}`,
      `/social/post/${id}?include=content`,
    ])
      answers.push(JSON.stringify((await project.call("GET", path)).body));
  }
  return answers;
};

export const count = async (sql: string, ...values: unknown[]) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
    .bind(...values)
    .first<number>("n")) ?? Number.NaN;
export const eventsOf = (ids: readonly number[]) =>
  count("events WHERE subject = 'post' AND subject_id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
export const movedOf = (ids: readonly number[]) =>
  count("posts WHERE timeline_page IS NOT NULL AND id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));

/** The post with its timeline as it was, published so many seconds later. */
export async function copyOf(
  id: number,
  seconds: number,
  timeline: readonly Record<string, unknown>[],
): Promise<number> {
  const columns = `project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, publish_mode,
    time_zone, publish_at, platform_posts, permalink, created_at, updated_at`;
  const copy = await env.DB.prepare(
    `INSERT INTO posts (id, ${columns}, published_at)
     SELECT (SELECT max(id) + 1 FROM (SELECT id FROM posts UNION ALL SELECT id FROM posts_at_rest)), ${columns}, published_at + ?2
     FROM posts WHERE id = ?1 RETURNING id`,
  )
    .bind(id, seconds * 1000)
    .first<number>("id");
  for (const event of timeline) {
    const own = { ...event, subject_id: copy };
    const names = Object.keys(own);
    await env.DB.prepare(`INSERT INTO events (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
      .bind(...Object.values(own))
      .run();
  }
  return copy ?? 0;
}

export async function pagesOf({ name }: Project): Promise<string[]> {
  const id = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<number>("id");
  return (await env.FILES.list({ prefix: `pages/${id}/` })).objects.map(({ key }) => key);
}

export async function textOf(name: string): Promise<string> {
  const object = await env.FILES.get(name);
  if (object === null) throw new Error(`There is no ${name}.`);
  return new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
}
