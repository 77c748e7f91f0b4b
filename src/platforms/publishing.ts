import type { RawAnswer } from "../core/failures.ts";
import type {
  AccountContext,
  Duplicate,
  Failure,
  Json,
  Pace,
  SaidCode,
  Unknown,
  Unprepared,
  Unreadable,
} from "./context.ts";
import type { Declaration, Declared } from "./declarations.ts";
import type { FilePart } from "./multipart.ts";
import type { PostType } from "./names.ts";
import type { Option, PostOptions, PrivacyLevel } from "./options.ts";
import type { Media, MediaFile } from "./rules.ts";
import type { UploadPace } from "./uploads.ts";

export interface Content {
  readonly type: PostType;
  /** One item, or the items of a thread in order. Hashtags are already part of the text. */
  readonly items: readonly ContentItem[];
  /** The fields that YouTube requires beside text and media; null if the request had none. */
  readonly extra: PostExtra | null;
  /** Only what the platform has a field for. */
  readonly declared: Declared;
  /** Only what the platform takes in such a post. */
  readonly options: PostOptions;
  /** The picture of `options.cover_url`; null for none. */
  readonly cover: Media | null;
  /**
   * The bytes [start, end) of a media file, read by the guarded request: can be sent once. A failure says why
   * they cannot be read.
   */
  readonly read: (media: MediaFile, start: number, end: number) => Promise<FilePart | Failure>;
  /**
   * What a page says about itself, read by the guarded request, for platforms that do not read links
   * themselves; null if it says nothing or cannot be read. Absent where nothing is published.
   */
  readonly preview?: (url: string) => Promise<LinkPreview | null>;
}

export interface LinkPreview {
  readonly title: string;
  readonly description: string;
  /** The picture of the page, probed; null without a readable one. */
  readonly image: MediaFile | null;
}

export interface ContentItem {
  readonly text: string;
  readonly media: readonly Media[];
}

/** `post_extra` of create-post (spec 4.4): a title when posting to YouTube, else whatever was sent. */
export interface PostExtra {
  readonly title?: string | undefined;
  /** One of YouTube's category ids. */
  readonly category: number;
  readonly privacyStatus: "public" | "private" | "unlisted";
}

/** A post at the platform. `id` is what comments and boosts use. */
export interface PlatformPost {
  readonly id: string;
  /**
   * A second id of the same post, if some of the platform's calls need one: Facebook's video beside the post
   * that shows it, LinkedIn's activity beside its share.
   */
  readonly secondaryId: string | null;
  /** Null until the platform reports it (`Permalinks`). */
  readonly permalink: string | null;
}

/** One public act: item `index` of the content, after `previous` (the items of the thread that are live). */
export interface Commit {
  readonly index: number;
  readonly previous: readonly PlatformPost[];
  /** Keeps the progress of calls before the public one, in case that one does not succeed. */
  keep?(progress: Json): void;
}

export interface FindRequest extends Commit {
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /**
   * Platform ids that belong to other posts made through this service on this account: never to be adopted.
   */
  readonly taken: ReadonlySet<string>;
}

/** An item that the platform has accepted and that was not confirmed live yet. */
export interface Accepted {
  readonly index: number;
  readonly post: PlatformPost;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
}

export type PrepareOutcome =
  /**
   * One bounded step was done, or must be waited for. Store `progress` and call again, after `afterSeconds`
   * if given. With `repeatableBytes`, several steps may be stored together.
   */
  | ({ readonly kind: "more"; readonly progress: Json } & UploadPace)
  | { readonly kind: "ready"; readonly progress: Json }
  | Failure;

export type CommitOutcome =
  | { readonly kind: "published"; readonly post: PlatformPost }
  /** Accepted, but not live yet: call `confirm`. */
  | { readonly kind: "accepted"; readonly post: PlatformPost; readonly afterSeconds: number }
  | Unprepared
  | Unknown
  | Duplicate
  | Failure;

export type ConfirmOutcome =
  | { readonly kind: "live"; readonly post: PlatformPost }
  | { readonly kind: "processing"; readonly afterSeconds: number }
  /** The platform reports that it will never be live by itself: the sentence says why, and what to do. */
  | {
      readonly kind: "broken";
      readonly code: SaidCode | "platform_rejected";
      readonly message: string;
      readonly answer?: RawAnswer | undefined;
    }
  /** The read failed, whatever its reason: the state of the item is unknown. */
  | Failure;

export type FindOutcome =
  | { readonly kind: "found"; readonly post: PlatformPost }
  /**
   * Does not exist, as far as the platform shows now. The caller looks it up again until `lists.lagSeconds`
   * have passed.
   */
  | { readonly kind: "absent" }
  /** Unknown for now: not all was seen, or an altered item may be ours. Never a reason to send again. */
  | Unknown
  | Unreadable
  | Failure;

export type PermalinkOutcome =
  /** The post as it is known now. With the address may come another id, as from TikTok after moderation. */
  | { readonly kind: "found"; readonly post: PlatformPost & { readonly permalink: string } }
  | { readonly kind: "not_yet" }
  | Failure;

/** When the platform reports the address of a live post, if the post itself came without it. */
export type Permalinks =
  /** Within seconds: publishing reads it a few times, and continues without it if that fails. */
  | { readonly shown: "at_once"; readonly read: ReadPermalink }
  /** Perhaps hours later, or never: the post is published without it. Polling continues for this long. */
  | { readonly shown: "later"; readonly forSeconds: number; readonly read: ReadPermalink }
  | { readonly shown: "never" };

export type ReadPermalink = (context: AccountContext, post: PlatformPost) => Promise<PermalinkOutcome>;

/** What the account can choose when it posts, as the platform says now. */
export interface PostingOptions {
  readonly kind: "options";
  readonly name: string | null;
  readonly username: string | null;
  readonly pictureUrl: string | null;
  readonly privacyLevels: readonly PrivacyLevel[];
  /** Whether others can be allowed to comment, and to make duets and stitches. */
  readonly comments: boolean;
  readonly duets: boolean;
  readonly stitches: boolean;
  readonly maxVideoSeconds: number | null;
}

/** Sentences that a page for posting must show, in the platform's words. */
export interface Disclosures {
  /** The label of a post for the own brand only, and of a paid partnership. */
  readonly ownBrand: string;
  readonly paidPartnership: string;
  /** What a person agrees to by posting, and by posting a paid partnership. */
  readonly consent: LinkedSentence;
  readonly paidConsent: LinkedSentence;
}

interface LinkedSentence {
  readonly text: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** `progress`: what `prepare` returned. */
export type ApplyAfterwards = (
  context: AccountContext,
  content: Content,
  post: PlatformPost,
  progress: Json,
) => Promise<{ readonly kind: "applied" } | Failure>;

export type RemoveOutcome = { readonly kind: "removed" } | Failure;

/** How far a look-up that finds nothing can be trusted. */
export interface Lists {
  /**
   * How late the platform may show what it has accepted. Nothing is sent again before that, unless the
   * platform refuses repeats.
   */
  readonly lagSeconds: number;
  /**
   * The usual delay until the platform shows an act that it carried out despite a refusal. A second look-up
   * follows after it, before the act is tried again.
   */
  readonly usualLagSeconds: number;
  /** Whether the platform itself refuses this item if it already exists, however late its lists are. */
  refusesRepeat(content: Content, index: number): boolean;
}

/**
 * Publishing in steps: `prepare` uploads and may be repeated, `commit` makes one item public and runs once,
 * `confirm` and `find` only read.
 */
export interface Publishing {
  readonly lists: Lists;
  prepare(context: AccountContext, content: Content, progress: Json | null): Promise<PrepareOutcome>;
  /**
   * How many steps of `prepare` the platform allows in a period; `isCounted` says whether the next one
   * counts. Absent if only uploads themselves are limited.
   */
  readonly preparations?: {
    readonly pace: Pace;
    isCounted(content: Content, progress: Json | null): boolean;
  };
  /**
   * Prepares one item for its commit, if that requires the previous items to be live; absent if `prepare`
   * does it all. May be repeated, and changes nothing visible. Not called while it is unknown whether the
   * item is live. Unchanged progress is not stored again.
   */
  stage?(context: AccountContext, content: Content, progress: Json, item: Commit): Promise<PrepareOutcome>;
  commit(context: AccountContext, content: Content, progress: Json, commit: Commit): Promise<CommitOutcome>;
  /**
   * How many bytes of a file `commit` itself sends; absent if it sends none. Its time limit depends on them.
   */
  commitBytes?(content: Content, progress: Json): number;
  confirm(context: AccountContext, content: Content, progress: Json, accepted: Accepted): Promise<ConfirmOutcome>;
  /**
   * Looks up what a commit has created. Without progress (null) nothing is known of the uploads: the item is
   * found by its content.
   */
  find(context: AccountContext, content: Content, progress: Json, request: FindRequest): Promise<FindOutcome>;
  readonly permalink: Permalinks;
  /**
   * What follows for an option or a true declaration once the post is live. It may be repeated, and its
   * failure does not fail the post.
   */
  readonly afterwards?: Readonly<Partial<Record<Option | Declaration, ApplyAfterwards>>>;
  /** Absent if what can be chosen does not depend on the account. */
  postingOptions?(context: AccountContext): Promise<PostingOptions | Failure>;
  /** Present with `postingOptions`. */
  readonly disclosures?: Disclosures;
  /** Absent if the platform has no such call. If the post is already deleted, the result is `removed`. */
  remove?(context: AccountContext, type: PostType, post: PlatformPost): Promise<RemoveOutcome>;
}
