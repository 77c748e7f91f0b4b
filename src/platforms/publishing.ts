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
import type { FilePart } from "./multipart.ts";
import type { PostType } from "./names.ts";
import type { Media, MediaFile } from "./rules.ts";

export interface Content {
  readonly type: PostType;
  /** One item, or the items of a thread in order. Hashtags are already part of the text. */
  readonly items: readonly ContentItem[];
  /** What youtube asks for beside text and media; null where the request had none. */
  readonly extra: PostExtra | null;
  /** The bytes [start, end) of a media file, by the guarded request: to be sent on, once; or why not. */
  readonly read: (media: MediaFile, start: number, end: number) => Promise<FilePart | Failure>;
}

export interface ContentItem {
  readonly text: string;
  readonly media: readonly Media[];
}

/** `post_extra` of create-post (spec 4.4): a title where youtube is posted to, else whatever was sent. */
export interface PostExtra {
  readonly title?: string | undefined;
  /** One of youtube's category ids. */
  readonly category: number;
  readonly privacyStatus: "public" | "private" | "unlisted";
}

/** A post at the platform. `id` is what comments and boosts use. */
export interface PlatformPost {
  readonly id: string;
  /**
   * A second id of the same thing, where the platform has one that some of its calls want: facebook's video
   * beside the post that shows it, LinkedIn's activity beside its share.
   */
  readonly secondaryId: string | null;
  /** Null until the platform tells it (`Permalinks`). */
  readonly permalink: string | null;
}

/** One public act: item `index` of the content, after `previous` (the items of the thread that are live). */
export interface Commit {
  readonly index: number;
  readonly previous: readonly PlatformPost[];
}

export interface FindRequest extends Commit {
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /**
   * Platform ids that belong to other posts made through this service, on this account: never to be adopted.
   */
  readonly taken: ReadonlySet<string>;
}

/** An item that the platform has accepted and that was not seen live yet. */
export interface Accepted {
  readonly index: number;
  readonly post: PlatformPost;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
}

export type PrepareOutcome =
  /**
   * One bounded thing was done, or must be waited for; store `progress` and call again, after `afterSeconds`
   * if given.
   */
  | { readonly kind: "more"; readonly progress: Json; readonly afterSeconds?: number; readonly reason?: string }
  | { readonly kind: "ready"; readonly progress: Json }
  | Failure;

export type CommitOutcome =
  | { readonly kind: "published"; readonly post: PlatformPost }
  /** Accepted, but not live yet: ask `confirm`. */
  | { readonly kind: "accepted"; readonly post: PlatformPost; readonly afterSeconds: number }
  | Unprepared
  | Unknown
  | Duplicate
  | Failure;

export type ConfirmOutcome =
  | { readonly kind: "live"; readonly post: PlatformPost }
  | { readonly kind: "processing"; readonly afterSeconds: number }
  /** The platform says that it will never be live by itself: the sentence says why, and what to do. */
  | {
      readonly kind: "broken";
      readonly code: SaidCode | "platform_rejected";
      readonly message: string;
      readonly answer?: RawAnswer | undefined;
    }
  /** The reading failed, whatever its reason: nothing is known of the item. */
  | Failure;

export type FindOutcome =
  | { readonly kind: "found"; readonly post: PlatformPost }
  /**
   * Not there, as far as the platform shows by now. The caller looks again until `lists.lagSeconds` have
   * passed.
   */
  | { readonly kind: "absent" }
  /**
   * Cannot tell, now: not all was seen, or something is there that may be ours, altered. Never sent again on
   * that.
   */
  | Unknown
  | Unreadable
  | Failure;

export type PermalinkOutcome =
  /**
   * The post as it is known by now: with the address may come another id, as from TikTok after its
   * moderation.
   */
  | { readonly kind: "told"; readonly post: PlatformPost & { readonly permalink: string } }
  | { readonly kind: "not_yet" }
  | Failure;

/**
 * When the platform tells the address of a live post, for those that it did not tell with the post itself.
 */
export type Permalinks =
  /** Within seconds: publishing asks a few times, and does without it where that is in vain. */
  | { readonly told: "at_once"; readonly read: ReadPermalink }
  /**
   * Perhaps hours later, or not at all: the post is published without it, and it is asked for so long
   * afterwards.
   */
  | { readonly told: "later"; readonly forSeconds: number; readonly read: ReadPermalink }
  | { readonly told: "never" };

export type ReadPermalink = (context: AccountContext, post: PlatformPost) => Promise<PermalinkOutcome>;

export type RemoveOutcome = { readonly kind: "removed" } | Failure;

/** How far a look-up that finds nothing can be trusted. */
export interface Lists {
  /**
   * How late the platform may show what it has accepted. Nothing is sent again before that, unless it is
   * protected.
   */
  readonly lagSeconds: number;
  /**
   * After how long it usually shows what it has carried out and refused all the same: a refusal is held
   * against that once more then, and before the act is tried again.
   */
  readonly usualLagSeconds: number;
  /** Whether the platform itself refuses this item when it is there already, however its lists lag. */
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
   * How many steps of `prepare` the platform allows in a time; `isCounted` says whether the next one counts.
   * Absent where only uploads themselves are limited.
   */
  readonly preparations?: {
    readonly pace: Pace;
    isCounted(content: Content, progress: Json | null): boolean;
  };
  /**
   * Makes one item ready to be committed, where that needs the items before it to be live; absent where
   * `prepare` does it all. May be repeated, and changes nothing that anybody sees. Not called while it is
   * open whether the item is up. Progress that it gives back as it got it is not stored anew.
   */
  stage?(context: AccountContext, content: Content, progress: Json, item: Commit): Promise<PrepareOutcome>;
  commit(context: AccountContext, content: Content, progress: Json, commit: Commit): Promise<CommitOutcome>;
  /**
   * How many bytes of a file `commit` itself sends; absent where it sends none. Its time limit depends on
   * them.
   */
  commitBytes?(content: Content, progress: Json): number;
  confirm(context: AccountContext, content: Content, progress: Json, accepted: Accepted): Promise<ConfirmOutcome>;
  find(context: AccountContext, content: Content, progress: Json, request: FindRequest): Promise<FindOutcome>;
  readonly permalink: Permalinks;
  /** Absent where the platform has no such call. Removing what is gone already is `removed`. */
  remove?(context: AccountContext, type: PostType, post: PlatformPost): Promise<RemoveOutcome>;
}
