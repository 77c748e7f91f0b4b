import type { RawAnswer } from "../core/failures.ts";
import { MAX_MASKED, maskOf } from "./masking.ts";
import type { Answered, CallRequest, Lost, Send } from "./request.ts";

/** Converts a platform's answer into what the timeline may show of it. */

const MAX_BODY = 2_048;
const MAX_MASKED_HEADER = 1_024;
const MAX_HEADER = 500;
/** Headers that are shown of one answer: platforms send up to a dozen. */
const MAX_HEADERS = 30;
const MAX_PATH = 2_048;

/** Limits, usage, and what the platform's own support needs. */
const HEADERS_OF_INTEREST =
  /^(?:retry-after|content-type|date|x-.*(?:limit|usage|request-id|trace|transaction|uuid|log-?id).*)$/;

/** `secrets`: values that must not be shown even if they do not look like secrets. */
export function toRawAnswer(call: CallRequest, answer: Answered | Lost, secrets: readonly string[]): RawAnswer {
  const { origin, pathname } = new URL(call.url);
  const mask = maskOf(secrets);
  const about = { method: call.method, url: mask(`${origin}${pathname.slice(0, MAX_PATH)}`, { isAddress: true }) };
  if (answer.kind === "lost") return { ...about, status: null, headers: {}, body: null };
  const kept = [...answer.headers].filter(([name]) => HEADERS_OF_INTEREST.test(name.toLowerCase()));
  const shown = kept.slice(0, MAX_HEADERS).map(([name, value]) => {
    return [name.toLowerCase(), mask(value.slice(0, MAX_MASKED_HEADER)).slice(0, MAX_HEADER)] as const;
  });
  return {
    ...about,
    status: answer.status,
    headers: Object.fromEntries(shown),
    body: mask(answer.text.slice(0, MAX_MASKED)).slice(0, MAX_BODY),
  };
}

/** Adds to each answer the form that the timeline shows. */
export function showingAnswers(send: Send, secrets: readonly string[]): Send {
  return async (call) => {
    const answer = await send(call);
    const known = [...secrets, ...(answer.secrets ?? [])];
    return { ...answer, secrets: known, toRaw: () => toRawAnswer(call, answer, known) };
  };
}
