import type { AccountContext, Duplicate, Failure, Unknown } from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/** Comments of a channel under its own live posts: one public act each, made at most once by the job that calls it. */
export interface Commenting {
  /** Of the posts that can be commented on. */
  readonly types: readonly PostType[];
  readonly text: TextRules;
  /** How late the platform may show a comment that it has accepted. Nothing is sent again before that. */
  readonly lagSeconds: number;
  create(context: AccountContext, post: PlatformPost, text: string): Promise<CommentOutcome>;
  /** Only reads. */
  find(context: AccountContext, post: PlatformPost, request: FindComment): Promise<FindCommentOutcome>;
}

export interface FindComment {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
}

export type CommentOutcome = { readonly kind: "published"; readonly id: string } | Unknown | Duplicate | Failure;

export type FindCommentOutcome =
  | { readonly kind: "found"; readonly id: string }
  /** Not there, as far as the platform shows by now. */
  | { readonly kind: "absent" }
  /** Cannot tell: not all was seen. */
  | Unknown
  | Failure;
