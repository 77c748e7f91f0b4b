import { z } from "zod";
import { AiSettings } from "../../automations/ai-settings.ts";
import { type AutomationRequest, changed } from "../../automations/settings.ts";
import type { Settings } from "../../automations/table.ts";
import { numberIn } from "../api-body.ts";
import { firstOf } from "../compose/compose-form.ts";
import type { Fields } from "../definition.ts";
import { field, fields } from "../fields.ts";

/** The form of a bot has the fields of the API; those without effect for its choices are left out. */

export const AI_FIELDS = [
  "response_tone",
  "response_length",
  "ai_personality",
  "creativity_level",
  "language_style",
  "emoji_usage",
] as const;

const text = field(z.string());

const BotForm = z.object({
  name: text,
  channels: fields(z.array(z.string())),
  target_type: text,
  post_ids: fields(z.array(z.string())),
  campaign_ids: fields(z.array(z.string())),
  trigger_type: text,
  keywords: text,
  response_type: text,
  comment_reply: text,
  direct_message: text,
  response_time: text,
  delay_time: text,
  frequency: text,
  ai_enable: text,
  ...Object.fromEntries(["disclose", ...AI_FIELDS].map((name) => [`ai_settings.${name}`, text])),
});

const linesIn = (list: string) => list.split(/\r?\n/).flatMap((line) => line.trim() || []);

/** Whether the posts or campaigns are searched, and nothing is saved. Other bots have nothing to search. */
export const isSearch = (fields: Fields): boolean =>
  firstOf(fields, "act") === "search" && ["posts", "campaigns"].includes(firstOf(fields, "target_type"));

/** The body of the operation, which its schema then checks. */
export function toBody(fields: Fields): Readonly<Record<string, unknown>> {
  const form = BotForm.parse(fields);
  const { name, target_type, trigger_type, response_type, comment_reply, direct_message, response_time } = form;
  const { frequency, ai_enable } = form;
  return {
    name,
    channels: form.channels.map(numberIn),
    target_type,
    ...(target_type === "posts" ? { post_ids: form.post_ids.map(numberIn) } : {}),
    ...(target_type === "campaigns" ? { campaign_ids: form.campaign_ids.map(numberIn) } : {}),
    trigger_type,
    ...(trigger_type === "keywords" ? { keywords: linesIn(form.keywords) } : {}),
    response_type,
    comment_reply,
    direct_message,
    response_time,
    ...(response_time === "delayed" ? { delay_time: numberIn(form.delay_time) } : {}),
    frequency,
    ai_enable,
    ...(ai_enable === "yes" ? { ai_settings: aiSettingsIn(form) } : {}),
  };
}

function aiSettingsIn(form: Readonly<Record<string, unknown>>) {
  const chosen = Object.keys(AiSettings.shape).map((name) => [name, form[`ai_settings.${name}`]] as const);
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined && value !== ""));
}

/** A stored bot, in the words of a request. */
export const bodyOf = (settings: Settings): AutomationRequest => changed(settings, {});
