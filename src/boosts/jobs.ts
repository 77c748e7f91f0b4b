import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";

/** The names and times of a campaign's job, for the code that opens and wakes it. */

/** Brings a campaign to its wanted terms, and keeps it there: `campaign:<campaign>`. */
export const CAMPAIGN = "campaign";
export const CAMPAIGN_QUEUE = "campaigns";

/** The job has no deadline: it completes when nothing is live and all figures are final. */
export const ENDLESS_MS = 1_000 * 365 * DAY;

/** How long a change is retried if the failure is not a rate limit. */
export const CHANGE_LIMIT_MS = 6 * HOUR;

/** How often a campaign is read: in review, while it runs, and after its end, while figures still change. */
export const READ_EVERY = { review: 30 * SECOND, running: 10 * MINUTE, ended: 12 * HOUR } as const;
/** How long the figures are read after the end: platforms correct them for days. */
export const COUNTED_MS = 3 * DAY;
