import { env } from "cloudflare:workers";
import { test } from "vitest";
import { writer } from "./compose/writer.ts";
import { CONSOLE_URL } from "./console-browser.ts";

/** Rows may name a platform that this version does not have: it has its name there, and no page fails. */

const LISTS = [
  "",
  "/posts",
  "/posts?status=failed",
  "/calendar",
  "/compose",
  "/series/new",
  "/feeds/new",
  "/imports",
  "/channels",
  "/bots/new",
  "/comments",
  "/messages",
  "/insights",
  "/usage",
  "/approvals",
  "/campaigns",
];

test("no page fails at a platform that this version does not have", async ({ expect }) => {
  const { browser, project, id, channels } = await writer("facebook");
  const [channel] = channels;
  const post = { channel_type: "facebook", channel_id: channel, post_type: "post", caption_text: "Bread" };
  for (const publish_mode of ["draft", "now"]) {
    await project.call("POST", "/social/create-post", { body: { ...post, media_urls: [], publish_mode } });
  }
  await env.DB.batch([
    env.DB.prepare("UPDATE posts SET channel_type = 'mastodon', state = iif(state = 'draft', 'draft', 'failed')"),
    env.DB.prepare("UPDATE channels SET platform = 'mastodon' WHERE project_id = ?").bind(id),
  ]);
  const base = `${CONSOLE_URL}/projects/${id}`;
  const { results } = await env.DB.prepare("SELECT id FROM posts WHERE project_id = ?").bind(id).all<{ id: number }>();
  const posts = results.flatMap((row) => [`/posts/${row.id}`, `/posts/${row.id}/edit`]);
  const paths = [...LISTS, ...posts, `/channels/${channel}`, `/insights?channel=${channel}`];
  const failed: string[] = [];
  for (const path of paths) {
    const { status } = await browser.go(`${base}${path}`);
    if (status !== 200) failed.push(`${path}: ${status}`);
  }
  expect([results.length, failed]).toEqual([2, []]);
  expect((await browser.go(`${base}/posts/${results[0]?.id}`)).html).toContain("mastodon");
});
