import type { Declared } from "../declarations.ts";
import type { Content } from "../publishing.ts";
import type { PostSettings } from "./creator.ts";

/** The fields of a post beside its files, in TikTok's format. */

/** What the caller says of the post. */
type Said = Pick<Content, "declared" | "options"> & { readonly text: string };

export const postInfo = {
  video: ({ text, declared, options }: Said, { privacy, noComments, noDuets, noStitches }: PostSettings) => ({
    title: text,
    privacy_level: privacy,
    disable_comment: noComments,
    disable_duet: noDuets,
    disable_stitch: noStitches,
    ...brands(declared),
    is_aigc: declared.made_with_ai ?? false,
    ...(options.cover_ms === undefined ? {} : { video_cover_timestamp_ms: options.cover_ms }),
  }),
  /** The caption is the description; a title stands above it. */
  photos: ({ text, declared, options }: Said, { privacy, noComments }: PostSettings) => ({
    ...(options.title === undefined ? {} : { title: options.title }),
    description: text,
    privacy_level: privacy,
    disable_comment: noComments,
    auto_add_music: true,
    ...brands(declared),
  }),
};

function brands({ paid_partnership = false, own_brand = false }: Declared) {
  return { brand_content_toggle: paid_partnership, brand_organic_toggle: own_brand };
}
