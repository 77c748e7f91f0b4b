import { describe, test } from "vitest";
import { z } from "zod";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { projectWith } from "../../support/world.ts";

describe("what create-post refuses", () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string, ErrorCode?])[] = [
    ["no caption", { caption_text: undefined }, "caption_text"],
    ["a blank caption", { caption_text: "   " }, "caption_text"],
    ["no media list", { media_urls: undefined }, "media_urls"],
    ["a media list that is null", { media_urls: null }, "media_urls"],
    ["an id as text", { channel_id: "12" }, "channel_id"],
    ["an id with a fraction", { channel_id: 1.5 }, "channel_id"],
    ["an unknown channel type", { channel_type: "myspace" }, "channel_type"],
    ["another channel's type", { channel_type: "facebook" }, "channel_id", "reference_invalid"],
    ["a type that the platform has not", { post_type: "story" }, "post_type"],
    ["an unknown mode", { publish_mode: "later" }, "publish_mode"],
    ["no time when scheduled", { publish_mode: "scheduled", time_zone: "UTC" }, "schedule_time"],
    ["no zone when scheduled", { publish_mode: "scheduled", schedule_time: "2030-01-01 10:00" }, "time_zone"],
    ["a text over 280", { caption_text: "x".repeat(281) }, "caption_text", "content_invalid"],
    [
      "a text over 280 with its hashtags",
      { caption_text: "x".repeat(275), hash_tags: "launch" },
      "caption_text",
      "content_invalid",
    ],
    [
      "five images",
      { media_urls: Array.from({ length: 5 }, () => "https://cdn.example.com/a.jpg") },
      "media_urls",
      "content_invalid",
    ],
    ["a file address", { media_urls: ["file:///etc/passwd"] }, "media_urls.0", "invalid_request"],
    ["a private address", { media_urls: ["https://10.0.0.1/a.jpg"] }, "media_urls.0", "invalid_request"],
    ["a thread without items", { post_type: "thread" }, "twitter_threads"],
    [
      "a thread item without text",
      { post_type: "thread", twitter_threads: [{ message: "" }] },
      "twitter_threads.0.message",
    ],
    [
      "the same item twice",
      { post_type: "thread", twitter_threads: [{ message: "same" }, { message: "same" }] },
      "twitter_threads.1.message",
      "content_invalid",
    ],
    ["what is no hashtag", { hash_tags: "a-b" }, "hash_tags", "content_invalid"],
  ];
  test("each with the field, a sentence and a code", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    for (const [name, change, field, code = "invalid_request"] of cases) {
      const answer = await project.call("POST", "/social/create-post", {
        body: {
          ...channel,
          post_type: "post",
          publish_mode: "queued",
          caption_text: "fine",
          media_urls: [],
          ...change,
        },
      });
      expect([name, answer.status]).toEqual([name, 422]);
      const { errors, message, ...refusal } = z
        .object({ message: z.string(), code: z.string(), errors: z.record(z.string(), z.array(z.string())) })
        .parse(answer.body);
      expect([name, refusal.code]).toEqual([name, code]);
      expect([name, Object.keys(errors)]).toEqual([name, [field]]);
      expect(message).toMatch(/[.)]$/);
    }
  });

  test("youtube wants its title", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const answer = await project.call("POST", "/social/create-post", {
      body: {
        ...channel,
        channel_type: "youtube",
        post_type: "post",
        publish_mode: "now",
        caption_text: "x",
        media_urls: [],
        post_extra: { category: 22 },
      },
    });
    expect(answer).toMatchObject({ status: 422, body: { errors: { "post_extra.title": expect.any(Array) } } });
  });
});
