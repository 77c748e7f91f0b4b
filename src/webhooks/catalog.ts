import { z } from "@hono/zod-openapi";
import { AUTOMATION_EVENTS } from "../automations/events.ts";
import { CAMPAIGN_EVENTS } from "../boosts/events.ts";
import { CHANNEL_EVENTS } from "../channels/events.ts";
import { COMMENT_EVENTS } from "../comments/events.ts";
import { CONVERSATION_EVENTS } from "../conversations/events.ts";
import { isoUtc } from "../core/time.ts";
import type { StoredEvent } from "../events/outbox-store.ts";
import type { EventType } from "../events/store.ts";
import type { EventSubject } from "../events/table.ts";
import { GENERATION_EVENTS } from "../generations/events.ts";
import { POST_EVENTS } from "../posts/events.ts";
import { FEED_EVENTS } from "../posts/feeds/events.ts";
import { SERIES_EVENTS } from "../posts/series/events.ts";
import { USAGE_EVENTS } from "../usage/events.ts";
import { WEBHOOK_EVENTS } from "./events.ts";

/**
 * The public events: which events are sent to webhooks, by which name, and with what data
 * (docs/decisions/0026). A feature adds its new events here. The OpenAPI document, the subscribable types and
 * the messages are generated from this list.
 */
interface LeavingType extends EventType {
  /**
   * The key of the object's id in `data`: our own number, unless the details have another id by this name.
   */
  readonly idKey:
    | "post_id"
    | "comment_id"
    | "series_id"
    | "feed_id"
    | "channel_id"
    | "automation_id"
    | "generation_id"
    | "campaign_id"
    | "webhook_id"
    | "month"
    | "conversation_id";
}

const about = <const Key extends LeavingType["idKey"]>(idKey: Key, { description, detail }: EventType) => ({
  idKey,
  description,
  detail,
});

const scheduled = POST_EVENTS["post.created"].detail
  .omit({ due_at: true })
  .partial({ publish_mode: true })
  .extend(POST_EVENTS["post.moved"].detail.partial({ was_due_at: true }).shape);

export const LEAVING = {
  "post.created": about("post_id", {
    ...POST_EVENTS["post.created"],
    description: "A post was accepted as a draft, or to be published now.",
  }),
  "post.scheduled": about("post_id", {
    description:
      "A post was accepted to be published later, or a queued post was moved to another time (`was_due_at`).",
    detail: scheduled,
  }),
  "post.updated": about("post_id", POST_EVENTS["post.updated"]),
  "post.published": about("post_id", POST_EVENTS["post.published"]),
  "post.permalink": about("post_id", POST_EVENTS["post.permalink"]),
  "post.failed": about("post_id", POST_EVENTS["post.failed"]),
  "post.commented": about("post_id", POST_EVENTS["post.commented"]),
  "post.comment_failed": about("post_id", POST_EVENTS["post.comment_failed"]),
  "post.deleted": about("post_id", POST_EVENTS["post.deleted"]),
  "post.removed": about("post_id", POST_EVENTS["post.removed"]),
  "post.removal_failed": about("post_id", POST_EVENTS["post.removal_failed"]),
  "platform.rule_missed": about("post_id", POST_EVENTS["platform.rule_missed"]),
  "series.paused": about("series_id", SERIES_EVENTS["series.paused"]),
  "series.skipped": about("series_id", SERIES_EVENTS["series.skipped"]),
  "series.ended": about("series_id", SERIES_EVENTS["series.ended"]),
  "feed.stopped": about("feed_id", FEED_EVENTS["feed.stopped"]),
  "feed.entry_refused": about("feed_id", FEED_EVENTS["feed.entry_refused"]),
  "feed.entries_passed": about("feed_id", FEED_EVENTS["feed.entries_passed"]),
  "comment.received": about("comment_id", COMMENT_EVENTS["comment.received"]),
  "comment.replied": about("comment_id", COMMENT_EVENTS["comment.replied"]),
  "comment.changed": about("comment_id", COMMENT_EVENTS["comment.changed"]),
  "comment.failed": about("comment_id", COMMENT_EVENTS["comment.failed"]),
  "channel.connected": about("channel_id", CHANNEL_EVENTS["channel.connected"]),
  "channel.data_deleted": about("channel_id", CHANNEL_EVENTS["channel.data_deleted"]),
  "channel.expiring": about("channel_id", CHANNEL_EVENTS["channel.expiring"]),
  "channel.reconnect_needed": about("channel_id", CHANNEL_EVENTS["channel.reconnect_needed"]),
  "channel.disconnected": about("channel_id", CHANNEL_EVENTS["channel.disconnected"]),
  "automation.replied": about("automation_id", AUTOMATION_EVENTS["automation.replied"]),
  "automation.reply_failed": about("automation_id", AUTOMATION_EVENTS["automation.reply_failed"]),
  "message.received": about("conversation_id", CONVERSATION_EVENTS["message.received"]),
  "message.sent": about("conversation_id", CONVERSATION_EVENTS["message.sent"]),
  "message.failed": about("conversation_id", CONVERSATION_EVENTS["message.failed"]),
  "generation.done": about("generation_id", GENERATION_EVENTS["generation.done"]),
  "generation.failed": about("generation_id", GENERATION_EVENTS["generation.failed"]),
  "campaign.live": about("campaign_id", CAMPAIGN_EVENTS["campaign.live"]),
  "campaign.paused": about("campaign_id", CAMPAIGN_EVENTS["campaign.paused"]),
  "campaign.rejected": about("campaign_id", CAMPAIGN_EVENTS["campaign.rejected"]),
  "campaign.completed": about("campaign_id", CAMPAIGN_EVENTS["campaign.completed"]),
  "campaign.failed": about("campaign_id", CAMPAIGN_EVENTS["campaign.failed"]),
  "campaign.change_failed": about("campaign_id", CAMPAIGN_EVENTS["campaign.change_failed"]),
  "campaign.removal_failed": about("campaign_id", CAMPAIGN_EVENTS["campaign.removal_failed"]),
  "usage.near_limit": about("month", USAGE_EVENTS["usage.near_limit"]),
  "webhook.disabled": about("webhook_id", WEBHOOK_EVENTS["webhook.disabled"]),
  "webhook.test": about("webhook_id", { description: "A test event was requested.", detail: z.object({}) }),
} as const satisfies Readonly<Record<string, LeavingType>>;

export type LeavingName = keyof typeof LEAVING;

/** The same as a list, for schemas. */
export const LEAVING_NAMES = Object.keys(LEAVING).filter(isLeaving);

function isLeaving(name: string): name is LeavingName {
  return Object.hasOwn(LEAVING, name);
}

/** A message as it is sent, without its address. */
export interface Message {
  /** The id of the event, not of the attempt: receivers deduplicate by it. */
  readonly messageId: string;
  readonly type: LeavingName;
  readonly body: string;
}

/** The message for an event; null for an internal event. */
export function messageOf(event: StoredEvent): Message | null {
  const type = nameOutside(event);
  if (type === null) return null;
  const { id: revision, createdAt: at } = event;
  const id = `evt_${revision}`;
  const data = { [ID_KEYS[event.subject]]: event.subjectId, message: event.message, ...event.detail };
  return { messageId: id, type, body: bodyOf({ type, id, revision, at, data }) };
}

interface Body {
  readonly type: LeavingName;
  readonly id: string;
  /** Increases with each event of an object: of two messages about it, the higher one is newer. */
  readonly revision: number;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body format of all messages. */
export function bodyOf({ type, id, revision, at, data }: Body): string {
  return JSON.stringify({ type, timestamp: isoUtc(at), id, revision, data });
}

const ID_KEYS: Readonly<Record<EventSubject, LeavingType["idKey"]>> = {
  post: "post_id",
  series: "series_id",
  feed: "feed_id",
  channel: "channel_id",
  automation: "automation_id",
  generation: "generation_id",
  campaign: "campaign_id",
  webhook: "webhook_id",
  usage: "month",
  comment: "comment_id",
  conversation: "conversation_id",
};

/** The public name of an event; each event has one name, the most specific one. */
function nameOutside({ type, detail }: StoredEvent): LeavingName | null {
  if (type === "post.moved") return "post.scheduled";
  if (type === "post.created" && typeof detail?.publish_mode === "string" && !AT_ONCE.has(detail.publish_mode)) {
    return "post.scheduled";
  }
  return isLeaving(type) ? type : null;
}
const AT_ONCE: ReadonlySet<string> = new Set(["now", "draft"]);
