import type { ChannelState } from "../../channels/store.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { factsOf, hasOwnForm } from "../../platforms/facts.ts";
import { OPTIONS, type Option } from "../../platforms/options.ts";
import { OPTION_SHAPES } from "../../posts/content/options.ts";
import { rulesOfAccount } from "../../posts/content/platform-view.ts";
import { CreatePostBody } from "../../posts/schema.ts";
import { apiBody } from "../api-body.ts";
import type { Fields } from "../definition.ts";
import { idIn } from "../fields.ts";

/**
 * The form of a new post and the bodies of create-post that it stands for: one for each chosen channel. A
 * field that is named after a channel (`caption_text.12`) counts for that channel only.
 */

/** The first value of a field, without spaces around it. */
export const firstOf = (fields: Fields, name: string): string => fields[name]?.[0]?.trim() ?? "";

/** The name of a field that counts for one channel. */
export const ofChannel = (name: string, { id }: Pick<ChannelState, "id">): string => `${name}.${id}`;

/** Lines between the posts of a thread. */
const BREAK = /^[ \t]*---[ \t]*\r?$/m;
/** The text of the form for a thread. */
export const threadText = (messages: readonly string[]): string => messages.join("\n\n---\n\n");

export interface FormMedia {
  readonly url: string;
  readonly altText: string;
  /** The post of a thread that has it, from 0. */
  readonly item: number;
}

/** The files of the form, in order. */
export function mediaOf(fields: Fields): readonly FormMedia[] {
  const { media_url: urls = [], alt_text: altTexts = [], media_item: items = [] } = fields;
  return urls.flatMap((url, index) => {
    const item = Math.max(0, idIn(items[index]) - 1);
    return url.trim() === "" ? [] : [{ url: url.trim(), altText: altTexts[index]?.trim() ?? "", item }];
  });
}

/** The fields of these files. */
export const mediaFields = (media: readonly FormMedia[]): Fields => ({
  media_url: media.map(({ url }) => url),
  alt_text: media.map(({ altText }) => altText),
  media_item: media.map(({ item }) => String(item + 1)),
});

/** The types that the channel can publish; TikTok's have a page of their own. */
export const typesOf = ({ platform, attributes }: Pick<ChannelState, "platform" | "attributes">) =>
  rulesOfAccount(platform, attributes);

/** The body of create-post for this channel. Throws the same 422 as the operation. */
export function bodyFor(fields: Fields, channel: ChannelState, timeZone: string): CreatePostBody {
  return apiBody(CreatePostBody, inputFor(fields, channel, timeZone));
}

/** The input of that body, before it is checked. */
export function inputFor(fields: Fields, channel: ChannelState, timeZone: string): Readonly<Record<string, unknown>> {
  const own = (name: string) => firstOf(fields, ofChannel(name, channel));
  const shared = (name: string) => firstOf(fields, name);
  const text = own("caption_text") || shared("caption_text");
  const type = own("post_type") || factsOf(channel.platform).postTypes[0];
  const mode = shared("publish_mode");
  const declared = fields.declared ?? [];
  const options = optionsFor(fields, channel);
  return {
    channel_type: channel.platform,
    channel_id: channel.id,
    post_type: type,
    ...contentOf(text, mediaOf(fields), type === "thread"),
    publish_mode: mode,
    ...(mode === "scheduled" ? { schedule_time: shared("schedule_time").replace("T", " "), time_zone: timeZone } : {}),
    ...given("hash_tags", shared("hash_tags")),
    ...given("first_comment", shared("first_comment")),
    ...(factsOf(channel.platform).takesPostExtra ? { post_extra: extraOf(own) } : {}),
    ...(declared.length === 0 ? {} : { declared: Object.fromEntries(knownOf(declared).map((name) => [name, true])) }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

const knownOf = (names: readonly string[]) => DECLARATIONS.filter((name) => names.includes(name));
const given = (name: string, value: string) => (value === "" ? {} : { [name]: value });

function contentOf(text: string, media: ReturnType<typeof mediaOf>, isThread: boolean) {
  if (!isThread) return { caption_text: text, ...filesOf(media) };
  const messages = text.split(BREAK).map((message) => message.trim());
  const last = messages.length - 1;
  const ofItem = (item: number) => media.filter((one) => Math.min(one.item, last) === item);
  return { twitter_threads: messages.map((message, item) => ({ message, ...filesOf(ofItem(item)) })) };
}

function filesOf(media: readonly FormMedia[]) {
  const media_urls = media.map(({ url }) => url);
  const alt_texts = media.map(({ altText }) => altText);
  return alt_texts.every((one) => one === "") ? { media_urls } : { media_urls, alt_texts };
}

function extraOf(own: (name: string) => string) {
  const category = own("category");
  return {
    ...given("title", own("title")),
    ...given("privacyStatus", own("privacyStatus")),
    ...(category === "" ? {} : { category: asNumber(category) }),
  };
}

/** The options that this form has a field for: the others are those of forms of their own. */
export function optionNames({ platform }: Pick<ChannelState, "platform">): readonly Option[] {
  return hasOwnForm(platform) ? [] : OPTIONS.filter((name) => factsOf(platform).options[name] !== undefined);
}

function optionsFor(fields: Fields, channel: ChannelState): Readonly<Record<string, unknown>> {
  const entries = optionNames(channel).flatMap((name) => {
    const value = firstOf(fields, ofChannel(`options.${name}`, channel));
    return value === "" ? [] : [[name, readOption(name, value)] as const];
  });
  return Object.fromEntries(entries);
}

function readOption(name: Option, value: string): unknown {
  const { takes } = OPTION_SHAPES[name];
  if (takes === "integer") return asNumber(value);
  if (takes === "boolean") return value === "true";
  return takes === "array of strings" ? value.split(/[\s,]+/).filter((one) => one !== "") : value;
}

/** Other text stays as it is, and the schema refuses it. */
export const asNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text);
