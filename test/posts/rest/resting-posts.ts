import { env } from "cloudflare:workers";
import { z } from "zod";
import type { Project } from "../../support/world.ts";
import { answersOf, count } from "../timelines/old-posts.ts";

/** Posts at rest: their answers, and how many there are. */

export const restingOf = (ids: readonly number[]) =>
  count("posts_at_rest WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
export const liveOf = (ids: readonly number[]) =>
  count("posts WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));

/** The next sweep goes through all projects again. */
export async function restSoon(): Promise<void> {
  await env.DB.prepare("DELETE FROM sweep_notes WHERE name = 'resting'").run();
}

const Listed = z.object({ posts: z.looseObject({ data: z.array(z.unknown()), next_cursor: z.string().nullish() }) });

/** The list page by page, then by cursors. */
async function listOf(project: Project, query: string): Promise<string[]> {
  const pages: string[] = [];
  const read = async (place: string) => {
    const { body } = await project.call("GET", `/social/get-posts?${query}&limit=3${place}`);
    const { posts } = Listed.parse(body);
    // A cursor names the moment at which it was made.
    pages.push(
      `${query}${place === "&cursor=" ? place : ""} ${JSON.stringify(posts).replace(/cursor=[^"&]+|"next_cursor":"[^"]+"/g, "cursor")}`,
    );
    return posts;
  };
  for (let page = 1; page < 20; page++) if ((await read(`&page=${page}`)).data.length === 0) break;
  let cursor: string | null | undefined = "";
  for (let page = 1; cursor !== null && cursor !== undefined && page < 20; page++) {
    cursor = (await read(`&cursor=${encodeURIComponent(cursor)}`)).next_cursor;
  }
  return pages;
}

/** Everything that the API says of the posts, and what lists of the project say. */
export async function allAnswers(project: Project, ids: readonly number[], queries: readonly string[]) {
  const answers = await answersOf(project, ids);
  for (const id of ids) answers.push(JSON.stringify((await project.call("GET", `/social/post/${id}`)).body));
  for (const query of queries) answers.push(...(await listOf(project, query)));
  return answers;
}
