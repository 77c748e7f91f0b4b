import { load } from "cheerio";

const FUNCTION_WORDS =
  /\b(?:the|an?|is|are|was|be|has|have|of|to|in|on|at|by|for|from|with|and|or|not|no|this|that|its?|your?)\b/gi;

/** English sentences of a page in Japanese, but for these stored texts and what is marked as English. */
export function englishOn(html: string, stored: readonly string[]): string[] {
  const $ = load(html);
  if ($("html").attr("lang") !== "ja") return [];
  $("script, style, code, pre, [lang=en], option").remove();
  const nodes = $("body *").contents().toArray();
  const attributes = ["aria-label", "alt", "placeholder"];
  const texts = [
    $("title").text(),
    ...nodes.flatMap((node) => (node.type === "text" ? [node.data] : [])),
    ...nodes.flatMap((node) => attributes.map((name) => $(node).attr(name) ?? "")),
  ];
  const own = texts.map((text) => stored.reduce((left, one) => left.replaceAll(one, ""), text));
  return [...new Set(own)].filter((text) => (text.match(FUNCTION_WORDS) ?? []).length > 1);
}
