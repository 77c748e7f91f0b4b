import { DAY } from "../core/time.ts";
import type { QueueName } from "../jobs/messages.ts";
import type { Config } from "../service/config.ts";
import type { ThreadItem } from "./stored.ts";

/**
 * The kinds of jobs and recurring tasks of posts, with their queues and limits, for the features that open
 * them.
 */
export const PUBLISH = "publish";
export const UNPUBLISH = "unpublish";
export const FIRST_COMMENT = "first_comment";
export const PERMALINK = "permalink";

/** How long after its time a post may still be published, in milliseconds. */
export const publishLimitMs = ({ publishDeadlineMs }: Pick<Config, "publishDeadlineMs">): number => publishDeadlineMs;

/**
 * How long the deletion of a post at its platform is retried; a reconnection of its channel starts this
 * again.
 */
export const REMOVAL_LIMIT_MS = DAY;

/** How long a first comment is retried: a comment that is a day late is no first comment. */
export const FIRST_COMMENT_LIMIT_MS = DAY;

/** Posts with files are slow and large, so they have their own queue. */
export function publishQueue({
  mediaUrls,
  thread,
}: {
  readonly mediaUrls: readonly string[];
  readonly thread: readonly ThreadItem[];
}): QueueName {
  return mediaUrls.length > 0 || thread.some((item) => item.mediaUrls.length > 0) ? "media" : "publish";
}
