import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { FailureCodeView } from "../core/code-schemas.ts";
import type { Db, Statement } from "../db/client.ts";
import { type EventOf, eventLog, isFirst } from "../events/store.ts";
import type { HeldJob, ShownWait } from "../jobs/handler.ts";
import type { Deps } from "../service/deps.ts";
import { PUBLISH_MODES } from "./table.ts";

/**
 * The events of a post. The compiler checks writes against this list, and the OpenAPI document is made from
 * it.
 */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });

/**
 * Every event carries the caller's `external_id` and `metadata` as they were then, so webhooks need no other
 * row.
 */
const about = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    ...shape,
    external_id: z.string().optional().openapi({ description: "The value of create-post; absent if there is none." }),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: "The value of create-post; absent if there is none." }),
  });
const nothing = about({});
const changes = about({
  changes: z
    .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
    .optional()
    .openapi({
      description: "Old and new value of each field, by the names of `include=content` and `STATUS`.",
      example: { caption_text: { from: "The new frames are in.", to: "The new frames are in. Come and see." } },
    }),
});
/** A union, because null must be beside the enum, not a member of it. */
const codeOrNull = (description: string) => z.union([FailureCodeView, z.null()]).openapi({ description });

/** The platform's answer, for debugging. */
export const answer = z
  .object({
    method: z.string(),
    url: z.string().openapi({ description: "Without its query." }),
    status: z.int().nullable().openapi({ description: "Null if there was no answer." }),
    headers: z
      .record(z.string(), z.string())
      .openapi({ description: "Headers about limits and for the platform's support." }),
    body: z
      .string()
      .nullable()
      .openapi({ description: "Its first 2,048 characters, with secrets masked; null if there was no answer." }),
  })
  .optional()
  .openapi({
    description: "The platform's answer that caused this. Absent if the platform did not refuse anything.",
  });

const who = z.string().openapi({ description: "A person's e-mail address or name, or the access token." });
const note = z.string().nullable().openapi({ description: "Null if there is none." });
const decision = about({ by: who, note });

export const POST_EVENTS = {
  "post.created": {
    description: "The post was accepted.",
    detail: about({
      publish_mode: z.enum(PUBLISH_MODES),
      due_at: instant.nullable().openapi({ description: "When it is due, ISO 8601; null for a draft." }),
    }),
  },
  "post.updated": { description: "The post was changed by a request.", detail: changes },
  "post.approval_requested": {
    description: "The draft waits for approval.",
    detail: about({ publish_mode: z.enum(PUBLISH_MODES), by: who, note }),
  },
  "post.approved": { description: "The draft was approved, and is published as requested.", detail: decision },
  "post.sent_back": { description: "The draft was not approved: it needs changes.", detail: decision },
  "post.approval_comment": { description: "A client commented on the draft by a link.", detail: decision },
  "post.moved": {
    description: "The queued post moved to another slot, because its queue was rearranged.",
    detail: about({ due_at: instant, was_due_at: instant }),
  },
  "post.processing": { description: "Publishing has begun.", detail: nothing },
  "post.waiting": {
    description: "Publishing, commenting or deleting waits and continues automatically; one event for each cause.",
    detail: about({
      until: instant
        .nullable()
        .openapi({ description: "When it continues, ISO 8601; null while other posts come first." }),
      error_code: codeOrNull("The cause of the wait; null if nothing is wrong."),
      limit: z.enum(["channel", "service"]).optional().openapi({
        description:
          "Whose rate limit is reached at the platform, if that is the cause. All posts of the channel wait, or all posts on the platform. No wait for a limit counts against the post's deadline, for a day in all: `message` says whether this one does.",
      }),
      answer,
    }),
  },
  "post.published": {
    description: "The post is live on the platform.",
    detail: about({
      permalink: z.string().nullable().openapi({ description: "Null until the platform returns it." }),
    }),
  },
  "post.fitted": {
    description: "A file does not fit the platform as it is. The platform gets a copy that fits.",
    detail: about({
      file: z.object({
        url: z.string().openapi({ description: "The file of the post." }),
        copy_url: z.string().openapi({ description: "The copy, which is kept as long as the file." }),
        mime: z.string(),
        bytes: z.int(),
        width: z.int().nullable(),
        height: z.int().nullable(),
      }),
    }),
  },
  "post.left_out": {
    description:
      "A part of the request is not in the live post, because the platform does not support it there, or refused it after the publication.",
    detail: about({
      fields: z
        .array(z.string())
        .openapi({ description: "The path of the part in the request.", example: ["alt_texts.0"] }),
    }),
  },
  "post.permalink": {
    description: "The platform returned the permalink of a live post.",
    detail: about({ permalink: z.string() }),
  },
  "post.failed": {
    description: "The post was not published, or not completely. This state is final.",
    detail: about({
      error_code: FailureCodeView,
      cause: codeOrNull("The cause of `partly_published` or `may_be_published`; null if `error_code` is the cause."),
      items: z.int().nullable().openapi({ description: "The number of its items. Null if the record is unreadable." }),
      live_items: z.int().nullable().openapi({ description: "The number of items that are certainly live." }),
      answer,
    }),
  },
  "platform.rule_missed": {
    description:
      "The platform refused a post that this service's checks had passed: a rule at the platform is not among those of `/social/get-platforms`, or has changed. The operator sees it too.",
    detail: about({
      operation: z.string().openapi({
        description: "The platform's call, without ids.",
        example: "POST /{id}/photos",
      }),
      error_code: FailureCodeView,
      platform_code: z
        .string()
        .nullable()
        .openapi({ description: "The platform's own code; null if it sent none.", example: "100/2207026" }),
      words: z.string().openapi({
        description: "What the platform said, without secrets, numbers and anything of the post.",
      }),
    }),
  },
  "post.commented": {
    description: "The first comment was published.",
    detail: about({ comment_id: z.string().openapi({ description: "The platform's." }) }),
  },
  "post.comment_failed": {
    description: "The first comment was not published, or it is unconfirmed whether it was. The post stays as it is.",
    detail: about({
      error_code: FailureCodeView,
      cause: codeOrNull("The cause of `may_be_published`; null if `error_code` is the cause."),
      answer,
    }),
  },
  "post.deleted": {
    description: "The post was deleted by a request. Its live items are deleted at the platform next.",
    detail: changes,
  },
  "post.removed": { description: "The deleted post is no longer live on the platform.", detail: nothing },
  "post.removal_failed": {
    description: "The deleted post may still be live on the platform. Check the channel.",
    detail: about({ error_code: FailureCodeView, answer }),
  },
} as const;

export const postEvents = eventLog("post", POST_EVENTS, labelsOf);
export type PostEvent = EventOf<typeof POST_EVENTS>;

/** Null values are left out. Labels that cannot be read must not keep a post from ending. */
function labelsOf(id: number | SQL<number>): SQL {
  const labels = sql`json_object('external_id', labelled.external_id,
    'metadata', CASE WHEN json_valid(labelled.metadata) THEN json(labelled.metadata) END)`;
  return sql`coalesce((SELECT ${labels} FROM posts AS labelled WHERE labelled.id = ${id}), '{}')`;
}

/** An event of the job's post, written only while the delivery has the job's lease. */
export function postEvent(deps: Deps, { job, hasLease }: HeldJob, event: PostEvent, when: SQL = sql`1`): Statement {
  const { projectId, subjectId } = job;
  return postEvents.insert(deps.db, { ...event, projectId, subjectId, at: Date.now() }, sql`${hasLease} AND ${when}`);
}

/** A condition: the timeline does not say yet that the platform gets this copy. */
export const isNewCopy = (id: number, copyUrl: string): SQL =>
  isFirst({ subject: "post", id, type: "post.fitted" }, "$.file.copy_url", copyUrl);

/** The event of a wait of the post's job. */
export function waitEvent(db: Db, { detail, platform, ...wait }: ShownWait, hasLease: SQL): readonly Statement[] {
  const event = { ...wait, type: "post.waiting", detail: { ...detail, ...platform } } as const;
  return [postEvents.insert(db, event, hasLease)];
}
