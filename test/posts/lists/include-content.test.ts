import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { media } from "../../support/sandbox.ts";
import { createPost, HANDLES, newBrowser, PAGES, type Project, projectWith, SANDBOX } from "../../support/world.ts";

const SPECIFIED = ["post_id", "channel_type", "channel_id", "STATUS"];

const Content = z.object({ post: z.record(z.string(), z.unknown()) });

async function readBack(project: Project, id: number) {
  const answer = await project.call("GET", `/social/post/${id}?include=content`);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return Content.parse(answer.body).post;
}

describe("include=content", () => {
  test("reports what was posted; without it the answers keep exactly the specified keys", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const text = `Hello ${crypto.randomUUID()}`;
    const id = await createPost(project, channel, {
      caption_text: text,
      hash_tags: "#one two",
      media_urls: [media("square.jpg")],
      alt_texts: ["A square"],
      external_id: "order-1",
      metadata: { author: "ada", "a.b-c_1": "" },
    });
    const post = await readBack(project, id);
    expect(post).toEqual({
      post_id: id,
      channel_type: "facebook",
      channel_id: String(channel.channel_id),
      STATUS: "pending",
      caption_text: text,
      hash_tags: ["one", "two"],
      media_urls: [media("square.jpg")],
      alt_texts: ["A square"],
      twitter_threads: null,
      publish_mode: "now",
      schedule_time: null,
      scheduled_at: null,
      time_zone: "UTC",
      external_id: "order-1",
      metadata: { author: "ada", "a.b-c_1": "" },
      post_type: "post",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
      updated_at: expect.stringMatching(/\+00:00$/),
      published_at: null,
      channel_name: expect.stringContaining("Fern"),
      user_id: "user-1",
      post_extra: null,
      declared: null,
      options: null,
      error_code: null,
      first_comment: null,
      first_comment_result: null,
      approval: null,
      sandbox_url: null,
      cost: { amount: 0, currency: "USD", reasons: [] },
    });
    const plain = Content.parse((await project.call("GET", `/social/post/${id}`)).body).post;
    expect(Object.keys(plain)).toEqual(SPECIFIED);
    const listed = z
      .object({ posts: z.object({ data: z.array(z.record(z.string(), z.unknown())) }) })
      .parse((await project.call("GET", "/social/get-posts?channels=facebook")).body);
    expect(listed.posts.data.map(Object.keys)).toEqual([SPECIFIED]);
  });

  test("is the same in a list, which then also reports where a walk goes on", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const items = [{ message: "first" }, { message: "second", media_urls: [media("square.jpg")] }];
    const first = await createPost(project, channel, {
      post_type: "thread",
      twitter_threads: items,
      publish_mode: "scheduled",
      schedule_time: "2030-03-05 10:00",
      time_zone: "America/New_York",
    });
    const second = await createPost(project, channel, { caption_text: "later", publish_mode: "queued" });
    expect(await readBack(project, first)).toMatchObject({
      caption_text: null,
      media_urls: [],
      twitter_threads: [
        { message: "first", media_urls: [], alt_texts: [] },
        { message: "second", media_urls: [media("square.jpg")], alt_texts: [null] },
      ],
      post_type: "thread",
      publish_mode: "scheduled",
      schedule_time: "2030-03-05 10:00",
      scheduled_at: "2030-03-05T15:00:00.000+00:00",
      time_zone: "America/New_York",
      metadata: null,
      external_id: null,
    });
    const list = "/social/get-posts?channels=twitter&limit=1&include=content";
    const Page = z.object({
      posts: z.looseObject({ data: z.array(z.unknown()), next_cursor: z.string().nullable() }),
    });
    const answer = (await project.call("GET", list)).body;
    const page = Page.parse(answer).posts;
    // What it has cost is shown of a single post only.
    const { cost: _, ...listedAlike } = await readBack(project, second);
    expect(page.data).toEqual([listedAlike]);
    const keys = Object.keys(z.object({ posts: z.record(z.string(), z.unknown()) }).parse(answer).posts);
    expect([keys.length, keys.at(-1)]).toEqual([13, "next_cursor"]);
    expect(page).toMatchObject({ current_page: 1, total: 2, last_page: 2 });
    const rest = Page.parse((await project.call("GET", `${list}&cursor=${page.next_cursor}`)).body).posts;
    expect(rest).toMatchObject({ data: [{ post_id: first, twitter_threads: items }], next_cursor: null });
    const end = Page.parse((await project.call("GET", `${list}&page=2`)).body).posts;
    expect(end.next_cursor).toBeNull();
  });

  test.for([
    ["facebook", PAGES.fern, { post_type: "post" }],
    ["facebook", PAGES.fern, { post_type: "post", media_urls: [media("square.jpg")] }],
    ["facebook", PAGES.fern, { post_type: "reel", media_urls: [media("reel.mp4")] }],
    ["facebook", PAGES.fern, { post_type: "story", media_urls: [media("square.jpg")] }],
    ["twitter", HANDLES.fern, { post_type: "tweet" }],
  ] as const)(
    "%s: a live post has the page of the sandbox that shows it (%s, %o)",
    async ([name, account, body], { expect }) => {
      const { project, channel } = await projectWith(name, account);
      const mark = crypto.randomUUID();
      const id = await createPost(project, channel, { caption_text: mark, ...body });
      await queuesIdle();
      const post = await readBack(project, id);
      expect(post).toMatchObject({ STATUS: "published", published_at: expect.stringMatching(/\+00:00$/) });
      const url = z.string().parse(post.sandbox_url);
      expect(url.startsWith(`${SANDBOX}/posts/${name}/`)).toBe(true);
      const page = await newBrowser().go(url);
      expect(page.status).toBe(200);
      expect(page.html).toContain(body.post_type === "story" ? "<img" : mark);
      expect((await newBrowser().go(`${SANDBOX}/posts/${name}/1`)).status).toBe(404);
    },
  );

  test("of a post that failed reports the code of the reason", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.harbour);
    const id = await createPost(project, channel, { caption_text: "x", media_urls: [media("none.jpg")] });
    await queuesIdle();
    await env.DB.prepare("UPDATE posts SET error_code = 'media_unreachable' WHERE id = ?").bind(id).run();
    expect(await readBack(project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.any(String),
      error_code: "media_unreachable",
      published_at: null,
      first_comment: null,
      first_comment_result: null,
      approval: null,
      sandbox_url: null,
    });
  });

  test.for(["", "contents", "content,more", "content&include=content"])(
    "include=%s is refused",
    async (words, { expect }) => {
      const { project, channel } = await projectWith("twitter");
      const id = await createPost(project, channel, { caption_text: "x", publish_mode: "queued" });
      for (const path of [`/social/post/${id}?`, "/social/get-posts?channels=twitter&"]) {
        const answer = await project.call("GET", `${path}include=${words}`);
        expect(answer).toMatchObject({
          status: 422,
          body: { errors: { include: [expect.stringContaining("include")] } },
        });
      }
    },
  );
});
