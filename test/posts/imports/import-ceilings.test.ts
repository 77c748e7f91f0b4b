import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { bindings, cron, queue, queuesIdle } from "../../support/queue.ts";
import { DAY } from "../../support/times.ts";
import { API, door, type Project, projectWith } from "../../support/world.ts";

/** What files of posts may take of a project's room. */

beforeEach(() => queue.loseAll());

const Answered = z.object({ import: z.object({ import_id: z.number(), state: z.string() }) });

const csv = (channelId: number, rows: number, text: string) =>
  ["channel_id,caption_text", ...Array.from({ length: rows }, (_, row) => `${channelId},"${row} ${text}"`)].join("\n");

async function upload(project: Project, file: string, variables: Readonly<Record<string, string>> = {}) {
  const headers = { Authorization: `Bearer ${project.token}`, "Content-Type": "text/csv" };
  const body = new TextEncoder().encode(file);
  const request = new Request(`${API}/social/import-posts`, {
    method: "POST",
    headers: { ...headers, "Content-Length": String(body.length) },
    body,
  });
  const response = await door(request, { ...bindings, ...variables });
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

const idOf = (body: unknown) => Answered.parse(body).import.import_id;

async function bytesOf(project: Project): Promise<number> {
  const row = env.DB.prepare(
    "SELECT bytes FROM post_counts WHERE project_id = (SELECT id FROM projects WHERE name = ?)",
  );
  return (await row.bind(project.name).first<number>("bytes")) ?? 0;
}

const partsLeft = (id: number) =>
  env.DB.prepare("SELECT count(*) AS n FROM import_parts WHERE import_id = ?").bind(id).first<number>("n");

describe("files of posts", () => {
  test("are at most twenty a project until they are imported or deleted", { timeout: 120_000 }, async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const ids: number[] = [];
    for (let file = 0; file < 20; file++) {
      const { status, body } = await upload(project, csv(channel.channel_id, 1, `${file}`));
      expect(status).toBe(200);
      ids.push(idOf(body));
    }
    const beyond = await upload(project, csv(channel.channel_id, 1, "beyond"));
    expect([beyond.status, beyond.body]).toEqual([
      429,
      expect.objectContaining({ code: "quota_exceeded", message: expect.stringContaining("20 files") }),
    ]);
    const other = await projectWith("facebook");
    expect((await upload(other.project, csv(other.channel.channel_id, 1, "x"))).status).toBe(200);
    const [first, second] = ids;
    const deletion = await project.call("DELETE", `/social/delete-import/${first}`);
    expect([deletion.status, (await project.call("GET", `/social/get-import/${first}`)).status]).toEqual([200, 404]);
    expect((await upload(project, csv(channel.channel_id, 1, "again"))).status).toBe(200);
    await project.call("POST", `/social/start-import/${second}`, { body: {} });
    await queuesIdle();
    expect((await upload(project, csv(channel.channel_id, 1, "after"))).status).toBe(200);
    expect((await upload(project, csv(channel.channel_id, 1, "one more"))).status).toBe(429);
  });

  test("keep no place if they are refused", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const broken = `${csv(channel.channel_id, 150, "x")}\n${channel.channel_id},"open`;
    for (let file = 0; file < 21; file++) expect((await upload(project, broken)).status).toBe(422);
    expect([await bytesOf(project), (await upload(project, csv(channel.channel_id, 1, "y"))).status]).toEqual([0, 200]);
  });

  test("count in the bytes of the project's texts until their posts exist", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const room = { MAX_STORED_BYTES: "60000" };
    const first = await upload(project, csv(channel.channel_id, 200, "x".repeat(150)), room);
    expect(first.status).toBe(200);
    const held = await bytesOf(project);
    expect(held).toBeGreaterThan(200 * 150);
    const refused = await upload(project, csv(channel.channel_id, 200, "y".repeat(150)), room);
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining({ code: "quota_exceeded" })]);
    expect(await bytesOf(project)).toBe(held);
    const id = idOf(first.body);
    await project.call("POST", `/social/start-import/${id}`, { body: {} });
    await queuesIdle();
    const posts = await env.DB.prepare(
      `SELECT sum(octet_length(caption) + octet_length(media_urls) + octet_length(alt_texts) + octet_length(hash_tags)
        + octet_length(thread) + coalesce(octet_length(extra), 0) + coalesce(octet_length(first_comment), 0)
        + coalesce(octet_length(external_id), 0) + coalesce(octet_length(metadata), 0)) AS n FROM posts WHERE project_id = (SELECT id FROM projects WHERE name = ?)`,
    )
      .bind(project.name)
      .first<number>("n");
    expect(posts).toBeGreaterThan(200 * 150);
    expect([await bytesOf(project), await partsLeft(id)]).toEqual([posts, 0]);
    await advance(8 * DAY);
    await cron();
    await queuesIdle();
    expect([await bytesOf(project), (await project.call("GET", `/social/get-import/${id}`)).status]).toEqual([
      posts,
      404,
    ]);
  });
});
