import type { Checked, Warning } from "../core/checks.ts";
import type { AccountAttributes, LimitScope } from "./context.ts";
import type { Declared } from "./declarations.ts";
import type { MediaKind } from "./media-kinds.ts";
import type { PostType } from "./names.ts";
import type { PostOptions } from "./options.ts";

/** A media file as probed: its type is read from its bytes, never from its name. */
export interface MediaFile {
  /** As the user sent it. */
  readonly url: string;
  readonly kind: MediaKind;
  /** For example `image/jpeg`, `video/mp4`. */
  readonly mime: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  /** How a video is encoded; absent for pictures and for containers whose tracks are not read. */
  readonly encoding?: VideoEncoding | undefined;
  /** How a picture is stored; absent if nothing about it is unusual. */
  readonly picture?: PictureFacts | undefined;
  /** Pages or slides of a document; null if they could not be counted, absent for other files. */
  readonly pages?: number | null | undefined;
  /** Whether the frames of an MP4 or QuickTime file are in fragments; absent if they are not. */
  readonly isFragmented?: boolean | undefined;
  /** Whether a GIF has several pictures; absent if it has one, and for other formats. */
  readonly isMoving?: boolean | undefined;
}

/** What decoders must heed, and some platforms do not. */
export interface PictureFacts {
  /** Colors for print. */
  readonly isCmyk: boolean;
  /** EXIF turns or mirrors the stored pixels. */
  readonly isTurned: boolean;
  readonly isAnimated: boolean;
}

/** How chroma is sampled; 4:0:0 is gray. */
export type Chroma = "4:0:0" | "4:2:0" | "4:2:2" | "4:4:4";

/** The encoding that a video's header declares. Null means unknown. */
export interface VideoEncoding {
  /** The common name, such as "H.264"; the container's own code for a codec without one. */
  readonly codec: string | null;
  /** Such as "High 4:2:2". */
  readonly profile: string | null;
  readonly chroma: Chroma | null;
  readonly bitDepth: number | null;
  /** The transfer function of a video with a high dynamic range; null for any other. */
  readonly hdr: "PQ" | "HLG" | null;
  /** Frames a second, on average. */
  readonly fps: number | null;
  /**
   * The slowest and the fastest rate that more than a few frames have. They differ if the rate is variable.
   */
  readonly minFps: number | null;
  readonly maxFps: number | null;
  /** The first audio track; null without one. */
  readonly audio: AudioEncoding | null;
}

export interface AudioEncoding {
  readonly codec: string;
  readonly channels: number | null;
  readonly hz: number | null;
}

/** A file at its position in an item. */
export interface Media extends MediaFile {
  /**
   * The address from which a platform fetches the file: public, and unchanged until the post is live. It must
   * be the user's own address (media/address.ts). In development it may be a loopback address, which the
   * sandbox reaches. If a platform fetches from verified domains only, it is the address of our copy.
   */
  readonly publicUrl: string;
  /** The description for people who cannot see the file; null without one. */
  readonly altText: string | null;
}

/** Rules by post type; a type that is absent cannot be posted here. */
export type PostRules = Readonly<Partial<Record<PostType, TypeRules>>>;

export interface TypeRules {
  readonly text: TextRules;
  /** Rules of the title in `post_extra`; absent if no title is shown. */
  readonly title?: TextRules;
  /** The allowed values of `privacyStatus` in `post_extra`; absent if it does not apply to such a post. */
  readonly privacy?: readonly ("public" | "private" | "unlisted")[];
  readonly media: MediaCountRules;
  readonly files: Readonly<Partial<Record<MediaKind, FileRules>>>;
  /** Number of items of a thread; `{ min: 1, max: 1 }` for other posts. */
  readonly items: { readonly min: number; readonly max: number };
  /** Rules for the picture of `options.cover_url`; absent if there is none. */
  readonly cover?: FileRules;
  /** Values that the platform refuses together; absent if there are none. */
  readonly conflicts?: (wanted: WantedSettings) => readonly SettingProblem[];
  /** Warnings about settings that the platform expects a person to choose; absent if there are none. */
  readonly advice?: (wanted: WantedSettings) => readonly Warning[];
}

/** The settings of a post beside texts and files. */
export interface WantedSettings {
  readonly privacyStatus?: "public" | "private" | "unlisted" | undefined;
  readonly declared: Declared;
  readonly options: PostOptions;
  /** How many files it has. */
  readonly files: number;
}

export interface SettingProblem extends Checked {
  readonly field: string;
}

export interface TextRules {
  readonly max: number;
  /** Length as the platform counts it. */
  readonly measure: (text: string) => number;
  /** Word for the unit in messages: "characters", "weighted characters". */
  readonly unit: string;
  /** Further limits that depend on the text alone, worded to follow its name ("must …"); empty if valid. */
  readonly problems?: (text: string) => readonly Checked[];
  /** Further limits of an item of a thread of several: half a thread cannot be taken back. */
  readonly itemProblems?: (text: string) => readonly Checked[];
  /** What the platform may refuse, worded to follow the text's name ("has …"); empty if nothing. */
  readonly warnings?: (text: string) => readonly Checked[];
  /** What `problems` rejects, in the same words: for readers of the rules. */
  readonly also?: readonly string[];
}

/**
 * How many acts are allowed in a period, if the platform documents a number. Limits in its answers take
 * precedence.
 */
export interface Quota {
  readonly of: "posts" | "replies" | "reels" | "uploads" | "deletions" | "comments" | "messages" | "calls" | "units";
  readonly most: number;
  readonly perSeconds: number;
  readonly scope: LimitScope;
}

/** A kind of account whose rules differ from those of an unknown account. */
export interface AccountKind {
  /** Completes "For …". */
  readonly says: string;
  readonly attributes: AccountAttributes;
}

export interface MediaCountRules {
  readonly min: number;
  readonly max: number;
  /** The maximum number of each kind in one item; a kind that is absent is not allowed. */
  readonly of: Readonly<Partial<Record<MediaKind, number>>>;
  /** Kinds that cannot share an item with another kind. */
  readonly alone: readonly MediaKind[];
}

export interface FileRules {
  readonly mimes: readonly string[];
  /**
   * The platform fetches such a file itself, and only from domains that our app has verified: its `publicUrl`
   * must be the address of our copy. Absent if the user's own address works, or the bytes are sent.
   */
  readonly pulledFrom?: "verified_domain";
  readonly minBytes?: number;
  readonly maxBytes: number;
  /** UTF-16 units; absent if the platform takes no alt text for such a file. */
  readonly maxAltText?: number;
  readonly minSeconds?: number;
  readonly maxSeconds?: number;
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** Of the shorter side, whichever it is. */
  readonly maxShortSide?: number;
  /** The platform shows the first picture of an animation only. */
  readonly standsStill?: boolean;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
  /** The platform shows the stored pixels, as if EXIF did not turn them. */
  readonly ignoresTurn?: boolean;
  /** The platform itself scales wider pictures down to this width. A copy that we make has it already. */
  readonly shownWidth?: number;
  /** What every server of the platform takes; a copy that we make has no more. */
  readonly copyBytes?: number;
  /** Of a document. */
  readonly maxPages?: number;
  /** The encodings that the platform documents; absent if it documents none. */
  readonly encoding?: EncodingRules;
}

/**
 * What a platform documents of the encoding of videos. A value outside is refused; where nothing is
 * documented, an unusual value is a warning (media/encoding-check.ts).
 */
export interface EncodingRules {
  readonly codecs?: readonly string[];
  /** `warned`: the list names examples, so another codec is a warning. */
  readonly others?: "refused" | "warned";
  readonly chroma?: readonly Chroma[];
  readonly maxBitDepth?: number;
  /** Whether a high dynamic range is documented. */
  readonly takesHdr?: boolean;
  readonly minFps?: number;
  readonly maxFps?: number;
  readonly audioCodecs?: readonly string[];
  readonly maxChannels?: number;
  readonly maxHz?: number;
}
