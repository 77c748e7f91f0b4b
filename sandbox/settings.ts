import { z } from "zod";
import type { Database } from "./database";

const milliseconds = z.number().int().min(0).max(86_400_000);
const seconds = z.number().int().min(1).max(31_536_000);

export const Settings = z.strictObject({
  /** How long an upload is processed before it can be published, or fails. */
  processing_ms: milliseconds.default(1500),
  /** How long a call waits when it meets the fault `slow`. */
  slow_ms: milliseconds.default(8000),
  /** How far ahead the reset lies when a call meets the fault `rate_limit`. */
  rate_limit_reset_ms: milliseconds.default(2000),

  /** Refuses parameters that the real platform ignores in silence (facebook): a misspelt one fails a test. */
  strict: z.boolean().default(false),

  facebook_require_appsecret_proof: z.boolean().default(true),
  facebook_listing_lag_ms: milliseconds.default(1500),
  /** Lists break their pages off early: an empty first one, then ever fewer items than asked for, each with a next. */
  facebook_short_pages: z.boolean().default(false),
  /** How Graph gives texts back. Altered: white space folded, zero-width characters gone, `@[id]` become names. */
  facebook_text_readback: z.enum(["exact", "altered"]).default("exact"),
  /** What the status of a finished video claims for `facebook_video_state_ms`, while it goes live as ever. */
  facebook_video_state: z.enum(["accurate", "not_started", "upload_complete", "ready_unpublished"]).default("accurate"),
  facebook_video_state_ms: milliseconds.default(20_000),
  /** Whether a second `finish` is acknowledged only; facebook was seen to make a second post of it. */
  facebook_finish_is_idempotent: z.boolean().default(false),
  /** What becomes of a vertical video that is sent to `/videos`. */
  facebook_vertical_videos: z.enum(["published", "draft"]).default("published"),
  facebook_code_seconds: seconds.default(600),
  facebook_short_token_seconds: seconds.default(5183),
  facebook_long_token_seconds: seconds.default(5_184_000),
  facebook_photo_max_bytes: z.number().int().min(1).default(4_194_304),
  facebook_reels_per_day: z.number().int().min(0).default(30),
  facebook_calls_per_hour: z.number().int().min(1).default(20_000),

  /** The names of the read side: those of 2.167, the older ones, or both, understood and answered. */
  twitter_dialect: z.enum(["new", "old", "both"]).default("new"),
  twitter_code_seconds: seconds.default(30),
  twitter_access_token_seconds: seconds.default(7200),
  twitter_replay_kills_family: z.boolean().default(true),
  twitter_duplicate_window_ms: milliseconds.default(86_400_000),
  twitter_listing_lag_ms: milliseconds.default(0),
  twitter_replication_lag_ms: milliseconds.default(0),
  twitter_search_lag_ms: milliseconds.default(30_000),
  twitter_video_max_ms: z.number().int().min(500).default(140_000),
  /** Multiplies every documented allowance. */
  twitter_rate_limit_scale: z.number().min(0.001).max(1000).default(1),
  /** Who may be answered: `enterprise` anyone, `self_serve` only those who mentioned the account. */
  twitter_plan: z.enum(["self_serve", "enterprise"]).default("self_serve"),
  /** Which of the two refusals seen in the wild an unsummoned reply gets. */
  twitter_not_summoned_shape: z.enum(["blank", "problem"]).default("blank"),
});
export type Settings = z.infer<typeof Settings>;

/** The defaults of an installation, from its variable `SETTINGS` (JSON); throws when a name or value is not known. */
export function readOwnSettings(json: string | undefined): Partial<Settings> {
  const sent: unknown = JSON.parse(json ?? "{}");
  const names = Object.keys(z.record(z.string(), z.unknown()).parse(sent));
  return Object.fromEntries(Object.entries(Settings.parse(sent)).filter(([name]) => names.includes(name)));
}

export class SettingsStore {
  readonly #db: Database;
  readonly #own: Partial<Settings>;

  /** `own` are this installation's defaults: what was set goes over them, a reset comes back to them. */
  constructor(db: Database, own: Partial<Settings>) {
    this.#db = db;
    this.#own = own;
  }

  get all(): Settings {
    const rows = this.#db.all<{ name: string; value: string }>("SELECT name, value FROM settings");
    return Settings.parse({
      ...this.#own,
      ...Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.value)])),
    });
  }

  /** Changes what is named and leaves the rest. */
  change(changes: Partial<Settings>): Settings {
    for (const [name, value] of Object.entries(changes)) {
      this.#db.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, JSON.stringify(value));
    }
    return this.all;
  }
}

/** The one clock of the sandbox: everything with a time reads it, and tests shift it. */
export class Clock {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get offsetMs(): number {
    return this.#db.first<{ offset_ms: number }>("SELECT offset_ms FROM clock")?.offset_ms ?? 0;
  }

  shift(offsetMs: number): void {
    this.#db.run("DELETE FROM clock");
    this.#db.run("INSERT INTO clock (offset_ms) VALUES (?)", offsetMs);
  }

  now(): number {
    return Date.now() + this.offsetMs;
  }
}
