import type { AccountAttributes, AccountContext, Duplicate, Failure, Unknown } from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost, RemoveOutcome } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/** Comments of a channel under its own live posts: one public act each, made at most once by the job that calls it. */
export interface Commenting {
  /** Of the posts that can be commented on. */
  readonly types: readonly PostType[];
  readonly text: (attributes: AccountAttributes) => TextRules;
  /** How late the platform may show a comment that it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  /** `post` is the first item of a thread. */
  create(context: AccountContext, post: PlatformPost, text: string): Promise<CommentOutcome>;
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
}

export type CommentOutcome = { readonly kind: "published"; readonly id: string } | Unknown | Duplicate | Failure;

export type FindCommentOutcome =
  | { readonly kind: "found"; readonly id: string }
  /** Not there, as far as the platform shows by now. */
  | { readonly kind: "absent" }
  /** Cannot tell: not all was seen. */
  | Unknown
  | Failure;
