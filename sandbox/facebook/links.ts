// Links in posts: a link becomes an attachment with a preview, not a file of the Page.

import type { JsonObject } from "../meta/fields";

const LINK = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/i;
const YOUTUBE = /^(?:www\.|m\.)?(?:youtube\.com|youtu\.be)$/;

/** The first link of a text. */
export const linkIn = (text: string): string | null => LINK.exec(text)?.[0] ?? null;

export function linkAttachment(link: string): JsonObject {
  const host = URL.parse(link)?.host ?? link;
  const isVideo = YOUTUBE.test(host);
  const url = `https://l.facebook.com/l.php?u=${encodeURIComponent(link)}`;
  return {
    media_type: isVideo ? "video" : "link",
    type: isVideo ? "video_share_youtube" : "share",
    target: { url },
    url,
    unshimmed_url: link,
    title: host,
    ...(isVideo ? { media: { source: link } } : {}),
  };
}
