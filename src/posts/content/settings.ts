import type { LeftOut } from "../../media/check.ts";
import type { PostType } from "../../platforms/names.ts";
import type { Content, ContentItem } from "../../platforms/publishing.ts";
import type { OfAccount } from "./carried-fields.ts";
import type { PostContent } from "./content.ts";
import { declarationsLeftOut, sentDeclarations } from "./declared.ts";
import { optionsLeftOut, sentOptions } from "./options.ts";

/** The declarations and options of a post together. */
type Settings = Pick<PostContent, "declared" | "hasGeneratedMedia" | "options">;

/** Those that are sent. */
export function sentSettings(
  post: Settings,
  channel: OfAccount,
  type: PostType,
): Pick<Content, "declared" | "options"> {
  return { declared: sentDeclarations(post, channel, type), options: sentOptions(post.options, channel, type) };
}

/** Those that such a post does not carry. Without `items` the kinds of its files are unknown. */
export function settingsLeftOut(
  post: Settings,
  channel: OfAccount,
  type: PostType,
  items: readonly Pick<ContentItem, "media">[] = [],
): readonly LeftOut[] {
  return [...declarationsLeftOut(post, channel, type, items), ...optionsLeftOut(post.options, channel, type, items)];
}
