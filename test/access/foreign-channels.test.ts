import { env } from "cloudflare:workers";
import { test } from "vitest";
import { advance } from "../support/clock.ts";
import { createPost, Project, projectWith } from "../support/world.ts";

test.for(["queued", "share_next"])(
  "create-post (%s) with another project's channel reads nothing of its queue",
  async (publishMode, { expect }) => {
    const { project, channel } = await projectWith("twitter");
    const stranger = await Project.create();
    const post = { post_type: "post", caption_text: "x", media_urls: [], publish_mode: publishMode };
    const measure = async (): Promise<string | undefined> => {
      const send = () => stranger.call("POST", "/social/create-post", { body: { ...channel, ...post } });
      await send();
      await advance(1000);
      const answer = await send();
      expect([404, 422]).toContain(answer.status);
      return /d1;desc="[^"]*"/.exec(answer.headers.get("Server-Timing") ?? "")?.[0];
    };
    const empty = await measure();
    expect(empty).toMatch(/calls=1 .*rows_read=\d/);
    const first = await createPost(project, channel, { caption_text: "the first", publish_mode: "queued" });
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
         publish_mode, time_zone, publish_at, slot_at, platform_posts, created_at, updated_at)
       SELECT project_id, channel_id, channel_type, 'queued', 'post', 'queued', '[]', '[]', '[]', 'queued', 'UTC',
         slot_at + n.i, slot_at + n.i, '[]', created_at, updated_at FROM n, posts WHERE posts.id = ?1`,
    )
      .bind(first)
      .run();
    expect(await measure()).toBe(empty);
    // Its own project still finds the next free place.
    await createPost(project, channel, { caption_text: "the second", publish_mode: publishMode });
  },
);
