import { z } from "@hono/zod-openapi";
import { isoUtc } from "../core/time.ts";
import { ErrorView } from "../http/answers.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { platformOf } from "./logins.ts";
import { MAX_RETURN_URL, platformNames, returnUrlProblem } from "./return-url.ts";
import type { Progress } from "./store.ts";
import { CONNECT_STATUS } from "./table.ts";
import { type ConnectToken, SESSION_SECONDS } from "./token.ts";

/** Shapes of spec 4.1 and 4.2. */

const EXAMPLE_TOKEN =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJjb25uZWN0IiwicHJvamVjdCI6MSwiaWF0IjoxODk4OTM1MjAwLCJleHAiOjE4OTg5MzYxMDAsImp0aSI6IjRxVDBiWXZYbzJLZldtOFJ6TjFjSmQifQ.ft1APBL8jlPCelKJEDeUjtYSjc2dA1aZn4HzDlksjiU";

export const EXAMPLE_SESSION = {
  status: true,
  connect_url: `https://belfry.example/connect/${EXAMPLE_TOKEN}`,
  connect_token: EXAMPLE_TOKEN,
  expires_in: SESSION_SECONDS,
} as const;

export const EXAMPLE_STATUS = {
  status: true,
  expired: false,
  connect_status: "success",
  platform: "facebook",
  channel_id: 12,
  channel_ids: [12],
  account_name: "Northwind Bikes",
  message: null,
  updated_at: "2030-03-05T10:00:00.000+00:00",
} as const;

export const ConnectBody = z
  .object({
    userId: z
      .string()
      .min(1)
      .max(255)
      .openapi({ description: "Your own id of the user, associated with the channels.", example: "user-1842" }),
    redirectUrl: z
      .string()
      .max(MAX_RETURN_URL, { abort: true })
      .superRefine((text, context) => {
        const problem = returnUrlProblem(text);
        if (problem !== null) context.addIssue({ code: "custom", message: problem });
      })
      .optional()
      .openapi({
        description:
          "Where the user returns to: an https URL, or an absolute URL with the scheme of your own app, without a user name or password. Schemes of the browser or the system are refused (javascript, data, vbscript, blob, file, filesystem, about, view-source, chrome, ms-… and similar ones). The URL's query and fragment are kept. Without it, poll connect-status.",
        example: "https://app.example/channels?tab=social",
      }),
    platforms: z
      .array(z.enum(PLATFORM_NAMES))
      .max(PLATFORM_NAMES.length)
      .optional()
      .openapi({
        description: "Platforms that are selected when the page opens. The user can select others.",
        example: ["facebook", "instagram"],
      }),
  })
  .openapi("ConnectChannel", { example: { userId: "user-1842", redirectUrl: "https://app.example/channels" } });
export type ConnectBody = z.output<typeof ConnectBody>;

export const ConnectAnswer = z
  .object({
    status: z.literal(true),
    connect_url: z.string().openapi({ description: "Open it in a browser or webview." }),
    connect_token: z.string().openapi({ description: "Poll connect-status with it. Treat it as a secret." }),
    expires_in: z
      .int()
      .min(1)
      .max(SESSION_SECONDS)
      .openapi({ description: "Remaining seconds: 900, fewer for a repeat with the same Idempotency-Key." }),
  })
  .openapi("ConnectSession", {
    example: EXAMPLE_SESSION,
  });

export const ConnectStatusQuery = z.object({
  connect_token: z.string().min(1).openapi({ description: "The `connect_token` of connect-channel." }),
});

export const ConnectStatusView = z
  .object({
    status: z.literal(true),
    expired: z.literal(false),
    connect_status: z.enum(CONNECT_STATUS),
    platform: z
      .string()
      .nullable()
      .openapi({ description: "Platforms, comma-separated; the one that failed when `failed`.", example: "facebook" }),
    channel_id: z
      .int()
      .nullable()
      .openapi({ description: "Present when exactly one channel was connected.", example: 12 }),
    channel_ids: z
      .array(z.int())
      .nullable()
      .openapi({ description: "All connected channels.", example: [12] }),
    account_name: z.string().nullable().openapi({ description: "Names, comma-separated.", example: "Northwind Bikes" }),
    message: z.string().nullable().openapi({ description: "Why it failed." }),
    updated_at: z.string().openapi({ description: "ISO 8601 with offset.", example: "2030-03-05T10:00:00.000+00:00" }),
  })
  .openapi("ConnectStatus", {
    example: EXAMPLE_STATUS,
  });
type ConnectStatusView = z.output<typeof ConnectStatusView>;

/** The whole body for an expired session (spec 4.2). */
const ExpiredView = z
  .object({ status: z.literal(false), expired: z.literal(true), connect_status: z.literal("expired") })
  .openapi("ConnectExpired", { example: { status: false, expired: true, connect_status: "expired" } });

export const NoSession = z.union([ExpiredView, ErrorView]);

export function toStatusView(token: ConnectToken, progress: Progress | null): ConnectStatusView {
  const open = { status: true, expired: false } as const;
  const updated_at = isoUtc(progress?.updatedAt ?? token.issuedAt);
  const connected = progress?.connected ?? [];
  const ids = connected.map((channel) => channel.id);
  const [failedAt] = progress?.remaining ?? [];
  const [only = null] = ids.length === 1 ? ids : [];
  switch (progress?.status) {
    case "success":
      return {
        ...open,
        connect_status: "success",
        platform: platformNames(connected),
        channel_id: only,
        channel_ids: ids,
        account_name: connected.map((channel) => channel.name).join(", "),
        message: null,
        updated_at,
      };
    case "failed":
      return {
        ...open,
        connect_status: "failed",
        platform: failedAt === undefined ? null : platformOf(failedAt),
        channel_id: null,
        // Channels of earlier platforms stay connected, even if the person stops here.
        channel_ids: ids.length > 0 ? ids : null,
        account_name: null,
        message: progress.message,
        updated_at,
      };
    default:
      return {
        ...open,
        connect_status: "pending",
        platform: null,
        channel_id: null,
        channel_ids: null,
        account_name: null,
        message: null,
        updated_at,
      };
  }
}
