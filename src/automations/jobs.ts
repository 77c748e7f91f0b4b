import { DAY, HOUR, SECOND } from "../core/time.ts";

/**
 * The kinds of jobs and recurring tasks of comments, with their time limits, for the features that open them.
 */

/** Answers one comment for one automation: `reply:<reply id>`. */
export const REPLY = "reply";
/** Polls for new comments under one post: `comments:<post id>`. */
export const COMMENTS = "comments";
/** Starts polling the posts of one automation: `enroll:<automation id>`. */
export const BACKFILL_WATCHES = "enroll";
/** Cancels waiting answers that must not be sent any more: `drop:<automation, post or channel>:<id>`. */
export const CANCEL_REPLIES = "drop";

/** How long an answer may wait, whatever it waits for. */
export const REPLY_LIMIT_MS = DAY;
/** Comments that are found later than this after they were written are not answered. */
export const ANSWERABLE_MS = 7 * DAY;
/** Older comments are not even stored: rows of comments are kept longer. */
export const RECORDED_MS = 30 * DAY;
/** Platforms date comments by their own clocks. */
export const CLOCK_SLACK_MS = 2 * SECOND;

/**
 * The intervals of polls: right after something happened, for comments that are shown late, at most, and as a
 * safety net. The shortest is a little less than a minute, so that the next sweep finds it due.
 */
export const WATCH_INTERVAL = { minMs: 50 * SECOND, lateMs: 30 * SECOND, maxMs: 6 * HOUR, netMs: DAY } as const;

/** The group of a channel's polls (`recurring.group_key`). */
export const WATCH_GROUP = "channel:";
export const watchGroup = (channelId: number): string => `${WATCH_GROUP}${channelId}`;
