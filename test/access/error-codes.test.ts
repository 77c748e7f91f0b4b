import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../src/core/errors.ts";
import { FAILURE_CODES, FAILURES } from "../../src/core/failures.ts";
import { sandbox } from "../support/sandbox.ts";
import { wallClock } from "../support/times.ts";
import { type ChannelRef, call, createPost, type Project, projectWith } from "../support/world.ts";

/**
 * Which 422 it is, in a word. What create-post refuses of a text or a file is in refused-posts and
 * failure-codes.
 */
let project: Project;
let channel: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("twitter"));
});

const YEAR = 366 * 86_400_000;
const DUE = wallClock(Date.now() + YEAR);

interface Change {
  readonly [field: string]: unknown;
}

const create = (change: Change, where: ChannelRef = channel, by: Project = project) =>
  by.call("POST", "/social/create-post", {
    body: { ...where, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [], ...change },
  });

const scheduled = (schedule_time: string): Change => ({ publish_mode: "scheduled", schedule_time, time_zone: "UTC" });

const refusal = (code: ErrorCode, field: string) => ({
  status: 422,
  body: { status: false, code, errors: { [field]: [expect422] } },
});
const expect422 = expectSentence();

function expectSentence(): unknown {
  return { asymmetricMatch: (value: unknown) => typeof value === "string" && /\.$/.test(value) };
}

describe("create-post", () => {
  test.for([
    ["a date that is none", "2031-02-30 10:00"],
    ["a time that has passed", "2020-03-05 10:00"],
    ["a time too far ahead", "2190-03-05 10:00"],
  ])("says schedule_invalid of %s", async ([, time = ""], { expect }) => {
    expect(await create(scheduled(time))).toMatchObject(refusal("schedule_invalid", "schedule_time"));
  });

  test("says reconnect_needed of a channel whose connection has ended", async ({ expect }) => {
    const account = await sandbox.addAccount("twitter", "Over");
    const home = await projectWith("twitter", account);
    await env.DB.prepare("UPDATE grants SET health = 'reconnect_needed' WHERE channel_id = ?")
      .bind(home.channel.channel_id)
      .run();
    const refused = await create({}, home.channel, home.project);
    expect(refused).toMatchObject(refusal("reconnect_needed", "channel_id"));
  });

  test("says slot_unavailable of a timetable without slots", async ({ expect }) => {
    const home = await projectWith("facebook");
    await env.DB.prepare("UPDATE channels SET slots = '{}' WHERE id = ?").bind(home.channel.channel_id).run();
    for (const publish_mode of ["queued", "share_next"]) {
      const refused = await create({ publish_mode }, home.channel, home.project);
      expect(refused).toMatchObject(refusal("slot_unavailable", "publish_mode"));
    }
  });
});

describe("update-post", () => {
  const update = (id: number, body: Change) => project.call("PUT", `/social/update-post/${id}`, { body });

  test("says not_changeable of a post on its way, and of a field that its kind lacks", async ({ expect }) => {
    const now = await createPost(project, channel, { caption_text: "on its way" });
    expect(await update(now, { caption_text: "other" })).toMatchObject({
      status: 422,
      body: { code: "not_changeable" },
    });
    const later = await createPost(project, channel, { caption_text: "later", ...scheduled(DUE) });
    const refused = await update(later, { twitter_threads: [{ message: "a thread" }] });
    expect(refused).toMatchObject(refusal("not_changeable", "twitter_threads"));
  });

  test("says what is wrong with the new content or time like create-post", async ({ expect }) => {
    const id = await createPost(project, channel, { caption_text: "later", ...scheduled(DUE) });
    const longer = await update(id, { caption_text: "x".repeat(281) });
    expect(longer).toMatchObject(refusal("content_invalid", "caption_text"));
    const file = await update(id, { media_urls: ["https://10.0.0.1/a.jpg"] });
    expect(file).toMatchObject(refusal("invalid_request", "media_urls.0"));
    const past = await update(id, { schedule_time: "2020-03-05 10:00", time_zone: "UTC" });
    expect(past).toMatchObject(refusal("schedule_invalid", "schedule_time"));
    expect(await update(id, { time_zone: "UTC" })).toMatchObject(refusal("invalid_request", "schedule_time"));
  });

  test("says channel_disconnected of a post whose channel is gone", async ({ expect }) => {
    const home = await projectWith("twitter", await sandbox.addAccount("twitter", "Gone"));
    const id = await createPost(home.project, home.channel, { caption_text: "later", ...scheduled(DUE) });
    await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
    const refused = await home.project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: "other" } });
    expect(refused).toMatchObject(refusal("channel_disconnected", "channel_id"));
  });
});

test("where fields are wrong in different ways, the code is that of the first", async ({ expect }) => {
  const answer = await create({ caption_text: "x".repeat(281), media_urls: ["https://10.0.0.1/a.jpg"] });
  const { code, errors } = z.object({ code: z.string(), errors: z.record(z.string(), z.unknown()) }).parse(answer.body);
  expect([code, Object.keys(errors)]).toEqual(["content_invalid", ["caption_text", "media_urls.0"]]);
});

test("a word that errors and failures share means the same in both", ({ expect }) => {
  const shared = ERROR_CODES.flatMap((code) => (Object.hasOwn(FAILURES, code) ? [code] : []));
  expect(shared).toContain("media_invalid");
  expect(Object.fromEntries(shared.map((code) => [code, ERRORS[code]]))).toEqual(
    Object.fromEntries(
      FAILURE_CODES.filter((code) => Object.hasOwn(ERRORS, code)).map((code) => [code, FAILURES[code]]),
    ),
  );
});

test("the document lists and describes every code", async ({ expect }) => {
  const Listed = z.object({
    enum: z.array(z.string()),
    description: z.string(),
    "x-enumDescriptions": z.record(z.string(), z.string()),
  });
  const { components } = z
    .object({ components: z.object({ schemas: z.looseObject({ ErrorCode: Listed, FailureCode: Listed }) }) })
    .parse((await call("GET", "/openapi.json")).body);
  for (const [view, codes] of [
    [components.schemas.ErrorCode, ERRORS],
    [components.schemas.FailureCode, FAILURES],
  ] as const) {
    expect(view.enum).toEqual(Object.keys(codes));
    for (const [code, { means, remedy }] of Object.entries(codes)) {
      expect(view.description).toContain(`- \`${code}\`: ${means} ${remedy}`);
      expect(view["x-enumDescriptions"][code]).toBe(means);
    }
  }
});
