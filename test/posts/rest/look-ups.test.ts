import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { costOf } from "../../support/costs.ts";
import { type ChannelRef, type Project, projectWith } from "../../support/world.ts";

/** Look-ups by id read a few rows, however many posts the project has at rest. */

const AT_REST = 5_000;
let project: Project;
let channel: ChannelRef;
const ABSENT = 900_000_001;

beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?3)
     INSERT INTO posts_at_rest (id, project_id, channel_id, type, created_at, published_at, page)
     SELECT 1000000 + n, channels.project_id, ?1, 1, ?2 - n, ?2 - n, 1 FROM numbers CROSS JOIN channels ON channels.id = ?1`,
  )
    .bind(channel.channel_id, Date.now(), AT_REST)
    .run();
}, 300_000);

describe("reads a few rows beside five thousand posts at rest:", () => {
  const bot = (fields: object) => ({ name: "Bot", channels: [channel.channel_id], comment_reply: "Hi", ...fields });
  test.for([
    ["delete-post of an absent id", "DELETE", `/social/delete-post/${ABSENT}`, undefined, 404],
    ["update-post of an absent id", "PUT", `/social/update-post/${ABSENT}`, { caption_text: "Other" }, 404],
    ["find-post of an absent id", "GET", `/social/find-post/${ABSENT}`, undefined, 404],
    ["a bot for an absent post", "POST", "/social/create-comment-automation", { post_ids: [ABSENT] }, 422],
  ] as const)("%s", async ([, method, path, fields, status]) => {
    const body = path.endsWith("automation") ? bot(fields ?? {}) : fields;
    const answer = await project.call(method, path, body === undefined ? {} : { body });
    expect(answer.status).toBe(status);
    expect(costOf(answer).rowsRead || 0).toBeLessThan(100);
  });
});
