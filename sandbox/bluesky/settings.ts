import { z } from "zod";
import { milliseconds, seconds } from "../setting-types";

/** Settings of this platform; all names start with the platform's name (part of settings.ts). */
export const BLUESKY_SETTINGS = {
  bluesky_access_token_seconds: seconds.default(3600),
  /** How long a sign-in that was pushed, and its code, can be used. */
  bluesky_request_seconds: seconds.default(300),
  /** Whether an access token works until its end although it was renewed, as at Bluesky itself. */
  bluesky_old_access_lives: z.boolean().default(false),
  /** Every account lives on another server than before; the old ones still accept writes. */
  bluesky_moved: z.boolean().default(false),
  /** Every account is deactivated by its owner. */
  bluesky_deactivated: z.boolean().default(false),
  /** What a server that lies says at the end of a sign-in. */
  bluesky_lie: z.enum(["none", "issuer", "subject", "scope"]).default("none"),
  /** What the server's version takes. */
  bluesky_image_max_bytes: z.number().int().min(1).default(2_000_000),
  bluesky_blob_max_bytes: z.number().int().min(1).default(52_428_800),
  /** How late the network's index shows a post. */
  bluesky_index_lag_ms: milliseconds.default(0),
  /** Multiplies the points of an account. */
  bluesky_rate_limit_scale: z.number().min(0.001).max(1000).default(1),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const BLUESKY_PRODUCTION = {
  bluesky_old_access_lives: true,
  bluesky_index_lag_ms: 3_000,
};
