import type { Declared } from "../declarations.ts";
import type { PostSettings } from "./creator.ts";

/** The fields of a post beside its files, in TikTok's format. */

export const postInfo = {
  video: (text: string, declared: Declared, { privacy, noComments, noDuets, noStitches }: PostSettings) => ({
    title: text,
    privacy_level: privacy,
    disable_comment: noComments,
    disable_duet: noDuets,
    disable_stitch: noStitches,
    ...brands(declared),
    is_aigc: declared.made_with_ai ?? false,
  }),
  /** The caption is the description: a separate title would appear above it. */
  photos: (text: string, declared: Declared, { privacy, noComments }: PostSettings) => ({
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
