import type { Warning } from "../../core/checks.ts";
import type { PostType } from "../../platforms/names.ts";
import type { Content } from "../../platforms/publishing.ts";
import type { OfAccount } from "./carried-fields.ts";
import type { PostContent } from "./content.ts";
import { declarationsLeftOut, sentDeclarations } from "./declared.ts";
import type { FileKind } from "./file-kinds.ts";
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

/** Those that such a post does not carry. */
export function settingsLeftOut(
  post: Settings,
  channel: OfAccount,
  type: PostType,
  kinds: readonly FileKind[],
): readonly Warning[] {
  return [...declarationsLeftOut(post, channel, type, kinds), ...optionsLeftOut(post.options, channel, type, kinds)];
}
