// The query language of recent search, as far as reading replies needs it. What it does not know is an error.

import type { Sandbox } from "../sandbox";
import { invalid } from "./api";
import { findUser, findUserNamed, type PostRow, strings } from "./store";
import { findUrls, mentions } from "./text";

type Test = (post: PostRow) => boolean;

/** All terms must hold; `-` turns one around. */
export function parseSearch(sandbox: Sandbox, query: string): Test {
  const terms = query.match(/-?(?:"[^"]*"|\S+)/g) ?? [];
  const tests = terms.map((term) => {
    const isNegative = term.startsWith("-");
    const test = parseTerm(sandbox, isNegative ? term.slice(1) : term);
    return { isNegative, test };
  });
  if (tests.every(({ isNegative }) => isNegative)) {
    throw invalid(
      "There were errors processing your request: a query needs at least one term that is not negated",
      "query",
      query,
    );
  }
  return (post) => tests.every(({ isNegative, test }) => test(post) !== isNegative);
}

function parseTerm(sandbox: Sandbox, term: string): Test {
  const userId = (who: string) => {
    const name = who.replace(/^@/, "");
    return (/^\d+$/.test(name) ? findUser(sandbox, name) : findUserNamed(sandbox, name))?.id ?? null;
  };
  const [, operator, value] = /^([a-z_]+):(.+)$/.exec(term) ?? [];
  if (operator !== undefined && value !== undefined) {
    switch (operator) {
      case "conversation_id":
        return (post) => post.conversation_id === value;
      case "in_reply_to_tweet_id":
        return (post) => post.reply_to === value;
      case "from":
        return (post) => post.author_id === userId(value);
      case "to":
        return (post) => post.in_reply_to_user_id !== null && post.in_reply_to_user_id === userId(value);
      case "is":
        if (value === "reply") return (post) => post.reply_to !== null;
        if (value === "quote") return (post) => post.quote_of !== null;
        if (value === "retweet") return () => false;
        break;
      case "has":
        if (value === "links") return (post) => findUrls(post.text).length > 0;
        if (value === "media" || value === "images") return (post) => strings(post.media_ids).length > 0;
        break;
      case "lang":
        return () => value === "en";
    }
    throw invalid(`There were errors processing your request: unknown operator '${term}'`, "query", term);
  }
  if (/[()]|^OR$/.test(term)) throw invalid("The sandbox knows no groups in queries", "query", term);
  if (/^@\w+$/.test(term)) return (post) => mentions(post.text).includes(term.slice(1).toLowerCase());
  const word = term.replaceAll('"', "").toLowerCase();
  return (post) => post.text.toLowerCase().includes(word);
}
