import type { PostSettings } from "./creator.ts";

/**
 * The fields of a post beside its files, in TikTok's format. Nothing is declared as advertising or as
 * AI-generated.
 */
const PLAIN = { brand_content_toggle: false, brand_organic_toggle: false };

export const postInfo = {
  video: (text: string, { privacy, noComments, noDuets, noStitches }: PostSettings) => ({
    title: text,
    privacy_level: privacy,
    disable_comment: noComments,
    disable_duet: noDuets,
    disable_stitch: noStitches,
    ...PLAIN,
    is_aigc: false,
  }),
  /** The caption is the description: a separate title would appear above it. */
  photos: (text: string, { privacy, noComments }: PostSettings) => ({
    description: text,
    privacy_level: privacy,
    disable_comment: noComments,
    auto_add_music: true,
    ...PLAIN,
  }),
};
