import { DAY, HOUR, SECOND } from "../core/time.ts";

/** The kinds of jobs and recurring tasks about comments: names and times, for those who open them. */

/** Answers one comment for one automation: `reply:<reply id>`. */
export const REPLY = "reply";
/** Looks for new comments under one post: `comments:<post id>`. */
export const COMMENTS = "comments";
/** Begins to watch the posts of one automation: `enroll:<automation id>`. */
export const ENROLL = "enroll";
/** Ends what waits to be answered and is not to be any more: `drop:<automation, post or channel>:<id>`. */
export const DROP = "drop";

/** How long after its time a comment may still be answered, whatever it waits for. */
export const REPLY_LIMIT_MS = DAY;
/** Comments that come to light later are not answered any more. */
export const ANSWERABLE_MS = 7 * DAY;
/**
 * What is older than this when it is first seen is not even recorded: rows of comments are kept longer
 * (`COMMENT_LIFE_MS`).
 */
export const RECORDED_MS = 30 * DAY;
export const COMMENT_LIFE_MS = 60 * DAY;
/** Platforms date comments by their own clocks. */
export const CLOCK_SLACK_MS = 2 * SECOND;

/**
 * How often a post is polled: while something has just happened there, at the seldomest, and where polls are
 * a safety net. A little less than a minute, since the sweep of the next minute is to find it due; the sooner
 * one does not wait for that.
 */
export const WATCH_INTERVAL = { minMs: 50 * SECOND, lateMs: 30 * SECOND, maxMs: 6 * HOUR, netMs: DAY } as const;

/** What the watches of a channel hang on (`recurring.group_key`). */
export const WATCH_GROUP = "channel:";
export const watchGroup = (channelId: number): string => `${WATCH_GROUP}${channelId}`;
