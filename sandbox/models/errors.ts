// The error format of the API: the same object for every error.

import type { z } from "zod";

interface Detail {
  type?: string;
  param?: string | null;
  code?: string | null;
  headers?: Record<string, string>;
}

export class ModelError extends Error {
  readonly status: number;
  readonly detail: Detail;

  constructor(status: number, message: string, detail: Detail = {}) {
    super(message);
    this.status = status;
    this.detail = detail;
  }

  toResponse(): Response {
    const { type = "invalid_request_error", param = null, code = null, headers = {} } = this.detail;
    return Response.json({ error: { message: this.message, type, param, code } }, { status: this.status, headers });
  }
}

export const outage = () =>
  new ModelError(500, "The server had an error while processing your request.", { type: "server_error" });

export const tooMany = (seconds: number) =>
  new ModelError(429, `Rate limit reached. Please try again in ${seconds}s.`, {
    type: "requests",
    code: "rate_limit_exceeded",
    headers: { "retry-after": String(seconds) },
  });

/** The error for the first invalid value. */
export function refusalOf(error: z.ZodError): ModelError {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).reduce<string>((whole, part) => {
    if (typeof part === "number") return `${whole}[${part}]`;
    return whole === "" ? String(part) : `${whole}.${String(part)}`;
  }, "");
  if (issue?.code === "unrecognized_keys") {
    const param = [path, issue.keys[0]].filter(Boolean).join(".");
    return new ModelError(400, `Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
  }
  if (issue?.code === "invalid_type" && issue.message.endsWith("received undefined")) {
    const code = "missing_required_parameter";
    return new ModelError(400, `Missing required parameter: '${path}'.`, { param: path, code });
  }
  const isType = issue?.code === "invalid_type";
  return new ModelError(400, `Invalid ${isType ? "type" : "value"} for '${path}': ${issue?.message}.`, {
    param: path,
    code: isType ? "invalid_type" : "invalid_value",
  });
}

export function requireModel(wanted: string, there: string): void {
  if (wanted === there) return;
  const message = `The model \`${wanted}\` does not exist or you do not have access to it.`;
  throw new ModelError(404, message, { code: "model_not_found" });
}

export const moderated = () =>
  new ModelError(400, "Your request was rejected by the safety system.", {
    type: "image_generation_user_error",
    code: "moderation_blocked",
  });
