// The part of the recent search query language that reply look-ups need. Unsupported syntax is an error.

import type { Sandbox } from "../sandbox";
import { invalid } from "./api";
import { findUser, findUserNamed, type PostRow, strings } from "./store";
import { findUrls, mentions } from "./text";

type Test = (post: PostRow) => boolean;

/**
 * Adjacent terms must all match; ` OR ` has lower precedence, and parentheses group. `-` negates one term,
 * but not a group. Every alternative needs at least one term that is not negated.
 */
export function parseSearch(sandbox: Sandbox, query: string): Test {
  const tokens = query.match(/-?"[^"]*"|-?\(|\)|[^\s()]+/g) ?? [];
  const failed = (what: string) => invalid(`There were errors processing your request: ${what}`, "query", query);

  function either(): Found {
    const found = [all()];
    while (tokens[0] === "OR") {
      tokens.shift();
      found.push(all());
    }
    return {
      test: (post) => found.some(({ test }) => test(post)),
      isNegative: found.some(({ isNegative }) => isNegative),
    };
  }

  function all(): Found {
    const found: Found[] = [];
    while (tokens[0] !== undefined && tokens[0] !== "OR" && tokens[0] !== ")") found.push(one(tokens.shift() ?? ""));
    if (found.length === 0) throw failed("an operator has nothing to work on");
    return {
      test: (post) => found.every(({ test }) => test(post)),
      isNegative: found.every(({ isNegative }) => isNegative),
    };
  }

  function one(token: string): Found {
    if (token === "-(") throw failed("a group cannot be negated");
    if (token === "(") {
      const group = either();
      if (tokens.shift() !== ")") throw failed("a parenthesis is not closed");
      return group;
    }
    const isNegative = token.startsWith("-");
    const test = parseTerm(sandbox, isNegative ? token.slice(1) : token);
    return { test: (post) => test(post) !== isNegative, isNegative };
  }

  const { test, isNegative } = either();
  if (tokens.length > 0) throw failed("a parenthesis is closed that was not opened");
  if (isNegative) throw failed("a query needs at least one term that is not negated");
  return test;
}

interface Found {
  readonly test: Test;
  /** Whether all of its terms are negated. */
  readonly isNegative: boolean;
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
  if (/^@\w+$/.test(term)) return (post) => mentions(post.text).includes(term.slice(1).toLowerCase());
  const word = term.replaceAll('"', "").toLowerCase();
  return (post) => post.text.toLowerCase().includes(word);
}
