import type { Answered, CallRequest, Lost } from "./request.ts";

/**
 * A platform's answer as the timeline keeps it, for whoever has to find out what the platform meant: what was asked, and the
 * beginning of what came back. No secrets: none of the request but its address without the query, few headers, and in the body
 * whatever is or looks like a secret is masked.
 */
export interface RawAnswer {
  readonly method: string;
  /** Without its query. */
  readonly url: string;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Its first 2,048 characters; null when no answer came. */
  readonly body: string | null;
}

const MAX_BODY = 2_048;
/** Masked before it is cut, so that the end of what is kept shows no half of a secret. */
const MAX_MASKED = 2 * MAX_BODY;
const MAX_HEADER = 500;

/** Limits, usage, and what the platform's own support asks for. */
const HEADERS_OF_INTEREST =
  /^(?:retry-after|content-type|date|x-.*(?:limit|usage|request-id|trace|transaction|uuid|log-?id).*)$/;

/** `secrets`: what must not be shown even where it does not look like one. */
export function toRawAnswer(call: CallRequest, answer: Answered | Lost, secrets: readonly string[]): RawAnswer {
  const { origin, pathname } = new URL(call.url);
  const known = withoutKnown(secrets);
  const mask = (text: string): string => known(text).replace(NAMED, `$1${MASK}`).replace(OPAQUE, MASK);
  const about = { method: call.method, url: known(`${origin}${pathname}`) };
  if (answer.kind === "lost") return { ...about, status: null, headers: {}, body: null };
  const told = [...answer.headers].filter(([name]) => HEADERS_OF_INTEREST.test(name.toLowerCase()));
  return {
    ...about,
    status: answer.status,
    headers: Object.fromEntries(told.map(([name, value]) => [name.toLowerCase(), mask(value).slice(0, MAX_HEADER)])),
    body: mask(answer.text.slice(0, MAX_MASKED)).slice(0, MAX_BODY),
  };
}

const MASK = "•••";
/** The value of a field, parameter or scheme whose name says that it is secret. */
const NAMED =
  /((?:token|secret|password|signature|sig|code|verifier|proof|authorization|cookie|upload_id|key)["']?\s*[:=]\s*["']?|bearer\s+|oauth\s+)([^\s"'&,;<>{}\\]{12,})/gi;
/** Long runs as no word, number or identifier of a post has them: letters and digits mixed. */
const OPAQUE = /(?=[\w~+=-]*\d)(?=[\w~+=-]*[A-Za-z])[\w~+=-]{41,}/g;

function withoutKnown(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 8);
  return (text) => known.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}
