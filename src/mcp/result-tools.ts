import { z } from "zod";
import { callOperation, type Session } from "./calls.ts";
import { answered, resultOf } from "./results.ts";
import { missing, type Tool, tool } from "./tool.ts";

const Day = z.string().optional().describe("YYYY-MM-DD.");

/** What posts achieved, and what people say under them. */
export const RESULT_TOOLS: readonly Tool[] = [
  tool({
    name: "insights",
    title: "Show insights",
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
    title: "Read and answer comments and messages",
    description:
      "Comments of other people under posts that a bot watches, or of channels that collect them (updateChannel); with kind message, conversations by direct messages of channels with collectMessages. Unanswered first. All but list: with comment_id or conversation_id. reply to a conversation sends a message. delete cannot be undone.",
    input: z.object({
      kind: z.enum(["comment", "message"]).optional().describe("Default: comment, or what the id is of."),
      action: z
        .enum(["list", "get", "reply", "hide", "unhide", "like", "unlike", "delete", "done"])
        .optional()
        .describe("Conversations: list, get with its messages, reply, done."),
      comment_id: z.int().optional(),
      conversation_id: z.int().optional(),
      text: z.string().optional().describe("reply: the public answer, or the message."),
      post_id: z.int().optional().describe("list of comments."),
      channel_id: z.int().optional().describe("list."),
      state: z.enum(["unanswered", "answered", "done"]).optional().describe("list."),
      limit: z.int().optional(),
      cursor: z.string().optional().describe("next_cursor of the page before."),
      request_id: z.string().max(100).optional().describe("As in publish_post."),
    }),
    operations: ["getComments", "replyToComment", "getConversations", "sendMessage"],
    kind: "delete",
    run: ({ kind, ...wanted }, session) =>
      kind === "message" || wanted.conversation_id !== undefined
        ? answerMessages(wanted, session)
        : answerComments(wanted, session),
  }),
];

const NUMBERS = "The numbers:";
const LATER = "It is carried out next; get shows the outcome.";

interface Wanted {
  readonly action?: "list" | "get" | "done" | keyof typeof COMMENT_OPERATIONS | undefined;
  readonly comment_id?: number | undefined;
  readonly conversation_id?: number | undefined;
  readonly text?: string | undefined;
  readonly post_id?: number | undefined;
  readonly channel_id?: number | undefined;
  readonly state?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly request_id?: string | undefined;
}

async function answerComments(wanted: Wanted, session: Session) {
  const { action = "list", comment_id, text, request_id: requestId } = wanted;
  if (action === "list") {
    const { post_id, channel_id, state, limit, cursor } = wanted;
    const query = { post_id, channel_id, state, limit, cursor };
    return answered(await callOperation(session, "getComments", { query }), "The comments:");
  }
  if (comment_id === undefined) return missing("comment_id");
  const path = { comment_id };
  if (action === "done") {
    return answered(await callOperation(session, "updateComment", { path, body: { done: true } }), "It is done:");
  }
  if (action === "reply" && text === undefined) return missing("text");
  const body = action === "reply" ? { text } : undefined;
  const sentence = action === "get" ? "The comment:" : LATER;
  return answered(await callOperation(session, COMMENT_OPERATIONS[action], { path, body, requestId }), sentence);
}

async function answerMessages(wanted: Wanted, session: Session) {
  const { action = "list", conversation_id, channel_id, state, limit, cursor, text, request_id: requestId } = wanted;
  if (action === "list") {
    const query = { channel_id, state, limit, cursor };
    return answered(await callOperation(session, "getConversations", { query }), "The conversations:");
  }
  if (conversation_id === undefined) return missing("conversation_id");
  const path = { conversation_id };
  switch (action) {
    case "get":
      return answered(
        await callOperation(session, "getMessages", { path, query: { limit, cursor } }),
        "The messages, newest first:",
      );
    case "reply": {
      if (text === undefined) return missing("text");
      // The program writes it, not a person: `typed_by_person` would break Meta's rules.
      const input = { path, body: { text }, requestId };
      return answered(await callOperation(session, "sendMessage", input), LATER);
    }
    case "done":
      return answered(
        await callOperation(session, "updateConversation", { path, body: { done: true } }),
        "It is done:",
      );
    default:
      return { ...resultOf(`A conversation has no ${action}: list, get, reply or done.`), isError: true };
  }
}

const COMMENT_OPERATIONS = {
  get: "getComment",
  reply: "replyToComment",
  hide: "hideComment",
  unhide: "unhideComment",
  like: "likeComment",
  unlike: "unlikeComment",
  delete: "deleteComment",
} as const;
