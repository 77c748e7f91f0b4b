import { DAY } from "../core/time.ts";
import type { QueueName } from "../jobs/messages.ts";
import type { Config } from "../service/config.ts";
import type { ThreadItem } from "./stored.ts";

/** The kinds of jobs and recurring tasks about posts: names, queues and limits, for those who open them. */
export const PUBLISH = "publish";
export const UNPUBLISH = "unpublish";
export const FIRST_COMMENT = "first_comment";
export const PERMALINK = "permalink";

/** How long after its time a post may still go out, in milliseconds. */
export const publishLimitMs = ({ publishDeadlineMs }: Pick<Config, "publishDeadlineMs">): number => publishDeadlineMs;

/** How long a deleted post is tried to be taken down; a reconnection of its channel starts that anew. */
export const REMOVAL_LIMIT_MS = DAY;

/** How long a first comment is tried: one that comes a day late is hardly the first. */
export const FIRST_COMMENT_LIMIT_MS = DAY;

/** Posts with files are slow and heavy: they go their own way. */
export function publishQueue({
  mediaUrls,
  thread,
}: {
  readonly mediaUrls: readonly string[];
  readonly thread: readonly ThreadItem[];
}): QueueName {
  return mediaUrls.length > 0 || thread.some((item) => item.mediaUrls.length > 0) ? "media" : "publish";
}
