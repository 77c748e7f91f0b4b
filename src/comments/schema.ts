import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf, type PostId } from "../core/ids.ts";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../core/time.ts";
import { cursorPageView } from "../http/cursor-page.ts";
import { ChannelIdQuery, LimitQuery, pathId } from "../http/page.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { toDecimal } from "../platforms/pricing.ts";
import type { Collecting } from "./collect.ts";
import type { CommentPlace, CommentScope } from "./list.ts";
import { COMMENT_STATES, stateOf } from "./states.ts";
import type { ListedComment } from "./store.ts";

/** Schemas of comments (extensions). */

export const CommentIdParam = z.object({ comment_id: pathId("comment_id") });

const PostIdQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be the id of a post")
  .transform((text) => idOf<PostId>(Number(text)))
  .openapi({ type: "integer", minimum: 1, example: 42 });

export const ListCommentsQuery = z
  .object({
    post_id: PostIdQuery.optional().openapi({ description: "Only comments under this post." }),
    channel_id: ChannelIdQuery.optional().openapi({ description: "Only comments under posts of this channel." }),
    assigned_to: z
      .email("must be the e-mail address of a member")
      .max(254)
      .optional()
      .openapi({ example: "ada@example.com", description: "Only comments that are assigned to this member." }),
    state: z.enum(COMMENT_STATES).optional().openapi({ description: "Only comments in this state." }),
    limit: LimitQuery,
    cursor: z
      .string()
      .regex(/^(?:[0-2]-[1-9]\d{0,15})?$/, "must be a next_cursor of this list, or empty to start")
      .optional()
      .default("")
      .openapi({ example: "", description: "`next_cursor` of the previous page; absent or empty for the first." }),
  })
  .superRefine((query, context) => {
    const [first, ...others] = SCOPES.filter((name) => query[name] !== undefined);
    for (const other of others) {
      const message = `must not be sent together with ${first}: use one of them.`;
      context.addIssue({ code: "custom", path: [other], message });
    }
  });

const SCOPES = ["post_id", "channel_id", "assigned_to"] as const;

interface Scoped {
  readonly post_id?: PostId | undefined;
  readonly channel_id?: ChannelId | undefined;
  readonly assigned_to?: string | undefined;
}

export function scopeOf({ post_id, channel_id, assigned_to }: Scoped): CommentScope | null {
  if (post_id !== undefined) return { post: post_id };
  if (channel_id !== undefined) return { channel: channel_id };
  return assigned_to === undefined ? null : { assignedTo: assigned_to.toLowerCase() };
}

export function placeOfCursor(cursor: string): CommentPlace | null {
  const [urgency, id] = cursor.split("-").map(Number);
  return urgency === undefined || id === undefined ? null : { urgency, id };
}

export const cursorOfPlace = (place: CommentPlace | null): string | null => place && `${place.urgency}-${place.id}`;

export const EXAMPLE_COMMENT = {
  comment_id: 981,
  channel_id: 12,
  channel_type: "facebook",
  post_id: 42,
  platform_id: "122000000000011_990000001",
  author_id: "7000000000000001",
  author: "Ada Reader",
  text: "How much is it?",
  is_reply: false,
  state: "unanswered",
  assigned_to: null,
  note: null,
  hidden: false,
  liked: false,
  created_at: "2030-03-05T10:00:00.000+00:00",
  received_at: "2030-03-05T10:00:40.000+00:00",
  answered_at: null,
  deleted_at: null,
} as const;

export const CommentView = z
  .object({
    comment_id: z.int(),
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    post_id: z.int(),
    platform_id: z.string().openapi({ description: "The platform's id of the comment." }),
    author_id: z.string().nullable(),
    author: z.string().nullable().openapi({ description: "Null if the platform does not show it." }),
    text: z.string().openapi({ description: "Its first 2,000 characters." }),
    is_reply: z.boolean().openapi({ description: "Whether it answers another comment, not the post." }),
    state: z.enum(COMMENT_STATES).openapi({
      description:
        "`answered`: the channel has answered it, by a bot or a person. `done`: marked as done here, or deleted.",
    }),
    assigned_to: z.string().nullable().openapi({ description: "The e-mail address of a member of the project." }),
    note: z.string().nullable().openapi({ description: "For the members; never at the platform." }),
    hidden: z.boolean().openapi({ description: "Whether it was hidden here." }),
    liked: z.boolean().openapi({ description: "Whether it was liked here." }),
    created_at: z.string(),
    received_at: z.string(),
    answered_at: z.string().nullable(),
    deleted_at: z.string().nullable().openapi({ description: "When it was deleted here." }),
  })
  .openapi("PostComment", { example: EXAMPLE_COMMENT });

export const CommentPage = cursorPageView(CommentView, "PostCommentPage");

export function toCommentView(row: ListedComment): z.output<typeof CommentView> {
  return {
    comment_id: row.id,
    channel_id: row.channelId,
    channel_type: row.platform,
    post_id: row.postId,
    platform_id: row.commentId,
    author_id: row.authorId,
    author: row.authorName,
    text: row.text,
    is_reply: !row.isTopLevel,
    state: stateOf(row.urgency),
    assigned_to: row.assignedTo,
    note: row.note,
    hidden: row.hiddenAt !== null,
    liked: row.likedAt !== null,
    created_at: isoUtc(row.createdAt),
    received_at: isoUtc(row.seenAt),
    answered_at: isoUtcOrNull(row.answeredAt),
    deleted_at: isoUtcOrNull(row.deletedAt),
  };
}

export const EXAMPLE_COLLECTING = {
  channel_id: 12,
  collects: true,
  since: "2030-03-05T10:00:00.000+00:00",
  price: null,
} as const;

export const CollectingView = z
  .object({
    channel_id: z.int(),
    collects: z.boolean(),
    since: z.string().nullable().openapi({ description: "Earlier comments are not read." }),
    price: z
      .object({ per_comment: z.number(), currency: z.literal("USD") })
      .nullable()
      .openapi({ description: "What the platform charges for each comment that is read; null if nothing." }),
  })
  .openapi("CommentCollecting", { example: EXAMPLE_COLLECTING });

export function toCollectingView({ channelId, since, commentMicros }: Collecting): z.output<typeof CollectingView> {
  return {
    channel_id: channelId,
    collects: since !== null,
    since: isoUtcOrNull(since),
    price: commentMicros === null ? null : { per_comment: toDecimal(commentMicros), currency: "USD" },
  };
}

export const UpdateCommentBody = z
  .object({
    done: z.boolean().optional().openapi({ description: "Whether nothing is left to do with it." }),
    assigned_to: z
      .email("must be the e-mail address of a member of the project")
      .max(254)
      .nullable()
      .optional()
      .openapi({ example: "ada@example.com", description: "A member of the project; null if it is not assigned." }),
    note: text(2_000).nullable().optional().openapi({ description: "For the members; null clears it." }),
  })
  .openapi("UpdateComment", { example: { done: true, note: "Sent the price list." } });
