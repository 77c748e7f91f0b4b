import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { drawn } from "../../contract/sample.ts";
import { insert, projectId, readPosts } from "../../support/listed-channels.ts";
import { Project } from "../../support/world.ts";

/** get-posts by a user, whatever the number of their channels. */

const POSTS = 12_000;
const START = Date.now() - 100_000_000;
const USERS = { wide: 14_000, several: 60, one: 1 };
const STATES = ["published", "failed", "draft", "scheduled"];
let project: Project;
let owner = 0;

beforeAll(async () => {
  project = await Project.create();
  owner = await projectId(project);
  const channels = Object.entries(USERS).flatMap(([userRef, count]) =>
    Array.from({ length: count }, (_, index) => ({
      platform: index % 2 === 0 ? "twitter" : "facebook",
      userRef,
      isConnected: index % 3 > 0,
      grant: null,
    })),
  );
  await insert(owner, channels);
  // Every fourth post is of the user with several channels, every hundredth of the one with one.
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2),
     own(user, first) AS (SELECT user_ref, min(id) FROM channels WHERE project_id = ?1 GROUP BY 1),
     kind(i, user, state) AS (SELECT i, CASE WHEN i % 100 = 1 THEN 'one' WHEN i % 4 = 0 THEN 'several' ELSE 'wide' END,
       ?4 ->> (i / 7 % 4) FROM n)
     INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
       publish_mode, time_zone, publish_at, platform_posts, external_id, created_at, updated_at, published_at)
     SELECT ?1, channels.id, channels.platform, kind.state, 'post', 'caption', '[]', '[]', '[]', 'now', 'UTC', ?3, '[]',
       CASE WHEN kind.i % 3 = 0 THEN 'third' END, ?3 + kind.i * 100, ?3, CASE WHEN kind.state = 'published' THEN ?3 + kind.i * 200 END
     FROM kind CROSS JOIN own ON own.user = kind.user
       CROSS JOIN channels ON channels.id = own.first + (kind.i * 7919) % (?5 ->> ('$.' || kind.user))
     ORDER BY kind.i`,
  )
    .bind(owner, POSTS, START, JSON.stringify(STATES), JSON.stringify(USERS))
    .run();
}, 120_000);

const read = (address: string) => readPosts(project, address);

const MIDDLE = START + (POSTS / 2) * 100;
const FILTERS = [
  ["", "1"],
  ["status=published", "state = 'published'"],
  ["status=draft,scheduled,queued,failed", "state IN ('draft', 'scheduled', 'failed')"],
  ["status=draft,scheduled,queued,failed,published", "1"],
  ["external_id=third", "external_id = 'third'"],
  ["created_from=MIDDLE", "created_at >= MIDDLE"],
  ["created_to=MIDDLE&status=failed", "created_at < MIDDLE AND state = 'failed'"],
  ["published_from=MIDDLE", "published_at >= MIDDLE"],
  ["published_to=MIDDLE&external_id=third", "published_at < MIDDLE AND external_id = 'third'"],
] as const;

async function wantedOf(user: string, condition: string, order = "created_at"): Promise<readonly number[]> {
  const { results } = await env.DB.prepare(
    `SELECT posts.id FROM posts JOIN channels ON channels.id = posts.channel_id WHERE posts.project_id = ? AND user_ref = ?
     AND ${condition.replaceAll("MIDDLE", String(MIDDLE)).replaceAll("created_at", "posts.created_at")}
     ORDER BY posts.${order} DESC, posts.id DESC`,
  )
    .bind(owner, user)
    .all<{ id: number }>();
  return results.map(({ id }) => id);
}

describe("with 14,000 channels of a user, and 60 of another one", () => {
  const cases = [...Object.keys(USERS), "nobody"].flatMap((user) =>
    FILTERS.map(([filter, condition]) => [user, filter, condition] as const),
  );
  test.for(drawn("many channels", cases, 12))(
    "get-posts?user_id=%s&%s: every page is right and reads few rows",
    { timeout: 60_000 },
    async ([user, filter, condition], { expect }) => {
      const isByPublication = filter.startsWith("published") && !filter.includes("external_id");
      const wanted = await wantedOf(user, condition, isByPublication ? "published_at" : "created_at");
      const middle = encodeURIComponent(new Date(MIDDLE).toISOString());
      const list = `/social/get-posts?channel_type=twitter,facebook,threads&user_id=${user}&${filter.replaceAll("MIDDLE", middle)}`;
      // With one of the limits; with all in a whole run.
      for (const limit of drawn(`${user} ${filter}`, [1, 10, 100], 1)) {
        const few = 12 * limit + 100;
        const isFew = expect.toSatisfy((rows: number) => rows <= few);
        const first = await read(`${list}&limit=${limit}`);
        expect([limit, first.ids]).toEqual([limit, wanted.slice(0, first.ids.length)]);
        expect(first.rowsRead).toBeLessThanOrEqual(25_000);
        if (!first.total_is_capped) expect([limit, first.total]).toEqual([limit, wanted.length]);
        else expect(first.total).toBeLessThanOrEqual(wanted.length);
        const start = await read(`${list}&limit=${limit}&cursor=`);
        expect([limit, start.rowsRead]).toEqual([limit, isFew]);
        expect([limit, start.ids]).toEqual([limit, wanted.slice(0, start.ids.length)]);
        const deep = Math.floor(2_500 / limit);
        for (const page of [2, Math.ceil(1_100 / limit), deep]) {
          const found = await read(`${list}&limit=${limit}&page=${page}`);
          expect([limit, page, found.rowsRead]).toEqual([
            limit,
            page,
            expect.toSatisfy((rows: number) => rows <= 25_000),
          ]);
          const skip = (page - 1) * limit;
          expect([limit, page, found.ids]).toEqual([limit, page, wanted.slice(skip, skip + found.ids.length)]);
        }
      }
      const walked: number[] = [];
      let address: string | null = `${list}&limit=100&cursor=`;
      while (address !== null) {
        const page = await read(address);
        expect(page.rowsRead).toBeLessThanOrEqual(1_300);
        walked.push(...page.ids);
        address = page.next_page_url;
      }
      expect(walked).toEqual(wanted);
    },
  );

  test("the channels of a page have streams of their own as long as they are few", async ({ expect }) => {
    const list = "/social/get-posts?channel_type=twitter,facebook&limit=10";
    const one = await read(`${list}&user_id=one`);
    expect([one.calls, one.total, one.ids.length]).toEqual([1, POSTS / 100, 10]);
    // Sixty channels are few beside a hundred posts.
    const several = await read("/social/get-posts?channel_type=twitter,facebook&limit=100&user_id=several");
    expect([several.calls, several.total, several.ids.length]).toEqual([1, POSTS / 4, 100]);
  });

  test("a walk goes on with another limit", async ({ expect }) => {
    const list = "/social/get-posts?channel_type=twitter,facebook&user_id=several";
    const wanted = await wantedOf("several", "1");
    const walked: number[] = [];
    let cursor = "";
    for (const limit of [100, 10, 1, 10, 100, 1, 100]) {
      const page = await read(`${list}&limit=${limit}&cursor=${cursor}`);
      walked.push(...page.ids);
      cursor = new URL(page.next_page_url ?? "").searchParams.get("cursor") ?? "";
    }
    expect(walked).toEqual(wanted.slice(0, walked.length));
    expect(walked.length).toBeGreaterThan(250);
  });
});
