import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { answering, quiet } from "../../support/between.ts";
import { advance } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR } from "../../support/times.ts";
import { createPost, Project, projectWith } from "../../support/world.ts";

afterEach(async () => {
  quiet();
  await sandbox.noFaults();
});

const Retried = z.object({ data: z.object({ post_id: z.number(), retry_of: z.number() }) });

/** A project whose only post was refused, and would be taken now. */
async function failedPost() {
  const account = await sandbox.addAccount("twitter", crypto.randomUUID().slice(0, 20));
  const { project, channel } = await projectWith("twitter", account);
  const mark = crypto.randomUUID();
  answering((request) =>
    request.method === "POST" && request.url.endsWith("/2/tweets")
      ? Response.json(
          { title: "Problem", type: "about:blank", status: 400, detail: "Your Tweet has an invalid URL." },
          { status: 400 },
        )
      : null,
  );
  const id = await createPost(project, channel, { caption_text: mark, external_id: "order-7" });
  await queuesIdle(24 * HOUR);
  quiet();
  expect(await stateOf(id)).toBe("failed");
  return { project, channel, account, id, mark };
}

const stateOf = (id: number) => env.DB.prepare("SELECT state FROM posts WHERE id = ?").bind(id).first<string>("state");
const countOf = (mark: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM posts WHERE caption = ?").bind(mark).first<number>("n");
const retry = (project: Project, id: number | string, headers: Record<string, string> = {}) =>
  project.call("POST", `/social/retry-post/${id}`, { headers });

describe("retry-post", () => {
  test("publishes the content once more as a new post, once", async () => {
    const { project, id, mark } = await failedPost();
    const { status, body } = await retry(project, id);
    expect([status, body]).toMatchObject([200, { data: { retry_of: id, STATUS: "processing" }, status: true }]);
    const { data } = Retried.parse(body);
    expect(data.post_id).toBeGreaterThan(id);
    await queuesIdle();
    expect([await stateOf(data.post_id), await stateOf(id)]).toEqual(["published", "failed"]);
    const found = await project.call("GET", `/social/post/${data.post_id}?include=content`);
    expect(JSON.stringify(found.body)).toContain("order-7");
    const again = await retry(project, id);
    expect(again).toMatchObject({ status: 422, body: { code: "not_changeable" } });
    await queuesIdle();
    expect((await sandbox.postsWith(mark)).length).toBe(1);
  });

  test("sent many times at once, with and without a key, it makes one post", async () => {
    const { project, id, mark } = await failedPost();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const answers = await Promise.all(
      [...Array(4).fill(key), ...Array(4).fill({})].map((headers) => retry(project, id, headers)),
    );
    const made = new Set(answers.flatMap(({ body }) => Retried.safeParse(body).data?.data.post_id ?? []));
    expect([made.size, answers.filter(({ status }) => status !== 200 && status !== 422)]).toEqual([1, []]);
    await queuesIdle();
    expect([await countOf(mark), (await sandbox.postsWith(mark)).length]).toEqual([2, 1]);
  });

  test("a repeat with its key answers the same post; the key stands for no other post", async () => {
    const { project, id, channel } = await failedPost();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await retry(project, id, key);
    const second = await retry(project, id, key);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    const other = await createPost(project, channel, { caption_text: crypto.randomUUID(), publish_mode: "draft" });
    expect(await retry(project, other, key)).toMatchObject({ body: { code: "idempotency_conflict" } });
  });

  test("publishes once when the message of its job is lost", async () => {
    const { project, id, mark } = await failedPost();
    const { data } = Retried.parse((await retry(project, id)).body);
    queue.loseAll();
    await advance(HOUR);
    await cron();
    await queuesIdle();
    expect([await stateOf(data.post_id), (await sandbox.postsWith(mark)).length]).toEqual(["published", 1]);
  });

  test("at once with a deletion, the failed post is retried or deleted first, and nothing is doubled", async () => {
    const { project, id, mark } = await failedPost();
    const [retried, deleted] = await Promise.all([
      retry(project, id),
      project.call("DELETE", `/social/delete-post/${id}`),
    ]);
    expect([deleted.status, [200, 404, 422].includes(retried.status)]).toEqual([200, true]);
    await queuesIdle();
    expect((await sandbox.postsWith(mark)).length).toBe(retried.status === 200 ? 1 : 0);
    expect((await retry(project, id)).status).toBe(404);
  });

  test("is refused with a reason for a post that may be live", async () => {
    const { project, channel } = await projectWith(
      "twitter",
      await sandbox.addAccount("twitter", crypto.randomUUID().slice(0, 20)),
    );
    await sandbox.fault("twitter", "publish", "error", 1_000);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle(24 * HOUR);
    await sandbox.noFaults();
    const code = await env.DB.prepare("SELECT error_code FROM posts WHERE id = ?").bind(id).first("error_code");
    expect(code).toBe("may_be_published");
    const { status, body } = await retry(project, id);
    expect([status, body]).toMatchObject([
      422,
      { code: "not_changeable", message: expect.stringContaining("may be live") },
    ]);
    await queuesIdle();
    expect(await countOf(mark)).toBe(1);
  });

  test("is refused for what did not fail, is another's, or does not exist", async () => {
    const { project, channel } = await projectWith("facebook");
    const live = await createPost(project, channel, { caption_text: crypto.randomUUID() });
    const draft = await createPost(project, channel, { caption_text: "Later", publish_mode: "draft" });
    await queuesIdle();
    for (const id of [live, draft])
      expect(await retry(project, id)).toMatchObject({ status: 422, body: { code: "not_changeable" } });
    const stranger = await Project.create();
    for (const id of [live, "0", "x"]) expect([id, (await retry(stranger, id)).status]).toEqual([id, 404]);
  });

  test("is refused while the channel is disconnected, and possible once it is connected again", async () => {
    const { project, id, channel, account, mark } = await failedPost();
    await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
    const refused = await retry(project, id);
    expect([refused.status, await countOf(mark)]).toEqual([422, 1]);
    await project.connect("twitter", [account]);
    expect((await retry(project, id)).status).toBe(200);
    await queuesIdle();
    expect((await sandbox.postsWith(mark)).length).toBe(1);
  });
});
