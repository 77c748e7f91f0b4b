import type { Warning } from "../../core/checks.ts";
import type { PostType } from "../../platforms/names.ts";
import type { PostOptions } from "../../platforms/options.ts";
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
  const sent = sentOptions(post.options, channel, type);
  const { options } = post;
  return [
    ...declarationsLeftOut(post, channel, type, kinds),
    ...optionsLeftOut(options, channel, type, kinds).filter(({ field }) => !isTitleOfDocument(field, sent, kinds)),
  ];
}

/** Pictures that become one document have its title. */
function isTitleOfDocument(field: string, { document }: PostOptions, kinds: readonly FileKind[]): boolean {
  return field === "options.title" && document === true && kinds.every(({ kind }) => kind === "image" || kind === null);
}
