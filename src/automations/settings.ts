import type { ChannelId, PostId } from "../core/ids.ts";
import { idOf } from "../core/ids.ts";
import { isBlank } from "../core/text.ts";
import type { AiSettings } from "./ai-settings.ts";
import type { Settings } from "./table.ts";

/** The settings of an automation, as requests and as rows have them. Pure. */

/** A request to create an automation, with its defaults (spec 4.8). */
export interface AutomationRequest {
  readonly name: string;
  readonly channels: readonly number[];
  readonly target_type: Settings["targetType"];
  readonly post_ids?: readonly number[] | undefined;
  readonly campaign_ids?: readonly number[] | undefined;
  readonly trigger_type: Settings["triggerType"];
  readonly keywords?: readonly string[] | undefined;
  readonly response_type: Settings["responseType"];
  readonly comment_reply?: string | undefined;
  readonly direct_message?: string | undefined;
  readonly response_time: Settings["responseTime"];
  readonly delay_time?: number | undefined;
  readonly frequency: Settings["frequency"];
  readonly ai_enable: "yes" | "no";
  readonly ai_settings?: AiSettings | undefined;
}

/** The fields that may be changed; null clears a text. */
type Change = { readonly [Field in keyof AutomationRequest]?: AutomationRequest[Field] | null | undefined };

/** The fields of a request that depend on each other. */
type SubmittedSettings = Pick<
  AutomationRequest,
  | "target_type"
  | "post_ids"
  | "campaign_ids"
  | "trigger_type"
  | "keywords"
  | "response_time"
  | "delay_time"
  | "ai_enable"
  | "ai_settings"
>;

/** Missing fields that other fields require (spec 4.8), as sentences that follow the field's name. */
export function inconsistencies(
  body: SubmittedSettings,
): { readonly field: keyof SubmittedSettings; readonly message: string }[] {
  const { target_type, trigger_type, response_time, ai_enable } = body;
  return [
    ...(target_type === "posts" && body.post_ids === undefined
      ? [{ field: "post_ids" as const, message: "is required when target_type is posts: an array of post ids." }]
      : []),
    ...(target_type === "campaigns" && body.campaign_ids === undefined
      ? [
          {
            field: "campaign_ids" as const,
            message: "is required when target_type is campaigns: an array of campaign ids.",
          },
        ]
      : []),
    ...(trigger_type === "keywords" && body.keywords === undefined
      ? [{ field: "keywords" as const, message: "is required when trigger_type is keywords: an array of words." }]
      : []),
    ...(response_time === "delayed" && body.delay_time === undefined
      ? [{ field: "delay_time" as const, message: "is required when response_time is delayed: a number of seconds." }]
      : []),
    ...(ai_enable === "yes" && body.ai_settings === undefined
      ? [
          {
            field: "ai_settings" as const,
            message: "is required unless ai_enable is no: an object, which may be empty.",
          },
        ]
      : []),
  ];
}

/** The settings of a create request. Fields without effect for its types are not stored. */
export function toSettings(body: AutomationRequest): Settings {
  return {
    name: body.name,
    channelIds: unique(body.channels).map((id) => idOf<ChannelId>(id)),
    targetType: body.target_type,
    postIds: body.target_type === "posts" ? unique(body.post_ids ?? []).map((id) => idOf<PostId>(id)) : null,
    campaignIds: body.target_type === "campaigns" ? unique(body.campaign_ids ?? []) : null,
    triggerType: body.trigger_type,
    keywords: body.trigger_type === "keywords" ? unique(body.keywords ?? []) : null,
    responseType: body.response_type,
    commentReply: wordsOrNull(body.comment_reply),
    directMessage: wordsOrNull(body.direct_message),
    responseTime: body.response_time,
    delaySeconds: body.response_time === "delayed" ? (body.delay_time ?? 0) : 0,
    frequency: body.frequency,
    usesAi: body.ai_enable === "yes",
    aiSettings: body.ai_enable === "yes" ? { ...body.ai_settings } : null,
  };
}

/** The automation as a create request, with the changes of an update. */
export function changed(row: Settings, change: Change): AutomationRequest {
  const now: AutomationRequest = {
    name: row.name,
    channels: row.channelIds,
    target_type: row.targetType,
    post_ids: row.postIds ?? undefined,
    campaign_ids: row.campaignIds ?? undefined,
    trigger_type: row.triggerType,
    keywords: row.keywords ?? undefined,
    response_type: row.responseType,
    comment_reply: row.commentReply ?? undefined,
    direct_message: row.directMessage ?? undefined,
    response_time: row.responseTime,
    delay_time: row.responseTime === "delayed" ? row.delaySeconds : undefined,
    frequency: row.frequency,
    ai_enable: row.usesAi ? "yes" : "no",
    ai_settings: row.aiSettings === null ? undefined : row.aiSettings,
  };
  const wanted = Object.entries(change).filter(([, value]) => value !== undefined);
  // Null is allowed only where a text may be cleared, which equals an absent field.
  return { ...now, ...Object.fromEntries(wanted.map(([field, value]) => [field, value ?? undefined])) };
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function wordsOrNull(words: string | undefined): string | null {
  return words === undefined || isBlank(words) ? null : words;
}
