import { z } from "zod";
import { callOperation } from "./calls.ts";
import { answered } from "./results.ts";
import { missing, type Tool, tool } from "./tool.ts";

const Day = z.string().optional().describe("YYYY-MM-DD.");

/** What posts achieved, and what people say under them. */
export const RESULT_TOOLS: readonly Tool[] = [
  tool({
    name: "insights",
    description:
      "Numbers of a post, of a channel or of its best posts, and the best times to post. Null: the platform does not say; `missing` says why.",
    input: z.object({
      about: z.enum(["post", "channel", "top_posts", "best_times"]),
      post_id: z.int().optional().describe("post: required."),
      channel_id: z.int().optional().describe("channel: required; otherwise default: all channels."),
      from: Day,
      to: Day,
      metric: z.string().optional().describe("top_posts: such as likes or impressions."),
      limit: z.int().optional().describe("top_posts."),
    }),
    operations: ["getPostInsights"],
    kind: "read",
    run: async ({ about, post_id, channel_id, from, to, metric, limit }, session) => {
      if (about === "post") {
        if (post_id === undefined) return missing("post_id");
        return answered(await callOperation(session, "getPostInsights", { path: { post_id } }), NUMBERS);
      }
      if (about === "channel") {
        if (channel_id === undefined) return missing("channel_id");
        const input = { path: { channel_id }, query: { from, to } };
        return answered(await callOperation(session, "getChannelInsights", input), NUMBERS);
      }
      if (about === "best_times")
        return answered(await callOperation(session, "getBestTimes", { query: { channel_id } }), "The best times:");
      const query = { from, to, channel_id, metric, limit };
      return answered(await callOperation(session, "getTopPosts", { query }), "The best posts:");
    },
  }),
  tool({
    name: "comments",
    description:
      "Comments of other people under posts that a bot watches, or of channels with collectComments; unanswered first. All but list: with comment_id. delete cannot be undone.",
    input: z.object({
      action: z.enum(["list", "get", "reply", "hide", "unhide", "like", "unlike", "delete"]).optional(),
      comment_id: z.int().optional(),
      text: z.string().optional().describe("reply: the public answer."),
      post_id: z.int().optional().describe("list."),
      channel_id: z.int().optional().describe("list."),
      state: z.enum(["unanswered", "answered", "done"]).optional().describe("list."),
      limit: z.int().optional(),
      cursor: z.string().optional().describe("next_cursor of the page before."),
      request_id: z.string().max(100).optional().describe("As in publish_post."),
    }),
    operations: ["getComments", "replyToComment"],
    kind: "delete",
    run: async ({ action = "list", comment_id, text, request_id: requestId, ...query }, session) => {
      if (action === "list") return answered(await callOperation(session, "getComments", { query }), "The comments:");
      if (comment_id === undefined) return missing("comment_id");
      if (action === "reply" && text === undefined) return missing("text");
      const body = action === "reply" ? { text } : undefined;
      const input = { path: { comment_id }, body, requestId };
      const sentence = action === "get" ? "The comment:" : "It is carried out next; get shows the outcome.";
      return answered(await callOperation(session, COMMENT_OPERATIONS[action], input), sentence);
    },
  }),
];

const NUMBERS = "The numbers:";

const COMMENT_OPERATIONS = {
  get: "getComment",
  reply: "replyToComment",
  hide: "hideComment",
  unhide: "unhideComment",
  like: "likeComment",
  unlike: "unlikeComment",
  delete: "deleteComment",
} as const;
