import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";

/** The job of a campaign: names and times, for those who open and wake it. */

/** Brings a campaign to what is wanted of it, and keeps it there: `campaign:<campaign>`. */
export const CAMPAIGN = "campaign";
export const CAMPAIGN_QUEUE = "campaigns";

/** The job has no deadline: it ends when nothing is on and all is counted. */
export const ENDLESS_MS = 1_000 * 365 * DAY;

/** How long a change is tried that the platform does not take for passing trouble. */
export const CHANGE_LIMIT_MS = 6 * HOUR;

/**
 * How often a campaign is read: while it is reviewed, while it runs, and for what is still counted after its
 * end.
 */
export const READ_EVERY = { review: 30 * SECOND, running: 10 * MINUTE, ended: 12 * HOUR } as const;
/** Platforms correct their figures for days. */
export const COUNTED_MS = 3 * DAY;
