import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import { kindOf, must, shown } from "../core/sentences.ts";
import { requireUsableTexts } from "../core/text-refusal.ts";
import { SECOND } from "../core/time.ts";
import type { AppEnv } from "./environment.ts";
import { withoutNulls } from "./null-fields.ts";
import { readTextBody } from "./text-input.ts";
import { warnOfFields } from "./warnings.ts";

const TOO_MANY_VALUES = "body must not have more than 10,000 values, nor be nested more than 100 levels deep.";

export const limitBody = bodyLimit({
  maxSize: 1024 * 1024,
  onError: () => {
    throw new AppError("body_too_large", "body must not be larger than 1 MiB: send media as URLs.");
  },
});

/** The most bytes that are read from a body that is not used: Cloudflare takes no larger one. */
const MAX_DISCARDED = 100 * 1024 * 1024;
const MAX_DISCARD_MS = 30 * SECOND;
const DISCARDED_AT_ONCE = 256 * 1024;

/**
 * Reads the rest of a refused request, up to a limit. If we close the connection in the middle of a body, the
 * client, or a proxy between us, reports a lost connection instead of the refusal. Nothing of it is kept.
 */
export async function discardBody(request: Request): Promise<void> {
  const { body } = request;
  if (body === null || body.locked) return;
  const until = Date.now() + MAX_DISCARD_MS;
  let buffer = new Uint8Array(DISCARDED_AT_ONCE);
  try {
    // Of a body that was read to its end, this is the end again.
    const reader = body.getReader({ mode: "byob" });
    for (let left = MAX_DISCARDED; left > 0 && Date.now() < until; ) {
      const { done, value } = await reader.read(buffer);
      if (done) return;
      left -= value.byteLength;
      buffer = new Uint8Array(value.buffer);
    }
    await reader.cancel();
  } catch {
    // The client has disconnected: nothing waits for the response.
  }
}

/** A thread of a hundred items with their files has some 2,500 values. */
const MAX_VALUES = 10_000;
/** No operation takes more than ten levels. Code that walks a body recurses once for each. */
const MAX_DEPTH = 100;

/**
 * Whether a JSON text has more values, or deeper ones, than any operation accepts. Checked before parsing,
 * because half a million values fit into a body, and parsing and refusing each one costs more than all else.
 */
export function hasTooManyValues(json: string): boolean {
  let values = 0;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (isText) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === BRACKET_END || code === BRACE_END) depth--;
    else if (code === COMMA || code === BRACKET || code === BRACE) {
      if (code !== COMMA) depth++;
      if (++values > MAX_VALUES || depth > MAX_DEPTH) return true;
    }
  }
  return false;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The body of an operation must be a JSON object of at most 1 MiB. */
const requireJsonObject = createMiddleware<AppEnv>(async (c, next) => {
  const type = c.req.header("Content-Type");
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type ?? "")) {
    const problem = must("Content-Type", "be application/json", type === undefined ? "absent" : shown(type));
    throw new AppError("unsupported_content_type", problem, { errors: { "Content-Type": [problem] } });
  }
  const text = await readTextBody(c.req.raw);
  if (hasTooManyValues(text)) throw aboutBody("invalid_request", TOO_MANY_VALUES);
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw aboutBody("malformed_json", must("body", "be a JSON object", kindOf(body)));
  }
  // Only an escape can make such a text of bytes that are UTF-8.
  if (text.includes("\\u")) requireUsableTexts(body);
  warnOfFields(c, body);
  const shape = c.var.operation?.body();
  // The validator parses the text that is cached here. Most bodies have no null.
  const checked = shape && text.includes("null") ? JSON.stringify(withoutNulls(shape, body)) : text;
  Object.assign(c.req.bodyCache, { text: Promise.resolve(checked) });
  await next();
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw aboutBody("malformed_json", must("body", "be a JSON object", text === "" ? "empty" : "text that is no JSON"));
  }
}

function aboutBody(code: "invalid_request" | "malformed_json", problem: string): AppError {
  return new AppError(code, problem, { errors: { body: [problem] } });
}

export const jsonObjectBody = [limitBody, requireJsonObject] as const;
