import type { Row } from "../../refusals.ts";
import { BY_HAND, OWN_LIMIT } from "../error-table.ts";
import type { GraphErrors } from "../errors.ts";

/**
 * Errors of Meta's ads; they come before the shared rows (meta/error-table.ts). Nearly all have code 100 and
 * the generic words "Invalid parameter". The subcode decides, and `error_user_msg` has useful facts, such as
 * the minimum budget.
 *
 * Errors that only our bug can cause are not listed: they show Meta's words.
 */
const MINUTES = 60;
const HOURS = 3600;

/** The score of an account decays to zero within five minutes. */
const SCORE = ["throttled", OWN_LIMIT, { wait: 5 * MINUTES, limit: "account" }] as const;
const BUDGET = "The budget is below Meta's minimum. Raise it.";
const OTHER_OBJECTIVE = "Choose another objective.";
const REFUSED = { code: "content_refused" } as const;
const RESTRICTED = { code: "account_restricted" } as const;

const rows: readonly Row[] = [
  ["17", ...SCORE],
  ["368", "rejected", `{title} has restricted this {account}. ${BY_HAND}`, RESTRICTED],
  ["613", ...SCORE],
  [
    "613/1487225",
    "throttled",
    "This {account} has reached {title}'s limit of new ads.",
    { wait: HOURS, limit: "account" },
  ],
  // Applies to this ad set only.
  ["613/1487632", "throttled", "{title} allows four budget changes per hour.", { wait: 20 * MINUTES }],
  ["100/1487079", "rejected", "{title} does not allow this ad in one of these countries. Remove the country."],
  ["100/1487694", "rejected", "{title} no longer has one of the interests. Choose another one."],
  ["100/1487809", "rejected", "The {account} has as many campaigns as {title} allows. Delete some."],
  [
    "100/1815199",
    "rejected",
    "The {account} may not use this Instagram account. Connect the two in the business portfolio (business.facebook.com).",
  ],
  ["100/1815279", "rejected", "{title} cannot boost this video. Share it to Facebook first.", REFUSED],
  ["100/1885183", "blocked", "Our app at {title} is in development mode, in which posts cannot be boosted."],
  ["100/1885272", "rejected", BUDGET],
  ["100/2061015", "rejected", `{title} requires a link in a post with this objective. ${OTHER_OBJECTIVE}`],
  ["100/2446307", "rejected", BUDGET],
  ["100/2446383", "rejected", `{title} requires a link in a post with this objective. ${OTHER_OBJECTIVE}`],
  ["100/2490408", "rejected", `{title} does not accept this objective for this post. ${OTHER_OBJECTIVE}`],
  ["100/2875030", "rejected", "{title} does not boost a reel with copyrighted music.", REFUSED],
  ["100/2875039", "rejected", "{title} does not boost posts with stickers or other interactive elements.", REFUSED],
  ["100/3686001", "rejected", "{title} accepts no ads from this advertiser's country.", RESTRICTED],
  [
    "100/3858152",
    "rejected",
    "{title} requires the payer of ads in the European Union. Add the payer in the settings of the {account}.",
  ],
  ["100/3858418", "rejected", "{title} does not allow this change while the campaign exists."],
  ["100/3858498", "rejected", "Ads in Taiwan require a declaration that this service cannot make. Remove the country."],
  [
    "100/3858550",
    "rejected",
    "Ads in Singapore require a declaration that this service cannot make. Remove the country.",
  ],
  ["80000", ...SCORE],
  ["80003", ...SCORE],
  ["80004", ...SCORE],
  [
    "200/1870034",
    "rejected",
    "The terms for custom audiences are not accepted yet. Open the audiences in Meta Ads Manager and accept them.",
  ],
];

export const ADS_ERRORS: GraphErrors = {
  title: "Meta",
  account: "ad account",
  site: "business.facebook.com",
  rows,
};

/** Issues of an ad whose post was deleted or is no longer visible. */
export const POST_GONE: ReadonlySet<number> = new Set([1815869, 1885557]);
