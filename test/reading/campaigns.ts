import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { boost, boostHome, type Home } from "../support/boosts.ts";
import { costOf } from "../support/costs.ts";

/** get-campaigns (spec 4.18): any page, however many there are. */

const Page = z.object({
  campaigns: z.object({
    total: z.int(),
    last_page: z.int(),
    data: z.array(z.object({ id: z.int() })),
  }),
});

async function read({ project }: Home, limit: number, page: number) {
  const answer = await project.call("GET", `/boost-campaigns/get-campaigns?limit=${limit}&page=${page}`);
  const { data, total, last_page } = Page.parse(answer.body).campaigns;
  return { ids: data.map(({ id }) => id), total, last_page, ...costOf(answer) };
}

/** So many more like the newest one of this project. */
async function multiply({ project }: Home, by: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO campaigns (project_id, post_id, channel_id, platform, name, state, terms, currency, decimals, reference, made,
       committed_minor, created_at, updated_at)
     SELECT project_id, post_id, channel_id, platform, name, 'completed', terms, currency, decimals, reference || '-' || ?1 || '-' || i, made,
       0, created_at, updated_at FROM n, campaigns
     WHERE campaigns.id = (SELECT max(id) FROM campaigns WHERE project_id = (SELECT id FROM projects WHERE name = ?2))`,
  )
    .bind(by, project.name)
    .run();
}

/** The ids that are listed, newest first, from the rows themselves. */
async function listedIds({ project }: Home): Promise<readonly number[]> {
  const { results } = await env.DB.prepare(
    `SELECT id FROM campaigns WHERE project_id = (SELECT id FROM projects WHERE name = ?) AND deleted_at IS NULL ORDER BY id DESC`,
  )
    .bind(project.name)
    .all<{ id: number }>();
  return results.map(({ id }) => id);
}

describe("a page of campaigns", () => {
  let home: Home;
  let other: Home;
  beforeAll(async () => {
    home = await boostHome("facebook");
    other = await boostHome("facebook");
    await boost(home);
    await boost(other);
  });

  test("is that part of the list, among another project's and deleted ones", async () => {
    for (const more of [37, 5, 300]) {
      await multiply(home, more);
      await multiply(other, more + 1);
    }
    await env.DB.prepare(
      "UPDATE campaigns SET deleted_at = 1, state = 'deleted' WHERE id % 3 = 0 OR id BETWEEN 40 AND 70",
    ).run();
    const ids = await listedIds(home);
    expect(ids.length).toBeGreaterThan(100);
    for (const limit of [1, 7, 10]) {
      const last = Math.ceil(ids.length / limit);
      for (let page = 1; page <= last + 2; page += limit === 1 ? 17 : 1) {
        const found = await read(home, limit, page);
        expect(found).toMatchObject({ total: ids.length, last_page: last });
        expect(found.ids, `page ${page} of ${limit}`).toEqual(ids.slice((page - 1) * limit, page * limit));
      }
    }
  });

  test("is one D1 call and reads no more rows of 50,000 than of a few", async () => {
    await multiply(home, 50_000);
    for (const limit of [10, 100]) {
      const { last_page } = await read(home, limit, 1);
      for (const page of [
        1,
        2,
        8,
        9,
        10,
        64,
        411,
        Math.floor(last_page / 2),
        last_page - 1,
        last_page,
        last_page + 1,
      ]) {
        const { calls, rowsRead } = await read(home, limit, page);
        expect(calls).toBe(1);
        expect(rowsRead, `page ${page} of ${limit}`).toBeLessThanOrEqual(12 * limit);
      }
    }
  });
});
