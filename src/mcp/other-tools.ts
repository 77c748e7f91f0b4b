import { z } from "zod";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { callOperation, callPaid, PAID_OPERATIONS } from "./calls.ts";
import { answered, refusalOf, resultOf } from "./results.ts";
import { missing, type Tool, tool } from "./tool.ts";

const RequestId = z.string().max(100).optional().describe("As in publish_post.");

export const OTHER_TOOLS: readonly Tool[] = [
  tool({
    name: "list_channels",
    title: "List channels",
    description: "The connected accounts, with their channel_id and health.",
    input: z.object({
      platform: z.enum(PLATFORM_NAMES).optional(),
      cursor: z.string().optional().describe("next_cursor of the page before."),
    }),
    operations: ["getChannels"],
    kind: "read",
    run: async ({ cursor = "", ...query }, session) =>
      answered(
        await callOperation(session, "getChannels", { query: { ...query, cursor, limit: 50 } }),
        "The channels:",
      ),
  }),
  tool({
    name: "connect_channel",
    title: "Connect a channel",
    description:
      "Returns an address where the account owner connects accounts in a browser. With connect_token: whether they have.",
    input: z.object({
      user_id: z.string().optional().describe("Your own id of the account owner."),
      connect_token: z.string().optional().describe("Of the first call."),
      request_id: RequestId,
    }),
    operations: ["connectChannel"],
    kind: "write",
    run: async ({ user_id, connect_token, request_id: requestId }, session) => {
      if (connect_token !== undefined)
        return answered(await callOperation(session, "connectStatus", { query: { connect_token } }), "The session:");
      if (user_id === undefined) return missing("user_id, or connect_token");
      const answer = await callOperation(session, "connectChannel", { body: { userId: user_id }, requestId });
      return answered(answer, "Give the person connect_url. Then call again with connect_token.");
    },
  }),
  tool({
    name: "generate_post",
    title: "Generate a post",
    description: "Has models generate a caption, image, banner or video. get_generation shows the result.",
    input: z.object({
      kind: z.enum(["text_only", "ai_image_post", "ai_banner_post", "breel", "talking_reel", "faceless_reel"]),
      topic: z.string().describe("In the language of the post."),
      platforms: z
        .array(z.enum(PLATFORM_NAMES))
        .optional()
        .describe("Those that the post is meant for: the caption may be longer than X allows. Without it: all."),
      request_id: RequestId,
    }),
    operations: ["createPostGeneration"],
    kind: "write",
    run: async ({ kind, topic, platforms, request_id: requestId }, session) => {
      const body = { post_type: kind, input: topic, ...(platforms ? { platforms } : {}) };
      return answered(
        await callOperation(session, "createPostGeneration", { body, requestId }),
        "It is being generated.",
      );
    },
  }),
  tool({
    name: "get_generation",
    title: "Show a generated post",
    description: "The state of a generated post, with caption_text and media_urls when it is done.",
    input: z.object({ id: z.string() }),
    operations: ["getPostGeneration"],
    kind: "read",
    run: async ({ id }, session) =>
      answered(await callOperation(session, "getPostGeneration", { path: { post_id: id } }), "The generation:"),
  }),
  tool({
    name: "bots",
    title: "Manage comment bots",
    description:
      "Bots that answer comments. list; get, replies, test, delete: with bot_id; create: with name, channel_ids and a reply.",
    input: z.object({
      action: z.enum(["list", "get", "replies", "test", "create", "delete"]),
      bot_id: z.int().optional(),
      comment: z.string().optional().describe("test: a comment to try; nothing is sent."),
      name: z.string().optional(),
      channel_ids: z.array(z.int()).optional(),
      keywords: z.array(z.string()).optional().describe("Without any, every comment is answered."),
      comment_reply: z.string().optional().describe("The public answer."),
      direct_message: z.string().optional().describe("The private one."),
      request_id: RequestId,
    }),
    operations: ["getCommentAutomations", "getCommentAutomation", "createCommentAutomation", "deleteCommentAutomation"],
    kind: "delete",
    run: async (args, session) => {
      const { action, bot_id: id, comment, name, channel_ids: channels, keywords, request_id: requestId } = args;
      if (action === "list")
        return answered(await callOperation(session, "getCommentAutomations", { query: { cursor: "" } }), "The bots:");
      if (action === "create") {
        const { comment_reply, direct_message } = args;
        const trigger = keywords ? { trigger_type: "keywords", keywords } : { trigger_type: "any" };
        const both = comment_reply !== undefined && direct_message !== undefined;
        const response_type = both ? "both" : direct_message === undefined ? "comment" : "direct_message";
        const body = { name, channels, ...trigger, response_type, comment_reply, direct_message, ai_enable: "no" };
        return answered(
          await callOperation(session, "createCommentAutomation", { body, requestId }),
          "The bot is active.",
        );
      }
      if (id === undefined) return missing("bot_id");
      const body = action === "test" ? { text: comment } : undefined;
      return answered(await callOperation(session, BOT_OPERATIONS[action], { path: { id }, body }), "Done:");
    },
  }),
  tool({
    name: "boost_post",
    title: "Boost a post",
    description:
      "Shows a published post to more people, for money. Without ad_account_id: lists the ad accounts. A person confirms the terms in the console; then call again with the same arguments.",
    input: z.object({
      post_id: z.int(),
      ad_account_id: z.string().optional(),
      budget: z.number().optional().describe("In the ad account's currency."),
      budget_is: z.enum(["daily", "total"]).optional().describe("Default: total."),
      days: z.int().optional(),
      countries: z.array(z.string()).optional().describe("Two letters each."),
      name: z.string().optional(),
      request_id: RequestId,
    }),
    operations: ["createCampaign"],
    kind: "write",
    run: async (args, session, ctx) => {
      const { post_id, ad_account_id, budget, budget_is = "total", days: duration, countries, name } = args;
      if (ad_account_id === undefined) {
        const found = await callOperation(session, "findPost", { path: { post_id } });
        if (!found.isOk) return refusalOf(found);
        const { channel_id } = z.object({ channel_id: z.string() }).parse(found.body.post);
        const accounts = await callOperation(session, "getAdAccounts", { query: { channel_id } });
        return answered(accounts, "Choose a usable ad account of these:");
      }
      if (budget === undefined || duration === undefined || !countries) return missing("budget, days and countries");
      const duration_type = budget_is === "daily" ? "daily_budget" : "lifetime_budget";
      const body = { social_post_id: post_id, duration_type, budget, duration, ad_account_id, countries, name };
      const most = budget_is === "daily" ? budget * duration : budget;
      const question = `Boosting post ${post_id} spends up to ${most} in the ad account's currency within ${duration} days.`;
      const input = { body, requestId: args.request_id };
      const sentence = "The campaign is queued.";
      return callPaid(session, { operation: "createCampaign", input, question, sentence }, ctx);
    },
  }),
  tool({
    name: "find_operation",
    title: "Find an operation",
    description: "Finds other operations of the service. With `operation`: its parameters and the schema of its body.",
    input: z.object({ words: z.string().optional(), operation: z.string().optional() }),
    operations: ["getPlatforms"],
    kind: "read",
    run: async ({ words = "", operation }, { catalog, caller }) => {
      const entry = operation === undefined ? null : catalog.find(operation);
      if (entry) {
        const { id, summary, description, parameters } = entry;
        return resultOf("The operation:", {
          operation: id,
          summary,
          description,
          parameters,
          body: catalog.bodyOf(entry),
        });
      }
      const found = catalog.search(words === "" ? (operation ?? "") : words, caller.permissions);
      const listed = found.slice(0, 8).map(({ id, summary, method }) => ({ operation: id, method, summary }));
      return resultOf(listed.length > 0 ? "These operations fit:" : "No operation fits. Use other words.", listed);
    },
  }),
  tool({
    name: "call_operation",
    title: "Call an operation",
    description:
      "Calls an operation that find_operation shows. What costs money needs a person, who confirms it in the console.",
    input: z.object({
      operation: z.string(),
      parameters: z.record(z.string(), z.unknown()).optional().describe("Of the path and the query, by name."),
      body: z.record(z.string(), z.unknown()).optional(),
      request_id: RequestId,
    }),
    operations: ["getPlatforms"],
    kind: "delete",
    run: async ({ operation, parameters = {}, body, request_id: requestId }, session, ctx) => {
      const entry = session.catalog.find(operation);
      if (!entry) return { ...resultOf("There is no such operation: use find_operation."), isError: true };
      if (entry.takesFile) return { ...resultOf("Files cannot be sent here: use a public URL."), isError: true };
      const isIn = (place: string) => (name: string) =>
        entry.parameters.some((one) => one.name === name && one.in === place);
      const pick = (test: (name: string) => boolean) =>
        Object.fromEntries(Object.entries(parameters).filter(([name]) => test(name)));
      const needsBody = entry.body !== null && body === undefined ? {} : body;
      const input = { path: pick(isIn("path")), query: pick(isIn("query")), body: needsBody, requestId };
      if (PAID_OPERATIONS.includes(operation)) {
        const question = `${entry.summary} can spend money with these terms.`;
        return callPaid(session, { operation, input, question, sentence: "Done:" }, ctx);
      }
      return answered(await callOperation(session, operation, input), "Done:");
    },
  }),
];

const BOT_OPERATIONS = {
  get: "getCommentAutomation",
  replies: "getCommentAutomationReplies",
  test: "testCommentAutomation",
  delete: "deleteCommentAutomation",
} as const;
