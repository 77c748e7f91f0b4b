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
 * Comments of a channel: under its own live posts, and in answer to what others wrote there. One public act
 * each, made at most once by the job that calls it.
 */
export interface Commenting {
  /** Of the posts that can be commented on. */
  readonly types: readonly PostType[];
  readonly text: (attributes: AccountAttributes) => TextRules;
  /** How late the platform may show a comment that it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** By which of the account's allowances a comment goes, where not by one of its own. */
  readonly allowance?: "publish";
  /**
   * How many answers to others may be written in a time, whatever the platform would still take: paced, not
   * banned.
   */
  readonly pace: Pace;
  /**
   * What has to be waited for before: may be repeated, and nobody sees it. Absent where `create` needs
   * nothing.
   */
  prepare?(
    context: AccountContext,
    target: CommentTarget,
    text: string,
    progress: Json | null,
  ): Promise<PrepareOutcome>;
  /** `progress` is what `prepare` has reached, null without it. */
  create(context: AccountContext, target: CommentTarget, text: string, progress: Json): Promise<CommentOutcome>;
  /** Only reads. */
  find(context: AccountContext, target: CommentTarget, request: FindComment): Promise<FindCommentOutcome>;
  /**
   * Takes a comment down; absent where comments go with their post. Removing what is gone already is
   * `removed`.
   */
  remove?(context: AccountContext, commentId: string): Promise<RemoveOutcome>;
  /** What others write; absent where it cannot be read. */
  readonly reading?: CommentReading;
}

/**
 * Under what a comment is written: a post of the account (of a thread its first item), or somebody's comment
 * there.
 */
export interface CommentTarget {
  readonly post: PlatformPost;
  readonly comment: AnsweredComment | null;
}

/** Somebody's comment, as far as answering it needs. */
export interface AnsweredComment {
  readonly id: string;
  /** Null where the platform does not show who wrote it. */
  readonly author: CommentAuthor | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface CommentAuthor {
  readonly id: string;
  /** As people see it, without an `@`; null where only the id is told. */
  readonly name: string | null;
}

export interface CommentReading {
  /**
   * How late the platform shows what others write, seconds; absent where it does so at once. Then it is
   * looked at more often.
   */
  readonly lagSeconds?: number;
  /**
   * How much of an allowance that other things need too may go into reading, and whose it is; absent where
   * calls to read are plenty.
   */
  readonly budget?: Pace;
  /**
   * Whether pages begin with the newest: then reading ends where what is older is known. Else all pages are
   * read.
   */
  readonly isNewestFirst: boolean;
  /**
   * One page, by one call. `posts` are the live items of one post of the account: more than one of a thread
   * only.
   */
  list(context: AccountContext, posts: readonly PlatformPost[], request: ListComments): Promise<CommentPage | Failure>;
  /** Absent where each post is read by a call of its own. */
  readonly several?: SharedReading;
}

/** The newest comments under several posts of the account, by one call. */
export interface SharedReading {
  /** So many posts a call at most. */
  readonly most: number;
  /** Whether the call tells of this post; `extra` is what it was published with. */
  covers(extra: PostExtra | null): boolean;
  list(context: AccountContext, wanted: readonly WantedPost[]): Promise<SharedPage | Failure>;
}

/** One post, by its live items, and since when its comments are wanted. */
export interface WantedPost {
  readonly posts: readonly PlatformPost[];
  readonly since: number;
}

export interface SharedPage {
  readonly kind: "page";
  /** Of each post, in the order asked. */
  readonly comments: readonly (readonly ReadComment[])[];
  /** What is newer is all there; what is as old may be missing. */
  readonly wholeAfter: number;
}

export interface ListComments {
  /**
   * Of an earlier page; null for the first one. Cursors are kept for hours: comments may come and go in
   * between.
   */
  readonly cursor: string | null;
  /** Epoch milliseconds: what is older need not be listed. */
  readonly since: number;
}

export interface CommentPage {
  readonly kind: "page";
  readonly comments: readonly ReadComment[];
  /** To ask for the next page with; null where the list ends. */
  readonly next: string | null;
}

/** A comment under a post of the account: somebody's, or the account's own. */
export interface ReadComment extends AnsweredComment {
  readonly text: string;
  /** Whether it answers the post itself, not another comment. */
  readonly isTopLevel: boolean;
  /** Whether the account itself wrote it; null where that is not shown. */
  readonly isOwn: boolean | null;
}

export interface FindComment {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /**
   * Ids of what else of ours is there, e.g. the further items of a thread: never to be taken for the comment.
   */
  readonly taken: ReadonlySet<string>;
  /** What `prepare` had reached; null without it. */
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
  /** Not there, as far as the platform shows by now. */
  | { readonly kind: "absent" }
  /** Cannot tell: not all was seen. */
  | Unknown
  | Unreadable
  | Failure;
