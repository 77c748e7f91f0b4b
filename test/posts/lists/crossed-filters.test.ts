import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { DRAWN, drawn } from "../../contract/sample.ts";
import { advance } from "../../support/clock.ts";
import { costOf } from "../../support/costs.ts";
import { insert, projectId } from "../../support/listed-channels.ts";
import { Project } from "../../support/world.ts";

/**
 * get-posts where filters meet: what is frequent in each filter is rare, or nowhere, where two meet. Half of
 * the posts are more than any of these reads may scan; `npm run bench` reads lists of 200,000.
 */

const POSTS = 60_000;
const START = Date.now() - 100_000_000;
let project: Project;
let owner = 0;
/** One with drafts and a few published posts, one with published posts and a few that failed. */
let drafting = 0;
let publishing = 0;

beforeAll(async () => {
  project = await Project.create();
  owner = await projectId(project);
  const channel = (platform: string, userRef: string) => ({ platform, userRef, isConnected: true, grant: null });
  await insert(owner, [channel("twitter", "drafter"), channel("facebook", "publisher")]);
  const { results } = await env.DB.prepare("SELECT id FROM channels WHERE project_id = ? ORDER BY id").bind(owner).all<{
    id: number;
  }>();
  [drafting = 0, publishing = 0] = results.map(({ id }) => id);
  for (let start = 0; start < POSTS; start += 20_000) {
    // Every other post is on one of the two channels. Those of the first rare kind are the oldest, the middle
    // and the newest.
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + 20000),
       kind(i, channel, rare) AS (SELECT i, i % 2, (i / 2) % 14990 < 10 FROM n)
       INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
         publish_mode, time_zone, publish_at, platform_posts, external_id, created_at, updated_at, published_at)
       SELECT ?2, CASE channel WHEN 0 THEN ?3 ELSE ?4 END, CASE channel WHEN 0 THEN 'twitter' ELSE 'facebook' END,
         CASE WHEN channel = 0 AND rare THEN 'published' WHEN channel = 0 THEN 'draft' WHEN rare THEN 'failed' ELSE 'published' END,
         'post', 'caption', '[]', '[]', '[]', 'now', 'UTC', ?5, '[]',
         CASE WHEN channel = 0 AND NOT rare THEN 'of drafts' WHEN i % 4 = 1 THEN 'of published' END,
         ?5 + i * 100, ?5, CASE WHEN (channel = 0) = rare THEN ?5 + i * 200 END
       FROM kind ORDER BY i`,
    )
      .bind(start, owner, drafting, publishing, START)
      .run();
  }
}, 120_000);

const Page = z.object({
  posts: z.object({
    data: z.array(z.object({ post_id: z.number() })),
    next_page_url: z.string().nullable(),
    total: z.number().optional(),
    total_is_capped: z.literal(true).optional(),
  }),
});

async function read(address: string) {
  await advance(700);
  const answer = await project.call("GET", address);
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { data, ...rest } = Page.parse(answer.body).posts;
  return { ids: data.map(({ post_id }) => post_id), ...rest, ...costOf(answer) };
}

const MIDDLE = START + (POSTS / 2) * 100;
const FILTERS = {
  type: [["channel_type=twitter", "channel_type = 'twitter'"]],
  account: [
    ["channel_id=DRAFTING", "channel_id = DRAFTING"],
    ["user_id=publisher", "channel_id = PUBLISHING"],
  ],
  status: [
    ["status=published", "state = 'published'"],
    ["status=failed", "state = 'failed'"],
    ["status=failed,published", "state IN ('failed', 'published')"],
  ],
  externalId: [
    ["external_id=of drafts", "external_id = 'of drafts'"],
    ["external_id=of published", "external_id = 'of published'"],
  ],
  created: [["created_to=MIDDLE", "created_at < MIDDLE"]],
  published: [["published_from=MIDDLE", "published_at >= MIDDLE"]],
} as const;

/** Each choice of at most one of each kind. */
function combinations(): (readonly [string, string])[] {
  const ALL = ["channel_type=twitter,facebook,threads", "1"] as const;
  let found: (readonly [readonly string[], readonly string[]])[] = [[[], []]];
  for (const choices of Object.values(FILTERS)) {
    found = found.flatMap(([query, where]) => [
      [query, where] as const,
      ...choices.map(
        ([name, condition]) =>
          [
            [...query, name],
            [...where, condition],
          ] as const,
      ),
    ]);
  }
  return found.map(([query, where]) => {
    const isOpen = !query.some((part) => /^channel_(?:type|id)=/.test(part));
    const all = isOpen
      ? [
          [ALL[0], ...query],
          [ALL[1], ...where],
        ]
      : [query, where];
    return [all[0]?.join("&") ?? "", all[1]?.join(" AND ") ?? ""] as const;
  });
}

describe("with 60,000 posts", () => {
  const idsOf = async (filter: string, condition: string, named: (text: string) => string) => {
    const order = filter.includes("published_from") && !filter.includes("external_id") ? "published_at" : "created_at";
    const { results } = await env.DB.prepare(
      `SELECT id FROM posts WHERE project_id = ? AND ${named(condition)} ORDER BY ${order} DESC, id DESC`,
    )
      .bind(owner)
      .all<{ id: number }>();
    return results.map(({ id }) => id);
  };
  const inQuery = (text: string) =>
    text
      .replaceAll("DRAFTING", String(drafting))
      .replaceAll("PUBLISHING", String(publishing))
      .replaceAll("MIDDLE", encodeURIComponent(new Date(MIDDLE).toISOString()));
  const inSql = (text: string) =>
    text
      .replaceAll("DRAFTING", String(drafting))
      .replaceAll("PUBLISHING", String(publishing))
      .replaceAll("MIDDLE", String(MIDDLE));

  test(`combinations of filters, ${DRAWN}: page 1 and cursors read few rows, and their links miss nothing`, {
    timeout: 600_000,
  }, async ({ expect }) => {
    for (const [filter, condition] of drawn("combinations", combinations(), 60)) {
      const list = `/social/get-posts?${inQuery(filter)}`;
      const wanted = await idsOf(filter, condition, inSql);
      // Each combination with one of the limits; with all in a whole run.
      for (const limit of drawn(filter, [1, 10, 100], 1)) {
        const few = 12 * limit + 100;
        const first = await read(`${list}&limit=${limit}`);
        // What has no counter counts to 10,000, each a row.
        // For a user without posts, a query checks whether their channels are too many to read one by one.
        const calls = wanted.length === 0 && filter.includes("user_id") ? first.calls : 1;
        expect(first.calls).toBeLessThanOrEqual(2);
        expect([filter, limit, first.calls, first.rowsRead]).toEqual([
          filter,
          limit,
          calls,
          expect.toSatisfy((rows: number) => rows <= few + 10_001),
        ]);
        expect([filter, first.ids]).toEqual([filter, wanted.slice(0, first.ids.length)]);
        if (first.total_is_capped) expect(first.total).toBeLessThanOrEqual(wanted.length);
        else
          expect([filter, first.total, first.ids.length]).toEqual([
            filter,
            wanted.length,
            Math.min(limit, wanted.length),
          ]);
        if (first.ids.length < Math.min(limit, wanted.length)) expect(first.next_page_url).toContain("cursor=");
        const start = await read(`${list}&limit=${limit}&cursor=`);
        expect([filter, limit, start.rowsRead]).toEqual([
          filter,
          limit,
          expect.toSatisfy((rows: number) => rows <= few),
        ]);
        expect([filter, start.ids]).toEqual([filter, wanted.slice(0, start.ids.length)]);
      }
      // The rest by links: to the end where little matches, else some pages far.
      const seen: number[] = [];
      let address: string | null = `${list}&limit=100`;
      for (let pages = 0; address !== null && pages < 4; pages++) {
        const page = await read(address);
        seen.push(...page.ids);
        if (!page.next_page_url?.includes("cursor=") || pages > 0) {
          expect([filter, page.rowsRead]).toEqual([filter, expect.toSatisfy((rows: number) => rows <= 25_000)]);
        }
        address = page.next_page_url;
      }
      expect([filter, seen]).toEqual([filter, wanted.slice(0, seen.length)]);
      if (address === null) expect([filter, seen.length]).toEqual([filter, wanted.length]);
    }
  });

  test.for([
    ["channel_id=DRAFTING&status=published", "channel_id = DRAFTING AND state = 'published'"],
    ["channel_type=twitter&external_id=of published", "0"],
    ["channel_id=DRAFTING&published_from=MIDDLE", "channel_id = DRAFTING AND published_at >= MIDDLE"],
  ] as const)(
    "the links of ?%s lead to every one of the few, by pages that read few rows",
    { timeout: 120_000 },
    async ([filter, condition], { expect }) => {
      const wanted = await idsOf(filter, condition, inSql);
      const seen: number[] = [];
      let requests = 0;
      let address: string | null = `/social/get-posts?${inQuery(filter)}&limit=100`;
      while (address !== null) {
        const page = await read(address);
        seen.push(...page.ids);
        expect(page.rowsRead).toBeLessThanOrEqual(requests === 0 ? 11_300 : 1_300);
        address = page.next_page_url;
        requests++;
      }
      expect(seen).toEqual(wanted);
      expect(requests).toBeLessThanOrEqual(2 + POSTS / 2 / 300);
    },
  );
});
