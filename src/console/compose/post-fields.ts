import { z } from "zod";
import type { ChannelState } from "../../channels/store.ts";
import { parseHashtags } from "../../core/text.ts";
import { localTime, parseLocalTime } from "../../core/time.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { hasOwnForm } from "../../platforms/facts.ts";
import { OPTIONS, type Option, OWN_OPTIONS, type OwnOption } from "../../platforms/options.ts";
import { differences } from "../../posts/change/changes.ts";
import { toChangeableView } from "../../posts/content/content-view.ts";
import type { CreatePostBody, UpdatePostBody } from "../../posts/schema.ts";
import type { Post } from "../../posts/store.ts";
import type { Fields } from "../definition.ts";
import { mediaFields, ofChannel, optionNames, threadText } from "./compose-form.ts";

/**
 * A post as the composer edits it. The form carries what the post was when it was opened: so a change by
 * someone else in between is found field by field, and only what the person changed is sent.
 */
const Files = { media_urls: z.array(z.string()), alt_texts: z.array(z.string()) };
const ALL_OPTIONS = [...OPTIONS, ...OWN_OPTIONS] as const;
const Written = z.object({
  caption_text: z.string().nullable(),
  twitter_threads: z.array(z.object({ message: z.string(), ...Files })).nullable(),
  ...Files,
  hash_tags: z.array(z.string()),
  first_comment: z.string().nullable(),
  declared: z.partialRecord(z.enum(DECLARATIONS), z.boolean()),
  options: z.partialRecord(z.enum(ALL_OPTIONS), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  post_extra: z
    .object({ title: z.string().optional(), category: z.number().optional(), privacyStatus: z.string().optional() })
    .nullable(),
  publish_mode: z.string(),
  /** On the clock of the project's zone; null unless the post has a time of its own. */
  schedule_time: z.string().nullable(),
});
export type Written = z.output<typeof Written>;

/** The post now. A draft with a request for approval has the schedule of the request. */
export function writtenOf(post: Post, timeZone: string): Written {
  const view = toChangeableView(post);
  return Written.parse({
    ...view,
    ...withoutNulls(view),
    twitter_threads: view.twitter_threads?.map((item) => ({ ...item, ...withoutNulls(item) })) ?? null,
    declared: view.declared ?? {},
    options: view.options ?? {},
    post_extra: post.extra,
    ...scheduleOf(post, timeZone),
  });
}

const withoutNulls = ({ alt_texts }: { readonly alt_texts: readonly (string | null)[] }) => ({
  alt_texts: alt_texts.map((text) => text ?? ""),
});

function scheduleOf({ state, publishMode, publishAt, timeZone: own, approvalState, approval }: Post, zone: string) {
  if (state === "draft" && approval !== null && approvalState !== "approved") {
    const { publish_mode, schedule_time, time_zone = own } = approval.wanted;
    const time = schedule_time === undefined ? null : parseLocalTime(schedule_time, time_zone);
    return { publish_mode, schedule_time: time?.kind === "instant" ? localTime(time.at, zone) : null };
  }
  if (state === "draft") return { publish_mode: "draft", schedule_time: null };
  return { publish_mode: publishMode, schedule_time: state === "scheduled" ? localTime(publishAt, zone) : null };
}

/** The post that a form was opened with; null for a form that has none. */
export function readWritten(text: string): Written | null {
  try {
    return Written.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What someone else changed since the form was opened, by the API's names. */
export const changedSince = (opened: Written, now: Written) => differences(opened, now);

/** The fields of the form for this post. */
export function fieldsOf(written: Written, channel: ChannelState, { postType }: Pick<Post, "postType">): Fields {
  const { caption_text, twitter_threads, hash_tags, first_comment, declared, post_extra, schedule_time } = written;
  const items = twitter_threads ?? [written];
  const media = items.flatMap(({ media_urls, alt_texts }, item) =>
    media_urls.map((url, index) => ({ url, altText: alt_texts[index] ?? "", item })),
  );
  const named = (name: string) => ofChannel(name, channel);
  const extra = Object.entries(post_extra ?? {}).map(([name, value]) => [named(name), [String(value)]]);
  const isTrue = DECLARATIONS.filter((name) => declared[name]);
  return {
    channel: [String(channel.id)],
    [named("post_type")]: [postType],
    caption_text: [caption_text ?? threadText(items.map((item) => ("message" in item ? item.message : "")))],
    hash_tags: [hash_tags.join(" ")],
    first_comment: [first_comment ?? ""],
    ...mediaFields(media),
    ...(isTrue.length === 0 ? {} : { declared: isTrue }),
    publish_mode: [written.publish_mode],
    schedule_time: [schedule_time?.replace(" ", "T") ?? ""],
    ...Object.fromEntries(extra),
    ...(hasOwnForm(channel.platform) ? tiktokFields(written) : optionFields(written, channel)),
  };
}

function optionFields({ options }: Written, channel: ChannelState): Fields {
  const entries = optionNames(channel).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [[ofChannel(`options.${name}`, channel), [[value].flat().join(" ")]] as const];
  });
  return Object.fromEntries(entries);
}

const TIKTOK_FIELDS = ["privacy_level", "comments", "duets", "stitches", "title", "consent_given"] as const;

function tiktokFields({ options, declared }: Written): Fields {
  const isOn = (name: string, value: unknown) => (value === true ? { [name]: ["on"] } : {});
  return {
    privacy_level: [String(options.privacy_level ?? "")],
    title: [String(options.title ?? "")],
    ...isOn("comments", options.comments),
    ...isOn("duets", options.duets),
    ...isOn("stitches", options.stitches),
    ...isOn("own_brand", declared.own_brand),
    ...isOn("paid_partnership", declared.paid_partnership),
    ...isOn("disclose", declared.own_brand === true || declared.paid_partnership === true),
    ...(declared.made_with_ai ? { declared: ["made_with_ai"] } : { declared: [] }),
  };
}

/** The fields of update-post that make the stored post what the form says; empty if nothing differs. */
export function contentChanges(stored: Written, wanted: CreatePostBody, channel: ChannelState): UpdatePostBody {
  const files = ({ media_urls = [], alt_texts = [] }: Pick<CreatePostBody, "media_urls" | "alt_texts">) => ({
    media_urls,
    alt_texts: media_urls.map((_, index) => alt_texts[index] ?? ""),
  });
  const isThread = wanted.post_type === "thread";
  const thread = wanted.twitter_threads?.map((item) => ({ message: item.message, ...files(item) }));
  const content = isThread ? { twitter_threads: thread } : { caption_text: wanted.caption_text, ...files(wanted) };
  const { tags, invalid } = parseHashtags(wanted.hash_tags ?? "");
  const next = {
    ...content,
    hash_tags: [...tags, ...invalid],
    first_comment: wanted.first_comment ?? null,
    post_extra: stored.post_extra && (wanted.post_extra ?? null),
    declared: declaredAfter(stored, wanted),
    options: optionsAfter(stored, wanted, channel),
  };
  const changed = new Set(Object.keys(differences(next, stored)));
  const fields = Object.fromEntries(Object.entries(next).filter(([name]) => changed.has(name)));
  return {
    ...fields,
    // The text as it was written, so that update-post names what is wrong with it.
    ...(changed.has("hash_tags") ? { hash_tags: wanted.hash_tags ?? null } : {}),
    // Alt texts belong to the files that they are sent with.
    ...(changed.has("media_urls") ? { alt_texts: files(wanted).alt_texts, declared: next.declared } : {}),
  };
}

/** A declaration that was denied stays denied unless its box is ticked. */
function declaredAfter({ declared: before }: Written, { declared = {} }: CreatePostBody): Written["declared"] {
  const after = DECLARATIONS.flatMap((name) => {
    const value = declared[name] ?? (before[name] === false ? false : undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(after);
}

/** Options for which the form has no field stay as they are. */
function optionsAfter({ options: before }: Written, { options = {} }: CreatePostBody, channel: ChannelState) {
  const shown: readonly (Option | OwnOption)[] = hasOwnForm(channel.platform) ? TIKTOK_FIELDS : optionNames(channel);
  const after = ALL_OPTIONS.flatMap((name) => {
    const value = shown.includes(name) ? options[name] : before[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(after);
}
