import { z } from "zod";
import { PLATFORM_NAMES, POST_TYPES } from "../platforms/names.ts";
import { callOperation } from "./calls.ts";
import { answered, refusalOf, resultOf } from "./results.ts";
import { type Tool, tool } from "./tool.ts";

const PostId = z.int().describe("The post's id.");
const RequestId = z
  .string()
  .max(100)
  .optional()
  .describe("Only to do the same once more on purpose: any new text. Without it, a repeat returns the first result.");

const POST = {
  platform: z.enum(PLATFORM_NAMES).describe("channel_type of the channel."),
  channel_id: z.int().describe("From list_channels."),
  text: z.string().optional().describe("The caption. Required unless there is a thread."),
  thread: z.array(z.string()).optional().describe("The items of a thread on twitter or threads, instead of text."),
  media_urls: z.array(z.string()).optional().describe("Public URLs of images or videos."),
  alt_texts: z.array(z.string()).optional().describe("By the position in media_urls."),
  post_type: z.enum(POST_TYPES).optional().describe("Default: post, or thread."),
  hash_tags: z.string().optional().describe("Separated by commas."),
  first_comment: z.string().optional(),
  title: z.string().optional().describe("youtube: required."),
  category: z.int().optional().describe("youtube: category id; default 22, People & Blogs."),
  privacy: z.enum(["public", "private", "unlisted"]).optional().describe("youtube; default public."),
};
const Post = z.object(POST);

function bodyOf(args: z.output<typeof Post>) {
  const { platform, channel_id, text, thread, media_urls = [], title, category = 22, privacy = "public" } = args;
  const { alt_texts, hash_tags, first_comment, post_type = thread ? "thread" : "post" } = args;
  const content = thread
    ? { twitter_threads: thread.map((message) => ({ message })) }
    : { caption_text: text, media_urls, alt_texts };
  const extra = title === undefined ? {} : { post_extra: { title, category, privacyStatus: privacy } };
  return { channel_type: platform, channel_id, post_type, hash_tags, first_comment, ...content, ...extra };
}

const When = {
  at: z.string().optional().describe("YYYY-MM-DD HH:mm in time_zone."),
  time_zone: z.string().optional().describe("IANA name, such as Europe/Berlin."),
};

export const POST_TOOLS: readonly Tool[] = [
  tool({
    name: "check_post",
    title: "Check a post",
    description: "Checks a post against the platform's rules and shows what the platform charges. Creates nothing.",
    input: Post,
    operations: ["validatePost"],
    kind: "read",
    run: async (args, session) => {
      const body = { ...bodyOf(args), publish_mode: "now" };
      return answered(await callOperation(session, "validatePost", { body }), "The post can be published.");
    },
  }),
  tool({
    name: "publish_post",
    title: "Publish a post",
    description: "Publishes a post now, once. It is live some seconds later: get_post shows the outcome.",
    input: z.object({ ...POST, request_id: RequestId }),
    operations: ["createPost"],
    kind: "write",
    run: async ({ request_id: requestId, ...args }, session) => {
      const body = { ...bodyOf(args), publish_mode: "now" };
      return answered(await callOperation(session, "createPost", { body, requestId }), "The post is being published.");
    },
  }),
  tool({
    name: "schedule_post",
    title: "Schedule a post",
    description: "Publishes a post at a time, or without `at` in the channel's next free slot.",
    input: z.object({ ...POST, ...When, request_id: RequestId }),
    operations: ["createPost"],
    kind: "write",
    run: async ({ request_id: requestId, at, time_zone, ...args }, session) => {
      const when =
        at === undefined ? { publish_mode: "queued" } : { publish_mode: "scheduled", schedule_time: at, time_zone };
      const body = { ...bodyOf(args), ...when };
      return answered(await callOperation(session, "createPost", { body, requestId }), "The post waits for its time.");
    },
  }),
  tool({
    name: "list_posts",
    title: "List posts",
    description: "Posts, newest first.",
    input: z.object({
      platforms: z.string().optional().describe("Separated by commas; default: all."),
      status: z.string().optional().describe("Of scheduled, draft, queued, failed, published; separated by commas."),
      channel_id: z.int().optional(),
      limit: z.int().min(1).max(50).optional(),
      cursor: z.string().optional().describe("next_cursor of the page before."),
    }),
    operations: ["getPosts"],
    kind: "read",
    run: async ({ platforms = PLATFORM_NAMES.join(), cursor = "", ...query }, session) => {
      const answer = await callOperation(session, "getPosts", { query: { ...query, channel_type: platforms, cursor } });
      return answered(answer, "The posts:");
    },
  }),
  tool({
    name: "get_post",
    title: "Show a post",
    description: "A post with its state, content and timeline.",
    input: z.object({ post_id: PostId }),
    operations: ["findPost"],
    kind: "read",
    run: async ({ post_id }, session) => {
      const path = { post_id };
      const found = await callOperation(session, "findPost", { path, query: { include: "content" } });
      if (!found.isOk) return refusalOf(found);
      const timeline = await callOperation(session, "getPostEvents", { path });
      return resultOf("The post and its timeline:", { post: found.body.post, events: timeline.body.events });
    },
  }),
  tool({
    name: "change_post",
    title: "Change a post",
    description: "Changes a draft, scheduled or queued post. Only the given fields change.",
    input: z.object({
      post_id: PostId,
      text: POST.text,
      media_urls: POST.media_urls,
      hash_tags: POST.hash_tags,
      ...When,
      publish_mode: z.enum(["now", "scheduled", "queued", "share_next", "draft"]).optional(),
    }),
    operations: ["updatePost"],
    kind: "write",
    run: async ({ post_id, text, at, publish_mode, ...rest }, session) => {
      const when =
        at === undefined ? { publish_mode } : { publish_mode: publish_mode ?? "scheduled", schedule_time: at };
      const body = { ...rest, ...when, caption_text: text };
      return answered(await callOperation(session, "updatePost", { path: { post_id }, body }), "Done.");
    },
  }),
  tool({
    name: "delete_post",
    title: "Delete a post",
    description: "Deletes a post, also on the platform if it is live. Cannot be undone.",
    input: z.object({ post_id: PostId }),
    operations: ["deletePost"],
    kind: "delete",
    run: async ({ post_id }, session) =>
      answered(await callOperation(session, "deletePost", { path: { postId: post_id } }), "The post is being deleted."),
  }),
  tool({
    name: "explain",
    title: "Explain a post",
    description: "What happened to a post, why, what to do, and whether posting again is safe.",
    input: z.object({ post_id: PostId }),
    operations: ["explainPost"],
    kind: "read",
    run: async ({ post_id }, session) =>
      answered(await callOperation(session, "explainPost", { path: { post_id } }), "The explanation:"),
  }),
];
