// LinkedIn's errors.

import type { ContentfulStatusCode } from "hono/utils/http-status";
import { randomText } from "../random";

interface Details {
  readonly serviceErrorCode?: number;
  readonly inputErrors?: readonly { code: string; description: string; field?: string }[];
}

export class RestError extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string | undefined;
  readonly details: Details;

  constructor(status: ContentfulStatusCode, code: string | undefined, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  toResponse(): Response {
    const { serviceErrorCode, inputErrors } = this.details;
    const body = {
      ...(inputErrors === undefined
        ? {}
        : {
            errorDetailType: "com.linkedin.common.error.BadRequest",
            errorDetails: {
              inputErrors: inputErrors.map(({ code, description, field }) => ({
                description,
                input: field === undefined ? {} : { inputPath: { fieldPath: field } },
                code,
              })),
            },
          }),
      message: this.message,
      status: this.status,
      ...(serviceErrorCode === undefined ? {} : { serviceErrorCode }),
      ...(this.code === undefined ? {} : { code: this.code }),
    };
    return Response.json(body, { status: this.status, headers: marks() });
  }
}

/** Reference ids for LinkedIn's support. */
export const marks = () => ({
  "x-li-uuid": `AAY${randomText(16)}==`,
  "x-li-fabric": "prod-lva1",
  "x-restli-protocol-version": "2.0.0",
});

/** Status 400 with the name of the invalid field. */
export function badInput(code: string, field: string, description: string): RestError {
  return new RestError(400, code, description, { inputErrors: [{ code, description, field }] });
}

export const denied = (resource: string) =>
  new RestError(403, "ACCESS_DENIED", `Not enough permissions to access: ${resource}.20260901`, {
    serviceErrorCode: 100,
  });

/** The caller may not act as this author. */
export const notTheAuthor = () =>
  new RestError(
    403,
    "ACCESS_DENIED",
    "Field Value validation failed in REQUEST_BODY: Data Processing Exception while processing fields [/author]",
    { serviceErrorCode: 100 },
  );

/** The token has permissions of a person only. */
export const personalPermissions = () =>
  new RestError(
    400,
    "ILLEGAL_ARGUMENT",
    "Organization Or Events permissions must be used when using organization as author",
  );

export const notFound = (what: string) => new RestError(404, "NOT_FOUND", `Could not find ${what}`);
export const throttledDay = (whose: "APPLICATION" | "MEMBER") =>
  new RestError(
    429,
    "TOO_MANY_REQUESTS",
    `Resource level throttle ${whose} DAY limit for calls to this resource is reached.`,
    {
      serviceErrorCode: 101,
    },
  );
