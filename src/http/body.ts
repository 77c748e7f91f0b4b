import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./environment.ts";

const limitBody = bodyLimit({
  maxSize: 1024 * 1024,
  onError: () => {
    throw new AppError("body_too_large", "The body is larger than 1 MiB. Send media as URLs.");
  },
});

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
    body = await c.req.json();
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
