import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { type ChannelRef, createPost, HANDLES, PAGES, Project, projectWith } from "../../support/world.ts";

const Walked = z.object({
  posts: z.object({
    data: z.array(z.object({ post_id: z.number() })),
    path: z.string(),
    per_page: z.number(),
    next_cursor: z.string().nullable(),
    next_page_url: z.string().nullable(),
    prev_cursor: z.null(),
    prev_page_url: z.null(),
  }),
  status: z.literal(true),
});
const Paged = z.object({
  posts: z.looseObject({ total: z.number(), data: z.array(z.object({ post_id: z.number() })) }),
  warnings: z.array(z.string()).optional(),
});

async function list(project: Project, query: string) {
  const answer = await project.call("GET", `/social/get-posts?channels=facebook,twitter,youtube&${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Goes through all of it by the addresses that the answers give. */
async function walk(project: Project, query: string, between: () => Promise<unknown> = async () => {}) {
  const ids: number[] = [];
  let address: string | null = `/social/get-posts?channels=facebook,twitter,youtube&${query}&cursor=`;
  for (let pages = 0; address !== null; pages++) {
    if (pages > 200) throw new Error("The walk has no end.");
    const { posts } = Walked.parse((await project.call("GET", address)).body);
    ids.push(...posts.data.map(({ post_id }) => post_id));
    address = posts.next_page_url;
    // The rate limit is not tested here: the clock moves on.
    await advance(20);
    await between();
  }
  return ids;
}

/** A project with a facebook and an X channel, whose users differ, and a post in every state on both. */
async function filled(count: number, at: (index: number) => number) {
  const { project, channel } = await projectWith("twitter", HANDLES.bikes);
  const [page = 0] = await project.connect("facebook", [PAGES.fern]);
  await env.DB.prepare("UPDATE channels SET user_ref = 'user-2' WHERE id = ?").bind(page).run();
  const states = ["draft", "pending", "scheduled", "queued", "published", "failed", "deleted"];
  const rows = Array.from({ length: count }, (_, index) => {
    const state = states[index % states.length] ?? "draft";
    const isX = index % 2 === 0;
    return {
      channel: isX ? channel.channel_id : page,
      type: isX ? "twitter" : "facebook",
      state,
      external: index % 5 === 0 ? "five" : null,
      created: at(index),
      published:
        state === "published" || (state === "failed" && index % 4 === 0) ? at(index) + (index % 11) * 1000 : null,
      deleted: state === "deleted" ? at(index) : null,
    };
  });
  const made = await env.DB.prepare(
    `INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
       publish_mode, time_zone, publish_at, platform_posts, external_id, created_at, updated_at, published_at, deleted_at)
     SELECT c.project_id, c.id, value ->> 'type', value ->> 'state', 'post', 'x', '[]', '[]', '[]', 'now', 'UTC', 0, '[]',
       value ->> 'external', value ->> 'created', 0, value ->> 'published', value ->> 'deleted'
     FROM json_each(?) JOIN channels c ON c.id = value ->> 'channel' ORDER BY key RETURNING id`,
  )
    .bind(JSON.stringify(rows))
    .all<{ id: number }>();
  const posts = rows.map((row, index) => ({ ...row, id: made.results[index]?.id ?? 0 }));
  return { project, channel, page, posts };
}

type Row = Awaited<ReturnType<typeof filled>>["posts"][number];

/** What the answer must be: newest first by the time that counts, then by id. */
function expected(posts: readonly Row[], fits: (post: Row) => boolean, by: "created" | "published" = "created") {
  return posts
    .filter((post) => post.state !== "deleted" && fits(post))
    .sort((a, b) => (b[by] ?? 0) - (a[by] ?? 0) || b.id - a.id)
    .map(({ id }) => id);
}

const START = Date.parse("2030-01-01T00:00:00Z");
const iso = (at: number) => new Date(at).toISOString();

describe("get-posts by filters", () => {
  test("a cursor walks through any filters: each fitting post once, in order", async ({ expect }) => {
    // Three at an instant, and not in the order of their ids.
    const { project, channel, page, posts } = await filled(
      140,
      (index) => START + Math.floor(((index * 37) % 140) / 3) * 1000,
    );
    const instant = fc.integer({ min: -2, max: 60 }).map((seconds) => START + seconds * 1000);
    const filter = fc.record(
      {
        status: fc.subarray(["scheduled", "draft", "queued", "failed", "published"], { minLength: 1 }),
        channel_id: fc.constantFrom(channel.channel_id, page, 999_999),
        user_id: fc.constantFrom("user-1", "user-2", "nobody"),
        external_id: fc.constantFrom("five", "six"),
        created: fc.tuple(instant, instant),
        published: fc.tuple(instant, instant),
        limit: fc.constantFrom(1, 3, 7, 100),
      },
      { requiredKeys: ["limit"] },
    );
    await fc.assert(
      fc.asyncProperty(filter, async ({ created, published, limit, ...plain }) => {
        const span = (name: string, times: [number, number] | undefined) =>
          times ? { [`${name}_from`]: iso(Math.min(...times)), [`${name}_to`]: iso(Math.max(...times)) } : {};
        const query = new URLSearchParams({
          ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
          ...span("created", created),
          ...span("published", published),
          limit: String(limit),
        }).toString();
        const isIn = (at: number | null, times: [number, number] | undefined) =>
          !times || (at !== null && at >= Math.min(...times) && at < Math.max(...times));
        const users = { "user-1": channel.channel_id, "user-2": page, nobody: 0 };
        const ids = expected(
          posts,
          (post) =>
            (!plain.status || plain.status.some((state) => state === post.state)) &&
            (plain.channel_id === undefined || plain.channel_id === post.channel) &&
            (plain.user_id === undefined || users[plain.user_id as keyof typeof users] === post.channel) &&
            (plain.external_id === undefined || plain.external_id === post.external) &&
            isIn(post.created, created) &&
            isIn(post.published, published),
          published && plain.external_id === undefined ? "published" : "created",
        );
        expect([query, await walk(project, query)]).toEqual([query, ids]);
        const numbered = Paged.parse(await list(project, `${query}&page=2`)).posts;
        expect([query, numbered.total]).toEqual([query, ids.length]);
        expect(numbered.data.map(({ post_id }) => post_id)).toEqual(ids.slice(limit, 2 * limit));
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  test("a walk neither misses nor repeats posts while new ones are made", async ({ expect }) => {
    const { project, channel, posts } = await filled(40, (index) => Date.parse("2020-01-01") + index);
    const made: number[] = [];
    const ids = await walk(project, "limit=5", async () => {
      made.push(await createPost(project, channel, { caption_text: crypto.randomUUID(), publish_mode: "queued" }));
    });
    expect(made.length).toBeGreaterThan(5);
    expect(ids).toEqual(expected(posts, () => true));
  });

  test("answers a cursor in Laravel's shape, its address with the filters", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const ids: number[] = [];
    for (const text of ["a", "b", "c"]) {
      ids.unshift(await createPost(project, channel, { caption_text: text, publish_mode: "queued" }));
    }
    const query = "channels=twitter&limit=2&status=queued&include=content";
    const answer = await project.call("GET", `/social/get-posts?${query}&cursor=`);
    const { posts } = Walked.parse(answer.body);
    expect(Object.keys(z.object({ posts: z.record(z.string(), z.unknown()) }).parse(answer.body).posts)).toEqual([
      "data",
      "path",
      "per_page",
      "next_cursor",
      "next_page_url",
      "prev_cursor",
      "prev_page_url",
    ]);
    const path = "https://belfry.test/api/v1/social/get-posts";
    expect(posts).toMatchObject({ path, per_page: 2, data: ids.slice(0, 2).map((post_id) => ({ post_id })) });
    expect(posts.next_page_url).toBe(`${path}?${query}&cursor=${posts.next_cursor}`);
    const rest = Walked.parse((await project.call("GET", posts.next_page_url ?? "")).body).posts;
    expect(rest).toMatchObject({ data: [{ post_id: ids[2] }], next_cursor: null, next_page_url: null });
  });

  test("times are inclusive from, exclusive to, and may be dates", async ({ expect }) => {
    const { project, posts } = await filled(3, (index) => START + index * 1000);
    const [first, second, third] = posts.map(({ id }) => id);
    const ids = async (query: string) =>
      Paged.parse(await list(project, query)).posts.data.map(({ post_id }) => post_id);
    expect(await ids(`created_from=${iso(START + 1000)}`)).toEqual([third, second]);
    expect(await ids(`created_to=${iso(START + 1000)}`)).toEqual([first]);
    expect(await ids("created_from=2030-01-01&created_to=2030-01-02")).toEqual([third, second, first]);
    expect(await ids("created_to=2030-01-01")).toEqual([]);
    expect(await ids("created_from=2030-01-01T01:00:01%2B01:00&created_to=2030-01-01T00:00:01.000000001Z")).toEqual([
      second,
    ]);
  });

  test("a channel's posts have their true total, on every page", async ({ expect }) => {
    const { project, channel, posts } = await filled(2_500, (index) => START + index);
    const query = `channel_id=${channel.channel_id}&limit=100`;
    const ids = expected(posts, (post) => post.channel === channel.channel_id);
    for (const page of [1, 10, 11, Math.ceil(ids.length / 100), 50]) {
      const body = Paged.parse(await list(project, `${query}&page=${page}`));
      expect(body.warnings).toBeUndefined();
      expect(body.posts.total).toBe(ids.length);
      expect(body.posts.data.map(({ post_id }) => post_id)).toEqual(ids.slice((page - 1) * 100, page * 100));
    }
    expect(await walk(project, query)).toEqual(ids);
  });

  test("of a filter without a counter, more than 10,000 posts are counted to 10,000, and the answer says so", async ({
    expect,
  }) => {
    const { project, posts } = await filled(12_500, (index) => START + index);
    const query = `created_from=${iso(START + 5)}&limit=100`;
    const ids = expected(posts, (post) => post.created >= START + 5);
    expect(ids.length).toBeGreaterThan(10_000);
    for (const page of [1, 9, 60, 100]) {
      const body = Paged.parse(await list(project, `${query}&page=${page}`));
      expect(body.posts).toMatchObject({ total: 10_000, total_is_capped: true });
      expect(body.warnings).toEqual([expect.stringContaining("cursor")]);
      expect(body.posts.data.map(({ post_id }) => post_id)).toEqual(ids.slice((page - 1) * 100, page * 100));
    }
    const beyond = await project.call("GET", `/social/get-posts?channels=facebook,twitter,youtube&${query}&page=101`);
    expect(beyond).toMatchObject({ status: 422, body: { errors: { page: [expect.stringContaining("cursor")] } } });
    const few = Paged.parse(await list(project, `created_from=${iso(START + 5_000)}&limit=100&page=62`));
    const rest = expected(posts, (post) => post.created >= START + 5_000);
    expect(few.posts).toMatchObject({ total: rest.length });
    expect(few.posts).not.toHaveProperty("total_is_capped");
    expect(few.posts.data.map(({ post_id }) => post_id)).toEqual(rest.slice(6_100, 6_200));
  }, 60_000);

  let own: Promise<Project> | undefined;
  test.for([
    ["channel_id=0", "channel_id"],
    ["channel_id=1.5", "channel_id"],
    ["channel_id=abc", "channel_id"],
    ["user_id=", "user_id"],
    ["external_id=", "external_id"],
    ["created_from=yesterday", "created_from"],
    ["created_from=2030-01-01T00:00:00", "created_from"],
    ["created_from=2030-01-01T00:00:00+01:00", "created_from"],
    ["created_to=2030-02-30", "created_to"],
    ["published_to=2030-01-01T24:00:00Z", "published_to"],
    ["published_from=1893456000000", "published_from"],
    ["created_from=2030-01-02&created_to=2030-01-01", "created_from"],
    ["published_from=2030-01-02&published_to=2030-01-01", "published_from"],
    ["cursor=&page=1", "cursor"],
    ["cursor=abc", "cursor"],
    ["cursor=%00", "cursor"],
    [`cursor=${"a".repeat(300)}`, "cursor"],
  ] as const)("refuses %s on its field", async ([query, field], { expect }) => {
    own ??= Project.create();
    const project = await own;
    const answer = await project.call("GET", `/social/get-posts?channels=twitter&${query}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.stringContaining(field)] } } });
  });

  test("refuses a cursor that was changed, is another project's, or of another order", async ({ expect }) => {
    const { project } = await filled(10, (index) => START + index);
    const { next_cursor } = Walked.parse(await list(project, "limit=2&cursor=")).posts;
    const cursor = next_cursor ?? "";
    const status = async (by: Project, query: string) =>
      (await by.call("GET", `/social/get-posts?channels=twitter&${query}`)).status;
    expect(await status(project, `cursor=${cursor}`)).toBe(200);
    for (let index = 0; index < cursor.length; index += 3) {
      const letter = cursor[index] === "A" ? "B" : "A";
      const changed = cursor.slice(0, index) + letter + cursor.slice(index + 1);
      expect([changed, await status(project, `cursor=${changed}`)]).toEqual([changed, 422]);
    }
    expect(await status(project, `cursor=${cursor.slice(0, -1)}`)).toBe(422);
    expect(await status(project, `cursor=${cursor}&published_from=2030-01-01`)).toBe(422);
    const { project: other } = await projectWith("twitter");
    expect(await status(other, `cursor=${cursor}`)).toBe(422);
  });

  test("another project's channel lists nothing", async ({ expect }) => {
    const { channel } = await filled(5, (index) => START + index);
    const { project: stranger } = await projectWith("twitter");
    const named = (one: ChannelRef) => `channel_id=${one.channel_id}`;
    expect(Paged.parse(await list(stranger, named(channel))).posts).toMatchObject({ total: 0, data: [] });
    expect(Walked.parse(await list(stranger, `${named(channel)}&cursor=`)).posts.data).toEqual([]);
  });
});
