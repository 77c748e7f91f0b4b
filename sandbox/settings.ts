import { z } from "zod";
import { BLUESKY_PRODUCTION, BLUESKY_SETTINGS } from "./bluesky/settings";
import type { Database } from "./database";
import { FACEBOOK_PRODUCTION, FACEBOOK_SETTINGS } from "./facebook/settings";
import { INSTAGRAM_PRODUCTION, INSTAGRAM_SETTINGS } from "./instagram/settings";
import { LINKEDIN_PRODUCTION, LINKEDIN_SETTINGS } from "./linkedin/settings";
import { ADS_PRODUCTION, ADS_SETTINGS } from "./meta/ads/settings";
import { MODEL_PRODUCTION, MODEL_SETTINGS } from "./models/settings";
import { milliseconds } from "./setting-types";
import { THREADS_PRODUCTION, THREADS_SETTINGS } from "./threads/settings";
import { TIKTOK_PRODUCTION, TIKTOK_SETTINGS } from "./tiktok/settings";
import { TWITTER_PRODUCTION, TWITTER_SETTINGS } from "./twitter/settings";
import { YOUTUBE_PRODUCTION, YOUTUBE_SETTINGS } from "./youtube/settings";

export const Settings = z.strictObject({
  /**
   * How closely the platforms behave like the real ones. `production` enables every behaviour below that a
   * real platform shows on an ordinary day. A setting with an explicit value overrides it.
   */
  realism: z.enum(["calm", "production"]).default("calm"),

  /** How long an upload is processed before it can be published, or fails. */
  processing_ms: milliseconds.default(1500),
  /** The delay of a call that meets the fault `slow`. */
  slow_ms: milliseconds.default(8000),
  /** The time until the reset when a call meets the fault `rate_limit`. */
  rate_limit_reset_ms: milliseconds.default(2000),

  /**
   * Rejects parameters that the real platform silently ignores (Facebook), so that a misspelt one fails a
   * test.
   */
  strict: z.boolean().default(false),

  /**
   * The largest page of a list of Meta's Graph API, as of a busy inbox: a larger one is refused with code 1.
   * 0: any.
   */
  graph_list_most: z.number().int().min(0).default(0),
  /** Whether `debug_token` of Facebook Login names the person. */
  debug_token_person: z.enum(["named", "omitted"]).default("named"),

  /**
   * Whether webhooks are sent, or held for a test to fetch and deliver. When held, callback addresses are not
   * verified.
   */
  webhooks: z.enum(["send", "hold"]).default("send"),
  /** Delivers each webhook twice. */
  webhooks_repeat: z.boolean().default(false),
  /** Delivers no webhooks. */
  webhooks_lost: z.boolean().default(false),

  ...MODEL_SETTINGS,
  ...ADS_SETTINGS,
  ...FACEBOOK_SETTINGS,
  ...INSTAGRAM_SETTINGS,
  ...LINKEDIN_SETTINGS,
  ...TIKTOK_SETTINGS,
  ...THREADS_SETTINGS,
  ...TWITTER_SETTINGS,
  ...YOUTUBE_SETTINGS,
  ...BLUESKY_SETTINGS,
});
export type Settings = z.infer<typeof Settings>;

/**
 * Omits behaviours that are rare on the real platforms or would stop a test: daily limits, short lifetimes,
 * outages.
 */
const PRODUCTION = {
  processing_ms: 5_000,
  webhooks_repeat: true,
  ...MODEL_PRODUCTION,
  ...ADS_PRODUCTION,
  ...FACEBOOK_PRODUCTION,
  ...INSTAGRAM_PRODUCTION,
  ...LINKEDIN_PRODUCTION,
  ...TIKTOK_PRODUCTION,
  ...THREADS_PRODUCTION,
  ...TWITTER_PRODUCTION,
  ...YOUTUBE_PRODUCTION,
  ...BLUESKY_PRODUCTION,
};

/**
 * The defaults of an installation, from its variable `SETTINGS` (JSON). Throws if a name or value is unknown.
 */
export function readOwnSettings(json: string | undefined): Partial<Settings> {
  const sent: unknown = JSON.parse(json ?? "{}");
  const names = Object.keys(z.record(z.string(), z.unknown()).parse(sent));
  return Object.fromEntries(Object.entries(Settings.parse(sent)).filter(([name]) => names.includes(name)));
}

export class SettingsStore {
  readonly #db: Database;
  readonly #own: Partial<Settings>;
  /** Cached settings: a list reads them for each of its rows. */
  #known: Settings | null = null;

  /** `own`: this installation's defaults. Explicit settings override them; a reset restores them. */
  constructor(db: Database, own: Partial<Settings>) {
    this.#db = db;
    this.#own = own;
  }

  get all(): Settings {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): Settings {
    const rows = this.#db.all<{ name: string; value: string }>("SELECT name, value FROM settings");
    const own: Record<string, unknown> = {
      ...this.#own,
      ...Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.value)])),
    };
    return Settings.parse({ ...(own.realism === "production" ? PRODUCTION : {}), ...own });
  }

  /** Clears the cache. Required after the table was changed elsewhere. */
  forget(): void {
    this.#known = null;
  }

  /** Changes the named settings and keeps the others. */
  change(changes: Partial<Settings>): Settings {
    for (const [name, value] of Object.entries(changes)) {
      this.#db.replace("settings", { name, value: JSON.stringify(value) });
    }
    this.forget();
    return this.all;
  }
}

/** The sandbox's only clock. Everything with a time uses it; tests can shift it, or let it stand still. */
export class Clock {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get offsetMs(): number {
    return this.now() - Date.now();
  }

  shift(offsetMs: number): void {
    this.#set({ offset_ms: offsetMs, stands_at: null });
  }

  /** Until the next change it is this instant. */
  stop(at: number): void {
    this.#set({ offset_ms: 0, stands_at: at });
  }

  #set(row: { readonly offset_ms: number; readonly stands_at: number | null }): void {
    this.#db.run("DELETE FROM clock");
    this.#db.insert("clock", row);
  }

  now(): number {
    const row = this.#db.first<{ offset_ms: number; stands_at: number | null }>("SELECT * FROM clock");
    return row?.stands_at ?? Date.now() + (row?.offset_ms ?? 0);
  }
}
