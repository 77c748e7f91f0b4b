import type { AccountAttributes, AccountContext, Duplicate, Failure, Json, Unknown } from "./context.ts";
import type { PostType } from "./names.ts";
import type { CommitOutcome, PlatformPost, PrepareOutcome, RemoveOutcome } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/** Comments of a channel under its own live posts: one public act each, made at most once by the job that calls it. */
export interface Commenting {
  /** Of the posts that can be commented on. */
  readonly types: readonly PostType[];
  readonly text: (attributes: AccountAttributes) => TextRules;
  /** How late the platform may show a comment that it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** By which of the account's allowances a comment goes, where not by one of its own. */
  readonly allowance?: "publish";
  /** What has to be waited for before: may be repeated, and nobody sees it. Absent where `create` needs nothing. */
  prepare?(context: AccountContext, post: PlatformPost, text: string, progress: Json | null): Promise<PrepareOutcome>;
  /** `post` is the first item of a thread; `progress` what `prepare` has reached, null without it. */
  create(context: AccountContext, post: PlatformPost, text: string, progress: Json): Promise<CommentOutcome>;
  /** Only reads. */
  find(context: AccountContext, post: PlatformPost, request: FindComment): Promise<FindCommentOutcome>;
  /** Takes a comment down; absent where comments go with their post. Removing what is gone already is `removed`. */
  remove?(context: AccountContext, commentId: string): Promise<RemoveOutcome>;
}

export interface FindComment {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /** Ids of what else of ours is there, e.g. the further items of a thread: never to be taken for the comment. */
  readonly taken: ReadonlySet<string>;
  /** What `prepare` had reached; null without it. */
  readonly progress: Json;
}

export type CommentOutcome =
  | { readonly kind: "published"; readonly id: string }
  | Extract<CommitOutcome, { readonly kind: "unprepared" }>
  | Unknown
  | Duplicate
  | Failure;

export type FindCommentOutcome =
  | { readonly kind: "found"; readonly id: string }
  /** Not there, as far as the platform shows by now. */
  | { readonly kind: "absent" }
  /** Cannot tell: not all was seen. */
  | Unknown
  | Failure;
