import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./environment.ts";

const TOO_MANY_VALUES = "The body has more than 10,000 values, which no operation takes. Send fewer.";

const limitBody = bodyLimit({
  maxSize: 1024 * 1024,
  onError: () => {
    throw new AppError("body_too_large", "The body is larger than 1 MiB. Send media as URLs.");
  },
});

/** A thread of a hundred items with their files has some 2,500. */
const MAX_VALUES = 10_000;

/**
 * Whether a JSON text has more values than any operation takes; told before it is parsed, because half a million of them
 * fit into the body, and to parse and to refuse each costs more than all else.
 */
export function hasTooManyValues(json: string): boolean {
  let values = 0;
  let isText = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (isText) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > MAX_VALUES) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** A body of an operation is JSON, an object, at most 1 MiB (decisions.md, Requests and answers). */
const requireJsonObject = createMiddleware<AppEnv>(async (c, next) => {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new AppError(
      "unsupported_content_type",
      "Send the body as JSON with the header Content-Type: application/json.",
    );
  }
  let body: unknown;
  try {
    const text = await c.req.text();
    if (hasTooManyValues(text)) throw new AppError("invalid_request", TOO_MANY_VALUES);
    body = JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("malformed_json", "The body is not valid JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("malformed_json", "The body must be a JSON object.");
  }
  await next();
});

export const jsonObjectBody = [limitBody, requireJsonObject] as const;
