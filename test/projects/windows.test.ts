import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { rowsReadBy } from "../support/row-counts.ts";
import { MINUTE } from "../support/times.ts";
import { call, type Project, projectWith } from "../support/world.ts";

/** No statement of a deletion or an export reads much more than a window, however large the tables are. */

/** A window of 10,000 rows, each with a look-up of its own and once more by its end. */
const MOST = 35_000;
const EVENTS = 60_000;

let mine: Project;
let id = 0;

beforeAll(async () => {
  const [own, other] = [await projectWith("facebook"), await projectWith("facebook")];
  mine = own.project;
  const idOf = async ({ name }: Project) =>
    (await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<number>("id")) ?? 0;
  id = await idOf(mine);
  const channels = [own.channel.channel_id, other.channel.channel_id];
  const projects = [id, await idOf(other.project)];
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO events (id, project_id, subject, subject_id, type, message, detail, created_at)
     SELECT n, iif(n % 2, ?2, ?3), 'channel', iif(n % 2, ?4, ?5), 'channel.connected', 'One.', '{}', ?6 FROM numbers`,
  )
    .bind(EVENTS, ...projects, ...channels, Date.now())
    .run();
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO posts_at_rest (id, project_id, channel_id, type, created_at, published_at, page)
     SELECT 1000000 + n, iif(n % 2, ?2, ?3), iif(n % 2, ?4, ?5), 1, ?6, ?6, 1 FROM numbers`,
  )
    .bind(EVENTS, ...projects, ...channels, Date.now())
    .run();
}, 300_000);

test("deleting a project", { timeout: 600_000 }, async () => {
  const headers = { "X-Operator-Key": env.OPERATOR_KEY };
  const begun = await call("POST", "/internal/projects/delete", { headers, body: { project: mine.name, id } });
  expect(begun.status).toBe(200);
  const step = () =>
    env.DB.prepare("SELECT step FROM project_deletions WHERE deleted_id = ?").bind(id).first<string>("step");
  const read = await rowsReadBy(async () => {
    for (let turn = 0; turn < 60 && (await step()) !== "done"; turn++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle(MINUTE);
    }
  });
  expect(await step()).toBe("done");
  const [most] = read;
  expect(most?.rows ?? 0, most?.text).toBeLessThan(MOST);
  const left = await env.DB.prepare("SELECT count(*) AS n FROM events WHERE project_id = ?").bind(id).first("n");
  expect(left).toBe(0);
});
