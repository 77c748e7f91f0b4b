import { z } from "zod";
import { PlatformId } from "../json.ts";
import { inboundMessages } from "../meta/message-webhooks.ts";
import { type Change, changesOf, Moment, metaHandshake, subscribeApp, subscribeNode } from "../meta/webhooks.ts";
import type { InboundComment, Webhooks } from "../webhooks.ts";
import { FACEBOOK, graphOf } from "./api.ts";

/**
 * Webhooks of a Page's posts and messages (facebook.md §4.4). The field `feed` reports all activity; only new
 * comments are used.
 *
 * - The order is not guaranteed, repeats occur, and the Page's own comments are included.
 * - Edited and hidden comments have other verbs and are ignored: an answer stays.
 */
const FEED = "feed";
/** Messages of people, and those that the Page sends by whatever application. */
const MESSAGES = ["messages", "message_echoes"];

const NewComment = z.object({
  item: z.literal("comment"),
  verb: z.literal("add"),
  comment_id: PlatformId,
  post_id: PlatformId.nullish().catch(null),
  parent_id: PlatformId.nullish().catch(null),
  post: z.object({ id: PlatformId }).nullish().catch(null),
  from: z
    .object({ id: PlatformId, name: z.string().nullish().catch(null) })
    .nullish()
    .catch(null),
  message: z.string().nullish().catch(null),
  created_time: Moment,
});

function toInbound({ accountId, field, value, sentAt }: Change): InboundComment | [] {
  const change = field === FEED ? NewComment.safeParse(value).data : undefined;
  if (!change) return [];
  const { comment_id: id, post_id, parent_id, post, from, message } = change;
  const createdAt = change.created_time ?? sentAt;
  if (createdAt === null) return [];
  const author = from ? { id: from.id, name: from.name ?? null } : null;
  // For a top-level comment, the parent is the post.
  const isTopLevel = !parent_id || parent_id === post_id || parent_id === post?.id;
  const isOwn = from ? from.id === accountId : null;
  const comment = { id, author, createdAt, text: message ?? "", isTopLevel, isOwn };
  return { accountId, postId: post_id ?? post?.id ?? null, comment };
}

export const webhooks: Webhooks = {
  app: "facebook",
  setup: () => ({ isByHand: false, setting: "Webhooks › Page", fields: [FEED, ...MESSAGES], hasVerifyToken: true }),
  ...metaHandshake,
  parse: (body) => changesOf(body, "page").flatMap(toInbound),
  parseMessages: (body) => inboundMessages(body, "page"),
  async subscribe(context, to) {
    const fields = to.withMessages ? [FEED, ...MESSAGES] : [FEED];
    const failure = await subscribeApp(FACEBOOK, context, { object: "page", fields }, to);
    return failure ?? subscribeNode(graphOf(context), context.account.id, fields);
  },
};
