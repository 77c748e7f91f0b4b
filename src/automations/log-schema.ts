import { z } from "@hono/zod-openapi";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../core/time.ts";
import { cursorPageView } from "../http/cursor-page.ts";
import { IdCursorQuery, LimitQuery } from "../http/page.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import type { LoggedReply } from "./reply-store.ts";
import type { ReplyPart } from "./stored.ts";
import { REPLY_REASONS } from "./stored.ts";
import { REPLY_OUTCOMES } from "./table.ts";
import type { Trial } from "./test-automation.ts";

/** Shapes of the replies log and of the trial (extensions). */

export const ListRepliesQuery = z.object({
  limit: LimitQuery,
  cursor: IdCursorQuery.openapi({ description: "`next_cursor` of the previous page; absent or empty for the newest." }),
});

/** A union, because null must be beside the enum, not a member of it. */
const ReasonOrNull = z.union([z.enum(REPLY_REASONS), z.null()]);

const PartView = z
  .object({
    state: z.enum(["waiting", "sent", "not_sent"]),
    text: z.string().nullable().openapi({ description: "The text that was sent; null if none was." }),
    id: z.string().nullable().openapi({ description: "The platform's id; null if it returns none." }),
    sent_at: z.string().nullable(),
    reason: ReasonOrNull.openapi({ description: "Why it was not sent." }),
    message: z.string().nullable().openapi({ description: "The same in a sentence." }),
  })
  .nullable()
  .openapi("ReplyPart", { description: "Null if the automation sends no such answer." });

export const EXAMPLE_REPLY = {
  id: 981,
  post_id: 42,
  comment: {
    id: "122000000000011_990000001",
    author_id: "7000000000000001",
    author: "Ada Reader",
    text: "How much is it?",
    created_at: "2030-03-05T10:00:00.000+00:00",
  },
  outcome: "replied",
  reason: null,
  message: "Answered.",
  keyword: "how much",
  comment_reply: {
    state: "sent",
    text: "We have sent you the list.",
    id: "122000000000011_990000002",
    sent_at: "2030-03-05T10:00:02.000+00:00",
    reason: null,
    message: null,
  },
  direct_message: null,
  due_at: "2030-03-05T10:00:00.000+00:00",
  created_at: "2030-03-05T10:00:01.000+00:00",
  updated_at: "2030-03-05T10:00:02.000+00:00",
} as const;

export const ReplyView = z
  .object({
    id: z.int(),
    post_id: z.int(),
    comment: z.object({
      id: z.string(),
      author_id: z.string().nullable(),
      author: z.string().nullable().openapi({ description: "Null if the platform does not show it." }),
      text: z.string().nullable().openapi({ description: "Its beginning; null after it was purged." }),
      created_at: z.string().nullable(),
    }),
    outcome: z.enum(REPLY_OUTCOMES).openapi({
      description:
        "`waiting`: it will be answered at `due_at`, or when the reason in `message` no longer applies. All others are final.",
    }),
    reason: ReasonOrNull.openapi({ description: "Why it was not answered, or only partly: a stable code." }),
    message: z.string().openapi({ description: "The same in a sentence." }),
    keyword: z.string().nullable().openapi({ description: "The keyword that matched the comment." }),
    comment_reply: PartView,
    direct_message: PartView,
    due_at: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("CommentReply", { example: EXAMPLE_REPLY });

export const ReplyPage = cursorPageView(ReplyView, "CommentReplyPage");

export function toReplyView(row: LoggedReply): z.output<typeof ReplyView> {
  return {
    id: row.id,
    post_id: row.postId,
    comment: {
      id: row.commentId,
      author_id: row.authorId,
      author: row.authorName,
      text: row.text,
      created_at: isoUtcOrNull(row.commentedAt),
    },
    outcome: row.outcome,
    reason: row.reason,
    message: row.message,
    keyword: row.keyword,
    comment_reply: toPartView(row.commentPart),
    direct_message: toPartView(row.messagePart),
    due_at: isoUtc(row.dueAt),
    created_at: isoUtc(row.createdAt),
    updated_at: isoUtc(row.updatedAt),
  };
}

function toPartView(part: ReplyPart | null): z.output<typeof PartView> {
  if (part === null) return null;
  const nothing = { text: null, id: null, sent_at: null, reason: null, message: null };
  switch (part.state) {
    case "waiting":
      return { ...nothing, state: "waiting" };
    case "sent":
      return { ...nothing, state: "sent", text: part.text, id: part.id, sent_at: isoUtc(part.at) };
    case "not_sent":
      return {
        ...nothing,
        state: "not_sent",
        reason: REPLY_REASONS.find((one) => one === part.code) ?? null,
        message: part.message,
      };
  }
}

export const TestAutomationBody = z
  .object({
    text: text(10_000)
      .refine((words) => !isBlank(words), "must not be blank.")
      .openapi({ pattern: "\\S", example: "How much is it?", description: "The comment." }),
    author: z.string().min(1).max(255).optional().openapi({ example: "Ada Reader", description: "Who wrote it." }),
  })
  .openapi("TestCommentAutomation", { example: { text: "How much is it?", author: "Ada Reader" } });

export const TrialView = z
  .object({
    would_reply: z.boolean(),
    reason: ReasonOrNull,
    message: z.string(),
    keyword: z.string().nullable(),
    delay_time: z.int().openapi({ description: "Seconds after the comment." }),
    channels: z.array(
      z.object({
        channel_id: z.int(),
        channel_type: z.enum(PLATFORM_NAMES),
        comment_reply: z.string().nullable().openapi({ description: "The public answer; null for none." }),
        direct_message: z.string().nullable().openapi({ description: "The direct message; null for none." }),
        notes: z.array(z.string()).openapi({ description: "Why it would not answer, or would use other texts." }),
      }),
    ),
  })
  .openapi("CommentAutomationTrial");

export function toTrialView({ channels, ...trial }: Trial): z.output<typeof TrialView> {
  return {
    would_reply: trial.wouldReply,
    reason: trial.reason,
    message: trial.message,
    keyword: trial.keyword,
    delay_time: trial.delaySeconds,
    channels: channels.map(({ id, platform, commentReply, directMessage, notes }) => ({
      channel_id: id,
      channel_type: platform,
      comment_reply: commentReply,
      direct_message: directMessage,
      notes: [...notes],
    })),
  };
}
