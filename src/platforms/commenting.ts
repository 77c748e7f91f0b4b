import type {
  AccountAttributes,
  AccountContext,
  Duplicate,
  Failure,
  Json,
  Pace,
  Unknown,
  Unprepared,
  Unreadable,
} from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost, PostExtra, PrepareOutcome, RemoveOutcome } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/**
 * Comments of a channel: under its own live posts, and in reply to other people's comments there. Each is one
 * public act, made at most once by the calling job.
 */
export interface Commenting {
  /** The post types that can have comments. */
  readonly types: readonly PostType[];
  readonly text: (attributes: AccountAttributes) => TextRules;
  /** How late the platform may show a comment that it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** The account's allowance that a comment counts against, if comments have none of their own. */
  readonly allowance?: "publish";
  /**
   * How many replies to others may be written in a period, even if the platform allows more: steady replies
   * avoid a ban.
   */
  readonly pace: Pace;
  /**
   * Preparation that must complete before `create`: may be repeated, and is not visible to others. Absent if
   * `create` needs nothing.
   */
  prepare?(
    context: AccountContext,
    target: CommentTarget,
    text: string,
    progress: Json | null,
  ): Promise<PrepareOutcome>;
  /** `progress` is the progress of `prepare`, null without it. */
  create(context: AccountContext, target: CommentTarget, text: string, progress: Json): Promise<CommentOutcome>;
  /** Only reads. */
  find(context: AccountContext, target: CommentTarget, request: FindComment): Promise<FindCommentOutcome>;
  /**
   * Deletes a comment; absent if comments are deleted with their post. If it is already deleted, the result
   * is `removed`.
   */
  remove?(context: AccountContext, commentId: string): Promise<RemoveOutcome>;
  /** Reading other people's comments; absent if they cannot be read. */
  readonly reading?: CommentReading;
  /** What may be done with them. */
  readonly acts: CommentActs;
}

/** An act that sets a value, so it may be repeated; `isOn` false takes it back. */
export type CommentAct = (
  context: AccountContext,
  comment: ModeratedComment,
  isOn: boolean,
) => Promise<{ readonly kind: "done" } | Failure>;

/** Each act, or the sentence that says why the platform has none. */
export interface CommentActs {
  /** Whether others see it. */
  readonly hide: CommentAct | string;
  readonly like: CommentAct | string;
  /** Deletes it for good. If it is already deleted, the result is `done`. */
  readonly remove: CommentAct | string;
  /** Why only comments on the post itself can be hidden; absent if others can be too. */
  readonly hidesTopLevelOnly?: string;
}
export type CommentActName = "hide" | "like" | "remove";

/** Another person's comment under a post of the account. */
export interface ModeratedComment {
  readonly id: string;
  readonly post: PlatformPost;
}

/** Why the act is not possible with such a comment; null if it is. */
export function whyNotOffered(
  { acts }: Pick<Commenting, "acts">,
  name: CommentActName,
  { isTopLevel }: { readonly isTopLevel: boolean },
): string | null {
  const act = acts[name];
  if (typeof act === "string") return act;
  return name === "hide" && !isTopLevel ? (acts.hidesTopLevelOnly ?? null) : null;
}

/**
 * The target of a comment: a post of the account (for a thread, its first item), or another person's comment
 * there.
 */
export interface CommentTarget {
  readonly post: PlatformPost;
  readonly comment: AnsweredComment | null;
}

/** Another person's comment, with the fields that a reply needs. */
export interface AnsweredComment {
  readonly id: string;
  /** Null if the platform does not show the author. */
  readonly author: CommentAuthor | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface CommentAuthor {
  readonly id: string;
  /** As the platform displays it, without an `@`; null if only the id is known. */
  readonly name: string | null;
}

export interface CommentReading {
  /**
   * How late the platform shows other people's comments, in seconds; absent if it shows them at once. With a
   * lag, comments are polled more often.
   */
  readonly lagSeconds?: number;
  /**
   * How much of a shared allowance reading may use, and whose allowance it is. Absent if read calls are
   * plentiful.
   */
  readonly budget?: Pace;
  /**
   * Whether pages begin with the newest comment: reading then stops at known comments. Otherwise all pages
   * are read.
   */
  readonly isNewestFirst: boolean;
  /**
   * One page, by one call. `posts` are the live items of one post of the account: more than one only for a
   * thread.
   */
  list(context: AccountContext, posts: readonly PlatformPost[], request: ListComments): Promise<CommentPage | Failure>;
  /** Absent if each post needs a call of its own. */
  readonly several?: SharedReading;
}

/** The newest comments under several posts of the account, by one call. */
export interface SharedReading {
  /** The maximum number of posts per call. */
  readonly most: number;
  /** Whether the call covers this post; `extra` is what it was published with. */
  covers(extra: PostExtra | null): boolean;
  list(context: AccountContext, wanted: readonly WantedPost[]): Promise<SharedPage | Failure>;
}

/** One post, by its live items, and the time since which its comments are wanted. */
export interface WantedPost {
  readonly posts: readonly PlatformPost[];
  readonly since: number;
}

export interface SharedPage {
  readonly kind: "page";
  /** For each post, in the order of the request. */
  readonly comments: readonly (readonly ReadComment[])[];
  /** All newer comments are included; comments of this age or older may be missing. */
  readonly wholeAfter: number;
}

export interface ListComments {
  /**
   * The cursor of an earlier page; null for the first page. Cursors are kept for hours, so comments may
   * appear and disappear in between.
   */
  readonly cursor: string | null;
  /** Epoch milliseconds: older comments need not be listed. */
  readonly since: number;
}

export interface CommentPage {
  readonly kind: "page";
  readonly comments: readonly ReadComment[];
  /** The cursor of the next page; null at the end of the list. */
  readonly next: string | null;
}

/** A comment under a post of the account, by another person or by the account itself. */
export interface ReadComment extends AnsweredComment {
  readonly text: string;
  /** Whether it replies to the post itself, not to another comment. */
  readonly isTopLevel: boolean;
  /** Whether the account itself wrote it; null if the platform does not show that. */
  readonly isOwn: boolean | null;
}

export interface FindComment {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /**
   * Ids of our other posts and comments, such as the further items of a thread: never to be adopted as the
   * comment.
   */
  readonly taken: ReadonlySet<string>;
  /** The progress of `prepare`; null without it. */
  readonly progress: Json;
}

export type CommentOutcome =
  | { readonly kind: "published"; readonly id: string }
  | Unprepared
  | Unknown
  | Duplicate
  | Failure;

export type FindCommentOutcome =
  | { readonly kind: "found"; readonly id: string }
  /** Does not exist, as far as the platform shows now. */
  | { readonly kind: "absent" }
  /** Unknown: not all comments were seen. */
  | Unknown
  | Unreadable
  | Failure;
