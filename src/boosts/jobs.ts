import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";

/** The kinds of jobs and recurring tasks about campaigns: names and times, for those who open them. */

/** Makes a campaign at its platform and switches it on: `boost:<campaign>`. */
export const BOOST = "boost";
/** Gives it other terms there: `reboost:<campaign>`. */
export const REBOOST = "reboost";
/** Ends it there: `unboost:<campaign>`. */
export const UNBOOST = "unboost";
/** Looks how it stands: `campaign:<campaign>`. */
export const LOOK = "campaign";

export const BOOST_LIMIT_MS = 6 * HOUR;
export const CHANGE_LIMIT_MS = 6 * HOUR;
/** It must not be lost: money goes on. */
export const REMOVAL_LIMIT_MS = DAY;

/** How often a campaign is looked at: while it is reviewed, while it runs, and for what is still counted after its end. */
export const LOOK_EVERY = { review: 30 * SECOND, running: 10 * MINUTE, ended: 12 * HOUR } as const;
/** Platforms correct their figures for days. */
export const COUNTED_MS = 3 * DAY;
