import { type Channel, selectChannels } from "../../channels/store.ts";
import type { AppError } from "../../core/errors.ts";
import { type ChannelId, idOf, type ProjectId } from "../../core/ids.ts";
import { parseHashtags, withHashtags } from "../../core/text.ts";
import type { Db } from "../../db/client.ts";
import { POST_TYPES } from "../../platforms/names.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { readItem } from "../many/item-schema.ts";
import type { CreatePostBody } from "../schema.ts";
import type { EntryValues } from "./entry-values.ts";
import { fillTemplate, fitCaption } from "./fill-template.ts";
import type { Feed } from "./store.ts";
import type { Template } from "./table.ts";

/** The channels that the templates name. */
export async function channelsOf(db: Db, projectId: ProjectId, posts: readonly Template[]) {
  const ids = posts.flatMap(({ channel_id: id }) => (typeof id === "number" ? [idOf<ChannelId>(id)] : []));
  const channels = ids.length > 0 ? await selectChannels(db, projectId, ids) : [];
  return new Map<unknown, Channel>(channels.map((channel) => [channel.id, channel]));
}

/** The posts of an entry, as create-post reads them, or its refusals. */
export function entryPosts(
  { posts, publishMode }: Pick<Feed, "posts" | "publishMode">,
  values: EntryValues,
  channels: ReadonlyMap<unknown, Channel>,
): readonly (CreatePostBody | AppError)[] {
  return posts.map((template) => {
    const filled = fillTemplate(template, values);
    const caption = captionOf(template, values, channels.get(template.channel_id));
    const when = { publish_mode: publishMode, schedule_time: null };
    return readItem({ ...filled, ...(caption === null ? {} : { caption_text: caption }) }, when).body;
  });
}

/** Null where nothing is to be shortened. */
function captionOf(template: Template, values: EntryValues, channel: Channel | undefined): string | null {
  const { caption_text: text, hash_tags: tags, post_type: type } = template;
  const postType = POST_TYPES.find((one) => one === type);
  if (typeof text !== "string" || !channel || postType === undefined) return null;
  const rules = findPlatform(channel.platform)?.rules(channel.attributes)[postType]?.text;
  if (!rules) return null;
  const hashTags = typeof tags === "string" ? parseHashtags(tags).tags : [];
  return fitCaption(text, values, (caption) => {
    const whole = withHashtags(caption, hashTags);
    return rules.measure(whole) <= rules.max && (rules.warnings?.(whole) ?? []).length === 0;
  });
}
