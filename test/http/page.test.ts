import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { boost, boostHome } from "../support/boosts.ts";
import { costOf } from "../support/costs.ts";
import { begin } from "../support/generations.ts";
import { type Answer, Project } from "../support/world.ts";

/** Pages of lists in the order of ids: any of them, however many rows there are (docs/decisions/0042). */

interface List {
  readonly table: "campaigns" | "generations";
  readonly path: string;
  /** Of one of them. */
  readonly pathTo: (id: unknown) => string;
  /** A project whose list has something. */
  readonly settle: () => Promise<Project>;
  /** The change that makes a column of the nth further row unique. */
  readonly unlike: readonly string[];
  /** The ids of a page, as the API calls them, and the total where the list has one. */
  readonly pageOf: (body: unknown) => { readonly ids: readonly unknown[]; readonly total: number | null };
  readonly hasTotal: boolean;
  /** The cursor that an answer names. */
  readonly nextOf: (answer: Answer) => string | null;
}

const Campaigns = z.object({
  campaigns: z.object({
    total: z.int().nullable().default(null),
    next_cursor: z.string().nullable().default(null),
    data: z.array(z.object({ id: z.int() })),
  }),
});
const Generations = z.object({ post_generations: z.array(z.object({ id: z.string() })) });

const LISTS: readonly List[] = [
  {
    table: "campaigns",
    path: "/boost-campaigns/get-campaigns",
    pathTo: (id) => `/boost-campaigns/get-campaign/${id}`,
    async settle() {
      const home = await boostHome("facebook");
      await boost(home);
      return home.project;
    },
    unlike: ["reference"],
    pageOf(body) {
      const { total, data } = Campaigns.parse(body).campaigns;
      return { ids: data.map(({ id }) => id), total };
    },
    hasTotal: true,
    nextOf: ({ body }) => Campaigns.parse(body).campaigns.next_cursor,
  },
  {
    table: "generations",
    path: "/social/get-post-generations",
    pathTo: (id) => `/social/get-post-generation/${id}`,
    async settle() {
      const project = await Project.create();
      await begin(project, "text_only");
      return project;
    },
    unlike: ["uuid"],
    pageOf: (body) => ({ ids: Generations.parse(body).post_generations.map(({ id }) => id), total: null }),
    hasTotal: false,
    nextOf: ({ headers }) => /[?&]cursor=(\d+)/.exec(headers.get("Link") ?? "")?.[1] ?? null,
  },
];

describe.for(LISTS)("a page of $table", ({ table, path, pathTo, settle, unlike, pageOf, hasTotal, nextOf }) => {
  let project: Project;
  let other: Project;
  beforeAll(async () => {
    project = await settle();
    other = await settle();
  });

  async function read(limit: number, page: number) {
    const answer = await project.call("GET", `${path}?limit=${limit}&page=${page}`);
    expect(answer.status).toBe(200);
    return { ...pageOf(answer.body), ...costOf(answer) };
  }

  const own = "project_id = (SELECT id FROM projects WHERE name = ?1)";

  /** Adds copies of the newest row of this project that is not deleted. */
  async function multiply({ name }: Project, by: number): Promise<void> {
    const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`).all<{
      name: string;
    }>();
    const columns = results.map((column) => column.name);
    const values = columns.map((column) => (unlike.includes(column) ? `${column} || '-' || ?2 || '-' || i` : column));
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO ${table} (${columns}) SELECT ${values} FROM n, ${table}
       WHERE ${table}.id = (SELECT max(id) FROM ${table} WHERE ${own} AND deleted_at IS NULL)`,
    )
      .bind(name, by)
      .run();
  }

  /** What is listed, newest first, by the rows themselves. */
  async function listed(): Promise<readonly unknown[]> {
    const id = table === "campaigns" ? "id" : "uuid";
    const rows = `SELECT ${id} AS id FROM ${table} WHERE ${own} AND deleted_at IS NULL ORDER BY ${table}.id DESC`;
    return (await env.DB.prepare(rows).bind(project.name).all<{ id: unknown }>()).results.map((row) => row.id);
  }

  test("is that part of the list, among another project's rows and deleted ones", async () => {
    for (const more of [37, 5, 300]) {
      await multiply(project, more);
      await multiply(other, more + 1);
    }
    // The first row of each project stays: only it has an id by which the API finds it alone.
    for (const { name } of [project, other]) {
      await env.DB.prepare(
        `WITH first(row) AS (SELECT min(id) FROM ${table} WHERE ${own})
         UPDATE ${table} SET deleted_at = 1
         WHERE ${own} AND id > (SELECT row FROM first) AND (id % 3 = 0 OR id - (SELECT row FROM first) BETWEEN 40 AND 70)`,
      )
        .bind(name)
        .run();
    }
    const ids = await listed();
    expect(ids.length).toBeGreaterThan(100);
    for (const limit of [1, 7, 10]) {
      const last = Math.ceil(ids.length / limit);
      for (let page = 1; page <= last + 2; page += limit === 1 ? 17 : 1) {
        const found = await read(limit, page);
        expect(found.total ?? ids.length).toBe(ids.length);
        expect(found.ids, `page ${page} of ${limit}`).toEqual(ids.slice((page - 1) * limit, page * limit));
      }
    }
  });

  test("of 50,000 rows is read from the nearer end, and between them a 422 that names cursor", async () => {
    await multiply(project, 50_000);
    const ids = await listed();
    const limit = 100;
    const last = Math.ceil(ids.length / limit);
    const near = [1, 2, 8, 100, ...(hasTotal ? [last - 98, last - 1, last] : [])];
    for (const page of near) {
      const found = await read(limit, page);
      expect(found.ids, `page ${page}`).toEqual(ids.slice((page - 1) * limit, page * limit));
      expect(found.total ?? ids.length).toBe(ids.length);
      expect(found.rowsRead).toBeLessThanOrEqual(page === 1 ? 12 * limit + 100 : 25_000);
    }
    for (const page of [101, Math.floor(last / 2)]) {
      const answer = await project.call("GET", `${path}?limit=${limit}&page=${page}`);
      expect(answer).toMatchObject({ status: 422, body: { errors: { page: [expect.stringContaining("cursor")] } } });
      expect(costOf(answer).rowsRead).toBeLessThanOrEqual(100);
    }
    const answer = await project.call("GET", pathTo(ids.at(-1)));
    expect(answer.status).toBe(200);
    const { calls, rowsRead } = costOf(answer);
    expect(calls).toBe(1);
    expect(rowsRead).toBeLessThanOrEqual(12);
  });

  test("by cursor: each row once, at the same cost anywhere", async () => {
    const ids = await listed();
    const walked: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null && walked.length < 1_500) {
      const answer: Answer = await project.call("GET", `${path}?limit=100&cursor=${cursor}`);
      expect(answer.status).toBe(200);
      expect(costOf(answer).calls).toBe(1);
      expect(costOf(answer).rowsRead).toBeLessThanOrEqual(12 * 100 + 100);
      walked.push(...pageOf(answer.body).ids);
      cursor = nextOf(answer);
    }
    expect(walked).toEqual(ids.slice(0, walked.length));
    const both = await project.call("GET", `${path}?page=1&cursor=`);
    expect(both).toMatchObject({ status: 422, body: { errors: { cursor: [expect.any(String)] } } });
  });
});
