import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import type { Permission } from "../../../src/core/permissions.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  type CallOptions,
  type ChannelRef,
  createPost,
  findPost,
  HANDLES,
  issueToken,
  type Project,
  projectWith,
} from "../../support/world.ts";

const Approval = z.object({
  state: z.enum(["waiting", "sent_back", "approved"]),
  revision: z.number(),
  wanted: z.object({ publish_mode: z.string() }),
  note: z.string().nullable(),
});
const Found = z.object({ post: z.object({ STATUS: z.string(), approval: Approval.nullable() }) });
const Proposed = z.object({ data: z.object({ post_id: z.number(), STATUS: z.literal("draft") }) });

interface World {
  readonly project: Project;
  /** With a token that may only propose. */
  readonly author: Pick<Project, "call">;
  readonly channel: ChannelRef;
}

const PROPOSING: readonly Permission[] = ["social-propose-post", "social-view-post"];

async function world(): Promise<World> {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const { token } = await issueToken(project.name, { permissions: PROPOSING });
  const call = (method: string, path: string, options: CallOptions = {}) =>
    project.call(method, path, { ...options, token });
  return { project, author: { call }, channel };
}

async function propose({ author, channel }: World, text: string, more = {}): Promise<number> {
  const body = { ...channel, post_type: "post", caption_text: text, media_urls: [], publish_mode: "now", ...more };
  const answer = await author.call("POST", "/social/propose-post", { body });
  return Proposed.parse(answer.body).data.post_id;
}

async function approvalOf(project: Project, id: number) {
  const { post } = Found.parse((await project.call("GET", `/social/post/${id}?include=content`)).body);
  if (!post.approval) throw new Error(`Post ${id} has no approval.`);
  return { ...post.approval, STATUS: post.STATUS };
}

const act = (project: Pick<Project, "call">, verb: string, id: number, body: Record<string, unknown>) =>
  project.call("POST", `/social/${verb}/${id}`, { body });

async function timeline(project: Project, id: number): Promise<readonly string[]> {
  const { body } = await project.call("GET", `/social/get-post-events/${id}`);
  return z
    .object({ events: z.array(z.object({ type: z.string() })) })
    .parse(body)
    .events.map(({ type }) => type);
}

const livePosts = (text: string) => sandbox.postsWith(text);

describe("a proposed post", () => {
  test("waits as a draft, is listed, and is published once by an approval", async ({ expect }) => {
    const own = await world();
    const text = `Proposed ${crypto.randomUUID()}`;
    const id = await propose(own, text);
    await cron();
    await queuesIdle();
    expect(await livePosts(text)).toEqual([]);
    const { revision, ...waiting } = await approvalOf(own.project, id);
    expect(waiting).toMatchObject({ STATUS: "draft", state: "waiting", wanted: { publish_mode: "now" }, note: null });
    const listed = await own.project.call("GET", "/social/get-approvals");
    expect(listed.body).toMatchObject({ posts: [{ post_id: id, approval: { state: "waiting", revision } }] });
    expect(await act(own.project, "approve-post", id, { revision, note: "Good." })).toMatchObject({ status: 200 });
    expect(await act(own.project, "approve-post", id, { revision })).toMatchObject({
      status: 200,
      body: { message: `Post ${id} was approved before.` },
    });
    await queuesIdle();
    expect(await findPost(own.project, id)).toMatchObject({ STATUS: "published" });
    expect(await livePosts(text)).toHaveLength(1);
    expect(await approvalOf(own.project, id)).toMatchObject({ state: "approved", note: "Good." });
    expect((await own.project.call("GET", "/social/get-approvals")).body).toMatchObject({ posts: [] });
    expect(await timeline(own.project, id)).toEqual([
      "post.created",
      "post.approval_requested",
      "post.updated",
      "post.approved",
      "post.processing",
      "post.published",
    ]);
  });

  test("passes all checks of create-post, and those of its time", async ({ expect }) => {
    const own = await world();
    const body = { ...own.channel, post_type: "post", caption_text: "x".repeat(30_000), media_urls: [] };
    const tooLong = await own.author.call("POST", "/social/propose-post", { body: { ...body, publish_mode: "now" } });
    expect(tooLong).toMatchObject({ status: 422, body: { code: "content_invalid" } });
    const past = {
      ...body,
      caption_text: "x",
      publish_mode: "scheduled",
      schedule_time: "2020-01-01 10:00",
      time_zone: "UTC",
    };
    expect(await own.author.call("POST", "/social/propose-post", { body: past })).toMatchObject({
      status: 422,
      body: { code: "schedule_invalid" },
    });
    const draft = { ...body, caption_text: "x", publish_mode: "draft" };
    expect(await own.author.call("POST", "/social/propose-post", { body: draft })).toMatchObject({
      status: 422,
      body: { errors: { publish_mode: [expect.stringContaining("needs no approval")] } },
    });
  });

  test("is created once for an Idempotency-Key", async ({ expect }) => {
    const own = await world();
    const body = { ...own.channel, post_type: "post", caption_text: "Once", media_urls: [], publish_mode: "now" };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const answers = await Promise.all(
      [1, 2].map(() => own.author.call("POST", "/social/propose-post", { body, headers })),
    );
    const [first, second] = answers.map((answer) => Proposed.parse(answer.body).data.post_id);
    expect(first).toBe(second);
  });

  test("that has changed since it was seen must be checked again", async ({ expect }) => {
    const own = await world();
    const text = `Changed ${crypto.randomUUID()}`;
    const id = await propose(own, text);
    const { revision } = await approvalOf(own.project, id);
    const change = { body: { caption_text: `${text} twice` } };
    expect(await own.author.call("PUT", `/social/update-post/${id}`, change)).toMatchObject({ status: 200 });
    expect(await act(own.project, "approve-post", id, { revision })).toMatchObject({
      status: 422,
      body: { code: "not_changeable", message: expect.stringContaining("has changed since") },
    });
    const seen = await approvalOf(own.project, id);
    expect(await act(own.project, "approve-post", id, { revision: seen.revision })).toMatchObject({ status: 200 });
    await queuesIdle();
    expect(await livePosts(`${text} twice`)).toHaveLength(1);
  });

  test("that is sent back is changed, requested again, and approved with another schedule", async ({ expect }) => {
    const own = await world();
    const id = await propose(own, `Sent back ${crypto.randomUUID()}`);
    const { revision } = await approvalOf(own.project, id);
    expect(await act(own.project, "send-back-post", id, { revision })).toMatchObject({ status: 422 });
    expect(await act(own.project, "send-back-post", id, { revision, note: "Name the price." })).toMatchObject({
      status: 200,
    });
    const back = await approvalOf(own.project, id);
    expect(back).toMatchObject({ state: "sent_back", note: "Name the price.", STATUS: "draft" });
    expect(await act(own.project, "approve-post", id, { revision: back.revision })).toMatchObject({ status: 422 });
    expect(await act(own.author, "request-approval", id, { publish_mode: "now", note: "Done." })).toMatchObject({
      status: 200,
    });
    const again = await approvalOf(own.project, id);
    expect(again).toMatchObject({ state: "waiting", note: "Done." });
    const later = { publish_mode: "scheduled", schedule_time: "2099-01-01 10:00", time_zone: "UTC" };
    const far = await act(own.project, "approve-post", id, { revision: again.revision, ...later });
    expect(far).toMatchObject({ status: 422, body: { code: "schedule_invalid" } });
    const year = new Date(Date.now()).getUTCFullYear() + 1;
    const instead = { ...later, schedule_time: `${year}-01-01 10:00` };
    expect(await act(own.project, "approve-post", id, { revision: again.revision, ...instead })).toMatchObject({
      status: 200,
      body: { post: { STATUS: "scheduled" } },
    });
  });

  test("cannot be published, scheduled or decided on by its author", async ({ expect }) => {
    const own = await world();
    const id = await propose(own, "Mine");
    const { revision } = await approvalOf(own.project, id);
    for (const body of [{ publish_mode: "now" }, { schedule_time: "2030-01-01 10:00", time_zone: "UTC" }]) {
      const answer = await own.author.call("PUT", `/social/update-post/${id}`, { body });
      expect(answer).toMatchObject({ status: 422, body: { code: "permission_missing" } });
    }
    for (const verb of ["approve-post", "send-back-post"]) {
      expect(await act(own.author, verb, id, { revision, note: "x" })).toMatchObject({ status: 403 });
    }
    expect(await own.author.call("POST", `/social/create-approval-link/${id}`, {})).toMatchObject({ status: 403 });
    const created = { ...own.channel, post_type: "post", caption_text: "x", media_urls: [], publish_mode: "now" };
    expect(await own.author.call("POST", "/social/create-post", { body: created })).toMatchObject({ status: 401 });
    const published = await createPost(own.project, own.channel, { caption_text: `Live ${crypto.randomUUID()}` });
    await queuesIdle();
    expect(
      await own.author.call("PUT", `/social/update-post/${published}`, { body: { caption_text: "x" } }),
    ).toMatchObject({
      status: 422,
      body: { code: "not_changeable" },
    });
  });

  test("of another project does not exist", async ({ expect }) => {
    const [own, other] = [await world(), await world()];
    const id = await propose(own, "Ours");
    const { revision } = await approvalOf(own.project, id);
    const bodies = {
      "approve-post": { revision },
      "send-back-post": { revision, note: "x" },
      "request-approval": { publish_mode: "now" },
      "approval-link": undefined,
    };
    for (const [verb, body] of Object.entries(bodies)) {
      const answer = await other.project.call("POST", `/social/${verb}/${id}`, body ? { body } : {});
      expect([verb, answer.status]).toEqual([verb, 404]);
    }
    expect(await approvalOf(own.project, id)).toMatchObject({ state: "waiting", revision });
  });

  test("needs no approval once someone who may publish it does", async ({ expect }) => {
    const own = await world();
    const id = await propose(own, `Direct ${crypto.randomUUID()}`);
    const change = { body: { publish_mode: "now" } };
    expect(await own.project.call("PUT", `/social/update-post/${id}`, change)).toMatchObject({ status: 200 });
    const { body } = await own.project.call("GET", `/social/post/${id}?include=content`);
    expect(body).toMatchObject({ post: { approval: null } });
    expect(await act(own.project, "approve-post", id, { revision: 0 })).toMatchObject({ status: 422 });
  });
});

/** Two requests at once, in both orders of arrival; what must hold afterwards. */
describe("of two requests at the same moment", () => {
  test.for([["approve-post"], ["update-post"], ["delete-post"], ["send-back-post"]] as const)(
    "an approval and %s, the post is published at most once, and only as it was seen",
    async ([rival], { expect }) => {
      for (let round = 0; round < 4; round++) {
        const own = await world();
        const text = `Race ${crypto.randomUUID()}`;
        const id = await propose(own, text);
        const { revision } = await approvalOf(own.project, id);
        const approve = () => act(own.project, "approve-post", id, { revision });
        const other = {
          "approve-post": approve,
          "update-post": () =>
            own.project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: `${text} changed` } }),
          "delete-post": () => own.project.call("DELETE", `/social/delete-post/${id}`, {}),
          "send-back-post": () => act(own.project, "send-back-post", id, { revision, note: "No." }),
        }[rival];
        const [approved, second] = await Promise.all(
          round % 2 === 0 ? [approve(), other()] : [other(), approve()].reverse(),
        );
        await queuesIdle();
        const live = await livePosts(text);
        expect(live.length).toBeLessThanOrEqual(1);
        if (rival === "approve-post") expect([approved?.status, second?.status, live.length]).toEqual([200, 200, 1]);
        if (rival === "send-back-post") expect([approved?.status, second?.status].toSorted()).toEqual([200, 422]);
        // A change before the approval keeps the post waiting; one after it comes before publishing begins.
        if (rival === "update-post" && approved?.status === 422) expect(live).toEqual([]);
      }
    },
  );
});

test("a request for approval costs as much as create-post, and approvals read only what waits", async ({ expect }) => {
  const own = await world();
  for (let index = 0; index < 3; index++) await propose(own, `Listed ${index} ${crypto.randomUUID()}`);
  const plan = await env.DB.prepare(
    "EXPLAIN QUERY PLAN SELECT id FROM posts WHERE project_id = 1 AND approval_state = 'waiting' AND deleted_at IS NULL ORDER BY id LIMIT 10",
  ).all<{ detail: string }>();
  expect(plan.results.map(({ detail }) => detail).join()).toContain("posts_awaiting_approval");
  expect(queue.length).toBe(0);
});
