import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { FAILURE_CODES, FAILURES } from "../../../src/core/failures.ts";
import { type ChannelId, idOf, type PostId } from "../../../src/core/ids.ts";
import { explain } from "../../../src/posts/lists/explanation.ts";
import { POST_STATES } from "../../../src/posts/table.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { type ChannelRef, createPost, findPost, ORIGIN, Project, projectWith } from "../../support/world.ts";

let project: Project;
let channel: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

const Explained = z.object({ explanation: z.looseObject({ what_happened: z.string(), post_again: z.string() }) });

async function explanationOf(id: number) {
  const { status, body } = await project.call("GET", `/social/explain-post/${id}`);
  if (status !== 200) throw new Error(`explain: ${status} ${JSON.stringify(body)}`);
  return Explained.parse(body).explanation;
}

describe("an explanation", () => {
  test("of a post that is live has its address, and advises against a second one", async ({ expect }) => {
    const id = await createPost(project, channel, { caption_text: "Explained" });
    expect(await explanationOf(id)).toMatchObject({ STATUS: "pending", why: null, again: "no" });
    await queuesIdle();
    const { permalink = "?" } = await findPost(project, id);
    expect(await explanationOf(id)).toEqual({
      post_id: id,
      STATUS: "published",
      what_happened: expect.stringContaining(permalink),
      why: null,
      what_to_do: "Nothing.",
      post_again: expect.stringMatching(/^Do not post again/),
      again: "no",
      error_code: null,
      docs_url: null,
    });
  });

  test("of a lost answer says to check first, and so does the post", async ({ expect }) => {
    await sandbox.fault("facebook", "publish", "error", 1_000);
    const id = await createPost(project, channel, { caption_text: "Unconfirmed" });
    await queuesIdle(60_000);
    expect(await explanationOf(id)).toMatchObject({ STATUS: "processing", error_code: "may_be_published" });
    await queuesIdle(24 * 3_600_000);
    await sandbox.fault("facebook", "publish", "error", 0);
    const advice = { error_code: "may_be_published", again: "look_first" };
    const docs_url = `${ORIGIN}/docs/errors#may_be_published`;
    const post = await findFailed(id);
    expect(post).toMatchObject({ STATUS: "failed", ...advice, docs_url, fix: FAILURES.may_be_published.remedy });
    expect(await explanationOf(id)).toMatchObject({
      ...advice,
      docs_url,
      why: post.error,
      what_happened: expect.stringContaining("unknown"),
      post_again: expect.stringContaining("checked the channel"),
    });
    const listed = await project.call("GET", "/social/get-posts?channels=facebook&status=failed");
    expect(listed.body).toMatchObject({ posts: { data: [expect.objectContaining({ ...advice, docs_url })] } });
  });

  test("of a draft, of a scheduled and of a deleted post", async ({ expect }) => {
    const draft = await createPost(project, channel, { caption_text: "Later", publish_mode: "draft" });
    expect(await explanationOf(draft)).toMatchObject({ STATUS: "draft", again: "no" });
    const year = new Date(Date.now()).getUTCFullYear() + 2;
    const due = { publish_mode: "scheduled", schedule_time: `${year}-03-05 10:00`, time_zone: "Europe/Berlin" };
    const waiting = await createPost(project, channel, { caption_text: "In spring", ...due });
    expect((await explanationOf(waiting)).what_happened).toContain(`10AM, 5th of March, ${year}`);
    await project.call("DELETE", `/social/delete-post/${draft}`);
    expect(await explanationOf(draft)).toMatchObject({ STATUS: "deleted", error_code: null });
  });

  test("of another project's post does not exist, nor of one that never was", async ({ expect }) => {
    const id = await createPost(project, channel, { caption_text: "Ours", publish_mode: "draft" });
    const other = await Project.create();
    for (const path of [`/social/explain-post/${id}`, "/social/explain-post/999999999", "/social/explain-post/x"])
      expect((await other.call("GET", path)).status).toBe(404);
  });

  test("takes one D1 call", async ({ expect }) => {
    const id = await createPost(project, channel, { caption_text: "Counted", publish_mode: "draft" });
    const { headers } = await project.call("GET", `/social/explain-post/${id}`);
    expect(headers.get("Server-Timing")).toContain('d1;desc="calls=1 ');
  });
});

/** In each state and with each code, every sentence exists, and `again` follows from the code. */
test.for(POST_STATES)("a post that is %s", (state, { expect }) => {
  for (const errorCode of state === "failed" ? [...FAILURE_CODES, null] : [null]) {
    const post = {
      id: idOf<PostId>(1),
      channelId: idOf<ChannelId>(1),
      channelType: "twitter",
      state,
      processingAt: null,
      publishAt: 0,
      timeZone: "UTC",
      permalink: null,
      error: "The reason.",
      errorCode,
      approvalState: null,
    } as const;
    const { what_happened, what_to_do, post_again, again } = explain(post, [], ORIGIN);
    for (const sentence of [what_happened, what_to_do, post_again]) expect(sentence).toMatch(/^[A-Z].*[.)]$/);
    expect(again).toBe(state === "failed" ? FAILURES[errorCode ?? "unexpected"].retry : "no");
  }
});

async function findFailed(id: number) {
  const { body } = await project.call("GET", `/social/post/${id}`);
  return z.object({ post: z.looseObject({ error: z.string() }) }).parse(body).post;
}
