/** The kinds of files that posts have, as they are read from the bytes. */
export const MEDIA_KINDS = ["image", "gif", "video", "document"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];
