// Errors as the wire form has them: one object, whatever went wrong.

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
