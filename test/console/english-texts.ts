import { load } from "cheerio";

const FUNCTION_WORDS =
  /\b(?:the|an?|is|are|was|be|has|have|of|to|in|on|at|by|for|from|with|and|or|not|no|this|that|its?|your?)\b/gi;

/** The API's own sentence, after its translation. */
const ORIGINAL = /（英語の原文：[^）]*）/gu;

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
  const own = texts.map((text) => stored.reduce((left, one) => left.replaceAll(one, ""), text).replace(ORIGINAL, ""));
  return [...new Set(own)].filter((text) => (text.match(FUNCTION_WORDS) ?? []).length > 1);
}

/** What is marked as English on a page in Japanese and has no Japanese beside it in its paragraph or row. */
export function englishAloneOn(html: string): string[] {
  const $ = load(html);
  if ($("html").attr("lang") !== "ja") return [];
  const marked = $("body [lang=en]:not([hreflang])").toArray();
  return marked.flatMap((element) => {
    const text = $(element).text().trim();
    const beside = $(element).parent().closest("p, li, tr, label, section").clone();
    beside.find("[lang=en]").remove();
    return text === "" || /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(beside.text()) ? [] : [text];
  });
}
