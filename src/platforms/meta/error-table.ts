import type { Row } from "../refusals.ts";

/**
 * Errors of Meta's Graph API, by `code/subcode`, by a unique subcode, by `code`, or by a name in capitals. In
 * the sentences, `{title}`, `{account}` and `{site}` stand for the product's words (errors.ts).
 */

/** The code of an error that Graph marks as transient and that no other row lists. */
export const TRANSIENT = "transient";

const HOURS = 3600;
const PERMISSION = "The connection lacks a permission or a role on the {account}. Reconnect and allow everything.";
export const BY_HAND =
  "Sign in at {site} with the account that manages the {account}, follow its instructions, then try again.";
export const OWN_LIMIT = "{title}'s rate limit for this {account} is reached.";
/** “… permission(s) must be granted before impersonating a user's page”, “… in order to impersonate it”. */
const ABOUT_ROLE = /impersonat|\b(?:role|administrator|editor|moderator)\b.{0,40}\bpage\b/i;
const NO_PROOF = "{title} does not accept our app secret proof.";

/** The errors of every product; each product's own ones come before these. */
export const GRAPH_ROWS: readonly Row[] = [
  [
    { code: "1", words: /reduce the amount of data/i },
    "unclear",
    "{title} has more data of a single entry than it returns at once.",
  ],
  ["1", "unclear", "{title} had an unknown error."],
  ["2", "unclear", "{title} had a temporary service error."],
  ["3", "blocked", "{title} has not enabled this call for our app."],
  ["4", "throttled", "{title}'s rate limit for our app is reached.", { limit: "app" }],
  ["10", "permission_missing", PERMISSION],
  ["17", "throttled", "{title}'s rate limit for this account is reached.", { limit: "account" }],
  ["32", "throttled", OWN_LIMIT, { limit: "account" }],
  [
    "100/33",
    "rejected",
    "{title} does not find this {account} or post. It was deleted, or the connection may no longer read it.",
  ],
  ["100/36007", "rejected", "The login expired. Start again."],
  ["100/36008", "blocked", "{title} does not accept our redirect address."],
  ["100/36009", "rejected", "This login was already used. Start again."],
  ["101", "blocked", "{title} does not accept our app's credentials."],
  ["102", "token_expired", "{title} ended the session."],
  ["104", "blocked", NO_PROOF],
  // The token is valid: reconnecting changes nothing before the person has the role (seen 2026-08).
  [
    { code: "190", words: ABOUT_ROLE },
    "rejected",
    "The person who connected the {account} lacks a role on the Page that allows this. An administrator of the Page can give it at facebook.com, under Page access; the connection itself still works.",
    { code: "account_restricted" },
  ],
  ["190", "token_expired", "{title} no longer accepts the connection."],
  ["190/458", "disconnected", "The app was removed from the {title} account."],
  ["190/459", "disconnected", BY_HAND],
  ["190/460", "disconnected", "The password of the {title} account was changed."],
  ["190/464", "disconnected", BY_HAND],
  ["190/492", "disconnected", "The person who connected the {account} no longer has a role on it."],
  ["191", "blocked", "{title} does not accept our redirect address."],
  ["341", "throttled", "{title}'s daily limit for our app is reached.", { wait: HOURS, limit: "app" }],
  [
    "368",
    "throttled",
    "{title} has paused posting for this {account} because of its policies.",
    { wait: 3 * HOURS, code: "account_restricted", limit: "account" },
  ],
  ["613", "throttled", "{title}'s rate limit for this call is reached.", { limit: "account" }],
  ["803", "rejected", "{title} does not know this {account} or post."],
  ["2500", "rejected", "{title} did not understand the request. Contact the operator of this service."],
  ["2635", "blocked", "{title} has retired the API version that we use."],
];

/** Errors that only a range of numbers, or the words, identify. */
export const GRAPH_RANGES: readonly Row[] = [
  ["200-299", "permission_missing", PERMISSION],
  ["80000-80099", "throttled", OWN_LIMIT, { limit: "account" }],
  // Only the words separate a missing or wrong proof from other bad parameters.
  [{ code: "100", words: /appsecret_proof/ }, "blocked", NO_PROOF],
  ["100", "rejected", "{title} refused this."],
  [TRANSIENT, "unclear", "{title} had a temporary error."],
];
