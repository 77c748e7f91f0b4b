import type { AccountAttributes, LimitScope } from "./context.ts";
import type { PostType } from "./names.ts";

export type MediaKind = "image" | "gif" | "video";

/** A media file as probed: its type is read from its bytes, never from its name. */
export interface MediaFile {
  /** As the user gave it. */
  readonly url: string;
  readonly kind: MediaKind;
  /** e.g. `image/jpeg`, `video/mp4`. */
  readonly mime: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
}

/** A file in its place in an item. */
export interface Media extends MediaFile {
  /**
   * Where a platform gets it that fetches files itself: open to everyone, and unchanged until the post is
   * live. The user's own address, for no other is taken (media/address.ts); in development that may be a
   * loopback one, which the sandbox reaches. Where a platform fetches from verified domains only, the address
   * of a copy of ours belongs here.
   */
  readonly publicUrl: string;
  /** What it shows, for those who cannot see it; null without one. */
  readonly altText: string | null;
}

/** Rules by post type; a type that is absent cannot be posted here. */
export type PostRules = Readonly<Partial<Record<PostType, TypeRules>>>;

export interface TypeRules {
  readonly text: TextRules;
  /** Of the title in `post_extra`; absent where none is shown. */
  readonly title?: TextRules;
  /** What `privacyStatus` of `post_extra` may be; absent where it says nothing of such a post. */
  readonly privacy?: readonly ("public" | "private" | "unlisted")[];
  readonly media: MediaCountRules;
  readonly files: Readonly<Partial<Record<MediaKind, FileRules>>>;
  /** Number of items of a thread; `{ min: 1, max: 1 }` elsewhere. */
  readonly items: { readonly min: number; readonly max: number };
}

export interface TextRules {
  readonly max: number;
  /** Length as the platform counts it. */
  readonly measure: (text: string) => number;
  /** Word for the unit in messages: "characters", "weighted characters". */
  readonly unit: string;
  /** Further limits that the text alone decides, worded to follow its name ("must …"); empty when fine. */
  readonly problems?: (text: string) => readonly string[];
  /** What `problems` refuses, in the same words: for whoever reads the rules. */
  readonly also?: readonly string[];
}

/**
 * How much may be done in a time, where the platform names a number. What it says with its answers goes
 * before this.
 */
export interface Quota {
  readonly of: "posts" | "replies" | "reels" | "uploads" | "deletions" | "comments" | "messages" | "calls" | "units";
  readonly most: number;
  readonly perSeconds: number;
  readonly scope: LimitScope;
}

/** Accounts with other rules than one of which nothing is known. */
export interface AccountKind {
  /** Completes "For …". */
  readonly says: string;
  readonly attributes: AccountAttributes;
}

export interface MediaCountRules {
  readonly min: number;
  readonly max: number;
  /** At most this many of a kind in one item; a kind that is absent is not allowed. */
  readonly of: Readonly<Partial<Record<MediaKind, number>>>;
  /** Kinds that cannot share an item with another kind. */
  readonly alone: readonly MediaKind[];
}

export interface FileRules {
  readonly mimes: readonly string[];
  /**
   * The platform fetches such a file itself, and from domains only that our app has proven to be ours: its
   * `publicUrl` must be the address of a copy of ours. Absent where the user's own address does, or the bytes
   * are sent.
   */
  readonly pulledFrom?: "verified_domain";
  readonly minBytes?: number;
  readonly maxBytes: number;
  /** UTF-16 units; absent where the platform takes no alt text for such a file. */
  readonly maxAltText?: number;
  readonly minSeconds?: number;
  readonly maxSeconds?: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
}
