import twitterText from "twitter-text";

/**
 * Domains without a scheme, which Bluesky's own client links by a list of top-level domains. The list is that
 * of twitter-text, which the Worker has for X. Pure; for texts of the length of a post.
 */

const { regexen } = twitterText;
const TOP_LEVEL = new RegExp(
  `^(?:${regexen.validGTLD.source}|${regexen.validCCTLD.source}|${regexen.validPunycode.source})$`,
  "i",
);

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const REST = String.raw`(?::\d{1,5})?(?:[/?#][^\s<>"]*)?`;
/** Not within an address, a path or a mention. */
const DOMAIN = new RegExp(String.raw`(?<=^|[\s(])(?:${LABEL}\.)+(${LABEL})(?![\w@-])${REST}`, "giu");

/** Where a domain begins in a text, with its port, path and query. */
export interface Domain {
  readonly index: number;
  readonly text: string;
}

export function findDomains(text: string): readonly Domain[] {
  return [...text.matchAll(DOMAIN)].flatMap(({ 0: whole, 1: last = "", index }) =>
    TOP_LEVEL.test(last) ? [{ index, text: whole }] : [],
  );
}
