import twitterText from "twitter-text";

/**
 * Text as X counts it and as X gives it back.
 *
 * X weighs characters (twitter-text, configuration 3): a link counts 23 whatever its length, an emoji sequence 2, most
 * scripts 1, Chinese, Japanese and Korean 2. In its answers links are replaced by t.co ones, a link to the media is
 * appended, and `&`, `<`, `>` are escaped: a text is compared only after all of that is undone.
 */

export function weightedLength(text: string): number {
  return twitterText.parseTweet(text).weightedLength;
}

export function textProblems(text: string): readonly string[] {
  const problems: string[] = [];
  const cashtags = twitterText.extractCashtags(text);
  if (cashtags.length > 1) {
    problems.push(`X allows one cashtag in a post; this text has ${cashtags.map((tag) => `$${tag}`).join(", ")}.`);
  }
  if (twitterText.hasInvalidCharacters(text)) {
    problems.push("The text has characters that X refuses (byte order marks or special control characters).");
  }
  return problems;
}

export interface LinkEntity {
  readonly url: string;
  readonly expanded_url?: string | undefined;
  readonly display_url?: string | undefined;
  readonly media_key?: string | undefined;
}

/** Our own text in the form in which two texts are compared. */
export function comparableOwn(text: string): string {
  return comparable(text);
}

/** X's text in the same form: its links undone by their entities, the link to the media dropped. */
export function comparableAnswered(text: string, links: readonly LinkEntity[], hasMedia: boolean): string {
  let result = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  for (const link of links) {
    result = result.replaceAll(link.url, () => (isMediaLink(link) ? "" : (link.expanded_url ?? link.url)));
  }
  return comparable(hasMedia ? result.replace(/\s*https:\/\/t\.co\/\w+\s*$/, "") : result);
}

function isMediaLink({ media_key, display_url, expanded_url }: LinkEntity): boolean {
  return (
    media_key !== undefined ||
    /^pic\.(x|twitter)\.com\//.test(display_url ?? "") ||
    /\/status\/\d+\/(photo|video)\/\d+$/.test(expanded_url ?? "")
  );
}

/** X completes `Example.com` to `http://example.com/`: what it may add or change is left out on both sides. */
function comparable(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/https?:\/\//g, "")
    .replace(/\/(?=\s|$)/g, "")
    .replace(/\r\n?/g, "\n")
    .trim();
}
