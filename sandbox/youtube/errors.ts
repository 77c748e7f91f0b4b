// YouTube's errors, in the nested format of Google's APIs.

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

interface More {
  domain?: string;
  location?: string;
  locationType?: "parameter" | "header" | "body";
  /** Replaces the default text of the HTTP status. */
  status?: string;
  details?: object[];
}

export class ApiError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, reason: string, message: string, more: More = {}) {
    super(message);
    const { domain = "global", location, locationType = "parameter", details } = more;
    const where = location === undefined ? {} : { location, locationType };
    this.status = status;
    this.body = {
      error: {
        code: status,
        message,
        errors: [{ message, domain, reason, ...where }],
        status: more.status ?? STATUS[status] ?? "UNKNOWN",
        ...(details ? { details } : {}),
      },
    };
  }

  toResponse(headers: Record<string, string> = {}): Response {
    return Response.json(this.body, {
      status: this.status,
      headers: { vary: "Origin, X-Origin, Referer", ...headers },
    });
  }
}

const HEADER = { location: "Authorization", locationType: "header" } as const;

export const loginRequired = () => new ApiError(401, "required", "Login Required.", HEADER);
export const badToken = () => new ApiError(401, "authError", "Invalid Credentials", HEADER);
export const signupRequired = () => new ApiError(401, "youtubeSignupRequired", "Unauthorized", HEADER);
export const lacksScope = () =>
  new ApiError(403, "insufficientPermissions", "Request had insufficient authentication scopes.", {
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        domain: "googleapis.com",
      },
    ],
  });
export const quotaExceeded = () =>
  new ApiError(
    403,
    "quotaExceeded",
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    { domain: "youtube.quota", status: "RESOURCE_EXHAUSTED" },
  );
/** The quota of uploads is refused as a rate since May 2026. */
export const uploadsExceeded = () =>
  new ApiError(
    429,
    "rateLimitExceeded",
    "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:444000333001'.",
    {
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "RATE_LIMIT_EXCEEDED",
          domain: "googleapis.com",
          metadata: {
            service: "youtube.googleapis.com",
            quota_metric: "youtube.googleapis.com/video_uploads",
            quota_limit: "VideoUploadsPerDayPerProject",
            quota_limit_value: "100",
            consumer: "projects/444000333001",
          },
        },
      ],
    },
  );
export const tooFast = () =>
  new ApiError(429, "rateLimitExceeded", "Too many requests in a short time.", { domain: "usageLimits" });
export const outage = () => new ApiError(503, "backendError", "Backend Error");

export const missingParameter = (name: string) =>
  new ApiError(400, "missingRequiredParameter", `No value for the required parameter ${name}.`, {
    domain: "youtube.parameter",
    location: name,
  });
export const invalidValue = (name: string, message: string) =>
  new ApiError(400, "invalidParameter", message, { domain: "youtube.parameter", location: name });
export const oneFilter = (names: readonly string[]) =>
  new ApiError(400, "incompatibleParameters", `Exactly one of ${names.join(", ")} must be given.`, {
    domain: "youtube.parameter",
    location: "parameters",
  });

export const videoProblem = (reason: string, message: string, location: string) =>
  new ApiError(400, reason, message, { domain: "youtube.video", location, locationType: "body" });
export const videoNotFound = (location = "id") =>
  new ApiError(404, "videoNotFound", "The video that you are trying to use cannot be found.", {
    domain: "youtube.video",
    location,
  });
export const forbidden = (message: string, domain = "youtube.common") =>
  new ApiError(403, "forbidden", message, { domain });
export const playlistProblem = (status: number, reason: string, message: string) =>
  new ApiError(status, reason, message, { domain: "youtube.playlistItem" });
export const commentProblem = (status: number, reason: string, message: string, location?: string) =>
  new ApiError(status, reason, message, {
    domain: "youtube.comment",
    ...(location === undefined ? {} : { location, locationType: "body" as const }),
  });
