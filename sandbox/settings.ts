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

  facebook_require_appsecret_proof: z.boolean().default(true),
  facebook_listing_lag_ms: milliseconds.default(1500),
  facebook_code_seconds: seconds.default(600),
  facebook_short_token_seconds: seconds.default(5183),
  facebook_long_token_seconds: seconds.default(5_184_000),
  facebook_photo_max_bytes: z.number().int().min(1).default(4_194_304),
  facebook_reels_per_day: z.number().int().min(0).default(30),
  facebook_calls_per_hour: z.number().int().min(1).default(20_000),

  twitter_dialect: z.enum(["new", "old"]).default("new"),
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

export class SettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get all(): Settings {
    const rows = this.#db.all<{ name: string; value: string }>("SELECT name, value FROM settings");
    return Settings.parse(Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.value)])));
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
