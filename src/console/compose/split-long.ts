import type { ChannelState } from "../../channels/store.ts";
import { threadOfLong } from "../../posts/create/long-text.ts";
import { CreatePostBody } from "../../posts/schema.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { firstOf, inputFor, ofChannel, threadText } from "./compose-form.ts";

/** A text that is too long for a channel, as the thread of that channel in the form. */

/** The items of the thread; null if the text fits one post, or no thread, or the form has other faults. */
export function threadFor(
  { project }: Pick<ProjectVisit, "project">,
  fields: Fields,
  channel: ChannelState,
  isNumbered: boolean,
): readonly string[] | null {
  const body = CreatePostBody.safeParse(inputFor(fields, channel, project.timeZone)).data;
  return body ? threadOfLong(body, channel, isNumbered) : null;
}

/** The form after a press of one of the two buttons: the channel has the text as a thread of its own. */
export function withSplit(visit: ProjectVisit, sent: Fields, channels: readonly ChannelState[]): Fields {
  const { split: _, ...fields } = sent;
  const [id, way] = firstOf(sent, "split").split(".");
  const channel = channels.find((one) => String(one.id) === id);
  const items = channel ? threadFor(visit, fields, channel, way === "numbered") : null;
  if (!channel || items === null) return fields;
  return {
    ...fields,
    [ofChannel("post_type", channel)]: ["thread"],
    [ofChannel("caption_text", channel)]: [threadText(items)],
  };
}
