// Responses of the chat model: deterministic for each question. Markers in the last user message trigger
// faults.

import { numberOf } from "../digest";
import { type ChatRequest, textOf } from "./chat-request";
import { valueFor } from "./json-schema";
import { languageOf, topicsOf } from "./languages";

const MARKS = ["refuse", "empty", "slow", "error", "leak", "link", "long", "garbage", "fail"] as const;
export type Mark = (typeof MARKS)[number];

export interface Answer {
  content: string | null;
  refusal: string | null;
  finish_reason: "stop" | "length" | "content_filter";
}

const LETTERS_A_TOKEN = 4;
const LONG = 5000;
export const tokensOf = (text: string) => Math.ceil([...text].length / LETTERS_A_TOKEN);

export const lastQuestion = ({ messages }: ChatRequest) => {
  const last = messages.findLast(({ role }) => role === "user");
  return last ? textOf(last) : "";
};

export function markIn(question: string): Mark | null {
  const found = /\[model:(\w+)\]/.exec(question)?.[1];
  return MARKS.find((mark) => mark === found) ?? null;
}

/** The response of one choice; further choices (`index`) start with different words. */
export function answerTo(request: ChatRequest, index: number): Answer {
  const question = lastQuestion(request);
  const mark = markIn(question);
  if (mark === "refuse") {
    return { content: null, refusal: "I'm sorry, but I can't help with that.", finish_reason: "content_filter" };
  }
  if (mark === "empty") return { content: "", refusal: null, finish_reason: "stop" };
  return cut(request, inFormat(request, says(request, mark, question, index), mark));
}

function says(request: ChatRequest, mark: Mark | null, question: string, index: number): string {
  const plain = reply(commentIn(question), index);
  switch (mark) {
    case "leak":
      return request.messages
        .filter(({ role }) => role === "system" || role === "developer")
        .map(textOf)
        .join("\n");
    case "link":
      return `${plain} https://evil.example/`;
    case "long":
      return `${plain} `.repeat(Math.ceil(LONG / plain.length)).slice(0, LONG);
    default:
      return plain;
  }
}

function reply(comment: string, index: number): string {
  const { openings, and, about, closing } = languageOf(comment);
  const topics = topicsOf(comment).map((word) => `“${word}”`);
  const opening = openings[(numberOf(comment) + index) % openings.length] ?? openings[0];
  return [`${opening}!`, ...(topics.length > 0 ? [about(topics.join(` ${and} `))] : []), closing].join(" ");
}

/** The comment that a question contains as data, in one of the usual forms; otherwise the question itself. */
function commentIn(question: string): string {
  const tagged = /<(\w*comment\w*)[^>]*>([\s\S]*?)<\/\1>/i.exec(question)?.[2];
  const named = /"comment"\s*:\s*(?:\{[^{}]*?"text"\s*:\s*)?("(?:[^"\\]|\\.)*")/.exec(question)?.[1];
  const listed = /^\W*comment\b[^:\n]*:\s*(\S.*)$/im.exec(question)?.[1];
  return tagged ?? (named === undefined ? undefined : unquoted(named)) ?? listed ?? question;
}

/** The topic of the post to write, if the question contains one as data; otherwise null. */
function topicIn(question: string): string | null {
  const named = /"topic"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(question)?.[1];
  return named === undefined ? null : unquoted(named);
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function inFormat(request: ChatRequest, text: string, mark: Mark | null): string {
  const format = request.response_format;
  if (!format || format.type === "text") return text;
  const question = lastQuestion(request);
  const topic = mark === null || mark === "slow" || mark === "garbage" ? topicIn(question) : null;
  const language = languageOf(topic ?? commentIn(question)).code;
  const value =
    format.type === "json_schema" ? valueFor(format.json_schema.schema, { text, language, topic }) : { reply: text };
  const json = JSON.stringify(value);
  return mark === "garbage" ? `Sure! Here it is: ${json.slice(0, -1)}` : json;
}

/** Stops before a stop word and at the token limit. */
function cut({ stop, max_tokens, max_completion_tokens }: ChatRequest, content: string): Answer {
  const ends = [stop ?? []]
    .flat()
    .map((word) => content.indexOf(word))
    .filter((at) => at >= 0);
  const stopped = content.slice(0, Math.min(...ends, content.length));
  const most = max_completion_tokens ?? max_tokens ?? Number.POSITIVE_INFINITY;
  if (tokensOf(stopped) <= most) return { content: stopped, refusal: null, finish_reason: "stop" };
  const kept = [...stopped].slice(0, most * LETTERS_A_TOKEN).join("");
  return { content: kept, refusal: null, finish_reason: "length" };
}
