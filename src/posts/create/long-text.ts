import type { ChannelState } from "../../channels/store.ts";
import { said } from "../../core/checks.ts";
import { AppError, type FieldProblem, invalidFields } from "../../core/errors.ts";
import { parseHashtags, withHashtags } from "../../core/text.ts";
import { textProblems } from "../../media/check.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import { splitText } from "../content/split-text.ts";
import type { CreatePostBody } from "../schema.ts";

/** Texts that a channel refuses as too long, as threads where its platform has them. Pure. */

export const LONG_TEXTS = ["refuse", "thread", "numbered_thread"] as const;
/** What becomes of a text that is too long for one post. */
export type LongText = (typeof LONG_TEXTS)[number];

type Account = Pick<ChannelState, "platform" | "attributes">;

/** The items of a thread with the text; null if it fits one post, or no thread. */
export function threadOfLong(body: CreatePostBody, account: Account, isNumbered: boolean): readonly string[] | null {
  const rules = findPlatform(account.platform)?.rules(account.attributes);
  const [one, thread] = [rules?.[body.post_type], rules?.thread];
  const { caption_text: text } = body;
  if (!one || !thread || body.post_type === "thread" || text === undefined) return null;
  const tags = parseHashtags(body.hash_tags ?? "").tags;
  if (!isTooLong(one, withHashtags(text, tags))) return null;
  const fits = (item: string, index: number) =>
    textProblems("", thread.text, index === 0 ? withHashtags(item, tags) : item, 2).length === 0;
  return splitText(text, { fits, mostItems: thread.items.max, isNumbered });
}

function isTooLong({ text: rules }: TypeRules, text: string): boolean {
  return textProblems("", rules, text).some(({ check: { kind } }) => kind === "max_length" || kind === "bytes");
}

/** The body with its text as a thread, whose first item has the files. Other bodies stay as they are. */
export function withThread<Body extends CreatePostBody>(
  body: Body,
  account: Account,
  longText: LongText | undefined,
): Body {
  const isWanted = longText === "thread" || longText === "numbered_thread";
  const items = isWanted ? threadOfLong(body, account, longText === "numbered_thread") : null;
  if (items === null) return body;
  const { media_urls, alt_texts } = body;
  const twitter_threads = items.map((message, index) => ({
    message,
    ...(index === 0 ? { media_urls, alt_texts } : {}),
  }));
  const moved = { caption_text: undefined, media_urls: undefined, alt_texts: undefined };
  return { ...body, ...moved, post_type: "thread" as const, twitter_threads };
}

/** Runs the check of a body. For a text that a thread could have, its refusal offers one. */
export function withOffer<T>(
  body: CreatePostBody,
  account: Account,
  longText: LongText | undefined,
  check: () => T,
): T {
  try {
    return check();
  } catch (error) {
    const problems = error instanceof AppError && longText === "refuse" ? (error.details.problems ?? []) : [];
    const [first, ...others] = problems;
    const offer = first ? threadOffer(body, account) : null;
    throw first && offer ? invalidFields([first, ...others, offer]) : error;
  }
}

function threadOffer(body: CreatePostBody, account: Account): FieldProblem | null {
  const items = threadOfLong(body, account, false);
  if (items === null) return null;
  const sentence = `caption_text fits a thread of ${items.length} items: send long_text thread, or numbered_thread.`;
  return { field: "caption_text", code: "content_invalid", ...said(sentence, "fits_thread", items.length) };
}
