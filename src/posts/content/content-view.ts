import { z } from "@hono/zod-openapi";
import type { Caller } from "../../core/caller.ts";
import { isoUtc, isoUtcOrNull, localTime } from "../../core/time.ts";
import { POST_TYPES } from "../../platforms/names.ts";
import type { Charge } from "../../platforms/pricing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { ApprovalView, toApprovalView } from "../approval/approval-view.ts";
import type { PostWithContent } from "../store.ts";
import { PUBLISH_MODES } from "../table.ts";
import { EXAMPLE_POST, PostView, toPostView } from "../view-schema.ts";
import { CostView, toCostView } from "./cost-view.ts";
import { DeclaredView, toDeclaredView } from "./declared.ts";
import { OptionsView, toOptionsView } from "./options.ts";

/** A post with its content: `include=content`. Every field is present; null means no value. */

const AltTextsView = z
  .array(z.string().nullable())
  .openapi({ description: "By the position of the file in `media_urls`." });

const EXAMPLE_CONTENT = {
  ...EXAMPLE_POST,
  caption_text: "The new frames are in.",
  hash_tags: ["bikes", "launch"],
  media_urls: ["https://cdn.example.com/frame.jpg"],
  alt_texts: ["A bicycle frame on a workbench"],
  twitter_threads: null,
  post_type: "post",
  publish_mode: "scheduled",
  schedule_time: "2030-03-05 10:00",
  scheduled_at: "2030-03-05T09:00:00.000+00:00",
  time_zone: "Europe/Berlin",
  created_at: "2030-03-04T08:12:30.512+00:00",
  updated_at: "2030-03-05T09:00:01.204+00:00",
  published_at: "2030-03-05T09:00:01.204+00:00",
  channel_name: "Acme Bikes",
  user_id: "user-1",
  external_id: "order-1842",
  metadata: { campaign: "spring" },
  post_extra: null,
  declared: { made_with_ai: true },
  options: null,
  first_comment: "Sizes and prices are in the link in our profile.",
  first_comment_result: { state: "published", comment_id: "990000001", error: null, error_code: null },
  error_code: null,
  approval: null,
  sandbox_url: null,
};

export const PostContentView = PostView.extend({
  caption_text: z.string().nullable().openapi({ description: "Null for a thread." }),
  hash_tags: z.array(z.string()),
  media_urls: z.array(z.string()),
  alt_texts: AltTextsView,
  twitter_threads: z
    .array(z.object({ message: z.string(), media_urls: z.array(z.string()), alt_texts: AltTextsView }))
    .nullable()
    .openapi({ description: "Null unless `post_type` is thread." }),
  post_type: z.enum(POST_TYPES),
  publish_mode: z.enum(PUBLISH_MODES),
  schedule_time: z.string().nullable().openapi({
    description: "Due time on the clock of `time_zone`, as requests have it. Null for `now` and drafts.",
    example: "2030-03-05 10:00",
  }),
  scheduled_at: z.string().nullable().openapi({
    description: "The same as an instant, ISO 8601.",
    example: "2030-03-05T09:00:00.000+00:00",
  }),
  time_zone: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  published_at: z.string().nullable(),
  channel_name: z.string(),
  user_id: z.string().openapi({ description: "`userId` of connect-channel." }),
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  post_extra: z
    .object({
      title: z.string().optional(),
      category: z.int().optional(),
      privacyStatus: z.string().optional(),
    })
    .nullable(),
  declared: DeclaredView,
  options: OptionsView,
  first_comment: z.string().nullable(),
  first_comment_result: z
    .object({
      state: z.enum(["pending", "published", "failed"]),
      comment_id: z
        .string()
        .nullable()
        .openapi({ description: "The platform's id. Null until the post is published." }),
      error: z.string().nullable().openapi({ description: "The reason for the failure, in one sentence." }),
      error_code: z.string().nullable().openapi({ description: "The error code of the failure." }),
    })
    .nullable()
    .openapi({ description: "Result of `first_comment`. Null if the post has none." }),
  error_code: z.string().nullable().openapi({ description: "The error code of the failure." }),
  approval: z.union([ApprovalView, z.null()]).openapi({ description: "Null if approval was not requested." }),
  sandbox_url: z
    .string()
    .nullable()
    .openapi({ description: "The sandbox page that shows a live post of a test project." }),
}).openapi("PostWithContent", { example: EXAMPLE_CONTENT });

/** Of one post: find-post. */
export const FoundPostView = PostContentView.extend({
  cost: CostView.openapi({
    description:
      "What the platform has charged for the post so far, look-ups and deletions included. A call whose answer was lost counts as charged.",
  }),
}).openapi("FoundPostWithContent", {
  example: {
    ...EXAMPLE_CONTENT,
    cost: {
      amount: 0.015,
      currency: "USD" as const,
      reasons: [{ operation: "post_create", title: "a post", count: 1, amount: 0.015 }],
    },
  },
});

export function toFoundView(
  { post, costs }: { readonly post: PostWithContent; readonly costs: readonly Charge[] },
  shows: Shows,
): z.output<typeof FoundPostView> {
  const pricing = findPlatform(post.channelType)?.pricing;
  return { ...toContentView(post, shows), cost: toCostView(pricing, costs) };
}

/** The service's public origin, and where the caller's simulated posts are shown. */
export interface Shows {
  readonly origin: string;
  readonly caller: Pick<Caller, "isTest">;
  readonly sandboxUrl: string | null;
}

export function toContentView(post: PostWithContent, shows: Shows): z.output<typeof PostContentView> {
  return {
    ...toPostView(post, shows.origin),
    ...toChangeableView(post),
    post_type: post.postType,
    scheduled_at: hasSchedule(post) ? isoUtc(post.publishAt) : null,
    created_at: isoUtc(post.createdAt),
    updated_at: isoUtc(post.updatedAt),
    published_at: isoUtcOrNull(post.publishedAt),
    channel_name: post.channel.name,
    user_id: post.channel.userRef,
    first_comment_result: toCommentResult(post),
    error_code: post.errorCode,
    approval: toApprovalView(post),
    sandbox_url: sandboxUrl(post, shows),
  };
}

/** The fields of a post that update-post may change, by their names there. */
export function toChangeableView(post: Omit<PostWithContent, "channel">) {
  const isThread = post.postType === "thread";
  return {
    caption_text: isThread ? null : post.caption,
    hash_tags: [...post.hashTags],
    ...toFiles(post),
    twitter_threads: isThread ? post.thread.map((item) => ({ message: item.message, ...toFiles(item) })) : null,
    publish_mode: post.publishMode,
    schedule_time: hasSchedule(post) ? localTime(post.publishAt, post.timeZone) : null,
    time_zone: post.timeZone,
    post_extra: post.extra === null ? null : { ...post.extra },
    declared: toDeclaredView(post),
    options: toOptionsView(post.options),
    first_comment: post.firstComment,
    external_id: post.externalId,
    metadata: post.metadata === null ? null : { ...post.metadata },
  };
}

/** No first comment is published for a failed post. */
function toCommentResult({ firstComment, firstCommentResult: result, state, errorCode }: PostWithContent) {
  if (firstComment === null) return null;
  const none = { comment_id: null, error: null, error_code: null };
  if (result?.state === "published") return { ...none, state: result.state, comment_id: result.id };
  if (result) return { ...none, state: result.state, error: result.message, error_code: result.code };
  if (state !== "failed") return { ...none, state: "pending" as const };
  const error = "The post failed, so the comment was not published.";
  return { ...none, state: "failed" as const, error, error_code: errorCode };
}

function toFiles({ mediaUrls, altTexts }: Pick<PostWithContent, "mediaUrls" | "altTexts">) {
  return { media_urls: [...mediaUrls], alt_texts: mediaUrls.map((_, index) => altTexts[index] ?? null) };
}

function hasSchedule({ publishMode }: Pick<PostWithContent, "publishMode">): boolean {
  return publishMode !== "now" && publishMode !== "draft";
}

/** The first live item, whatever the state of the post. */
function sandboxUrl(
  { channelType, platformPosts }: PostWithContent,
  { caller, sandboxUrl: base }: Shows,
): string | null {
  const [live] = platformPosts;
  return caller.isTest && base !== null && live ? `${base}/posts/${channelType}/${encodeURIComponent(live.id)}` : null;
}
