import { uncoveredIn } from "./fonts.ts";
import { type Texts, textOf, wordsOf } from "./words.ts";

/**
 * Characters that no bundled font has, such as Thai ones, deduplicated. A model is asked for other words, and
 * `renderBanner` refuses a copy with such characters; nothing is silently omitted or replaced.
 */
export function uncovered(copy: Texts): readonly string[] {
  return uncoveredIn(textOf(wordsOf(copy)));
}
