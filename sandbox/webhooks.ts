// Outgoing webhooks: an outbox that delivers each notification to its address and retries until it succeeds.
// A 2xx response confirms delivery. After any other response the notification is retried at growing intervals
// and finally dropped. Its bytes are the same on every attempt. Each platform decides who is notified and how
// the body is signed. With the setting `webhooks: "hold"`, nothing is sent. The test reads the outbox
// (`/_control/webhooks`), delivers, and reports the response.

import { z } from "zod";
import type { Database } from "./database";
import { base64, hex, hmac } from "./digest";
import type { Clock, SettingsStore } from "./settings";

export const WEBHOOK_TABLES = `
  CREATE TABLE IF NOT EXISTS webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, platform TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL,
    secret TEXT NOT NULL, signatures TEXT NOT NULL, content_type TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS webhooks_by_state ON webhooks (state, next_at);
`;

const Signature = z.object({
  header: z.string(),
  hash: z.enum(["SHA-256", "SHA-1"]),
  encoding: z.enum(["hex", "base64"]),
  prefix: z.string(),
  /** Signs the time and a dot before the body, and writes `t=<seconds>,s=` before the digest (TikTok). */
  isTimed: z.boolean().optional(),
});
/** A header that authenticates the body with a secret. */
export type Signature = z.infer<typeof Signature>;

export interface Webhook {
  platform: string;
  url: string;
  /** The exact bytes of the request body. */
  body: string;
  secret: string;
  signatures: readonly Signature[];
  /** Default: JSON. */
  contentType?: string;
}

/**
 * `later`: rejected, will be retried. `lost`: never sent, because of a setting. `dropped`: rejected too
 * often.
 */
export const WEBHOOK_STATES = ["waiting", "later", "delivered", "lost", "dropped"] as const;
type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface WebhookRecord {
  id: number;
  platform: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  state: WebhookState;
  attempts: number;
}

type Row = {
  id: number;
  platform: string;
  url: string;
  body: string;
  secret: string;
  signatures: string;
  content_type: string;
  state: Exclude<WebhookState, "later">;
  attempts: number;
  next_at: number;
  created_at: number;
};

const KEPT = 5000;
const AT_ONCE = 20;
const TIME_LIMIT_MS = 10_000;
const MINUTE_MS = 60_000;
/** Intervals between attempts; about 36 hours in total. */
const GAPS_MS = [1 / 6, 1, 5, 30, 120, 360, 720, 900].map((minutes) => minutes * MINUTE_MS);

/**
 * Whether a platform would call the address. Real platforms require https. The sandbox also accepts http on
 * this machine, because the development service has no certificate.
 */
export function isCallable(url: string): boolean {
  const address = URL.parse(url);
  if (address?.protocol === "https:") return true;
  return address?.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname);
}

/** The response of an address to the platform's verification request; null if there is none. */
export async function fetchText(url: URL): Promise<{ status: number; text: string } | null> {
  try {
    const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIME_LIMIT_MS) });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}

export class WebhookOutbox {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #settings: SettingsStore;
  readonly #wakeAt: (at: number) => void;

  /** `wakeAt` schedules `deliverDue` at a time of the real clock and replaces the previous schedule. */
  constructor(db: Database, clock: Clock, settings: SettingsStore, wakeAt: (at: number) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#settings = settings;
    this.#wakeAt = wakeAt;
  }

  get isHeld(): boolean {
    return this.#settings.all.webhooks === "hold";
  }

  add(webhook: Webhook): void {
    const { webhooks_lost, webhooks_repeat } = this.#settings.all;
    const now = this.#clock.now();
    for (let copy = 0; copy < (webhooks_repeat ? 2 : 1); copy += 1) {
      const row = this.#db.insert<{ id: number }>("webhooks", {
        platform: webhook.platform,
        url: webhook.url,
        body: webhook.body,
        secret: webhook.secret,
        signatures: JSON.stringify(webhook.signatures),
        content_type: webhook.contentType ?? "application/json",
        state: webhooks_lost ? "lost" : "waiting",
        next_at: now,
        created_at: now,
      });
      this.#db.run("DELETE FROM webhooks WHERE id <= ?", (row?.id ?? 0) - KEPT);
    }
    this.wake();
  }

  /** Oldest first. */
  list(): Promise<WebhookRecord[]> {
    return Promise.all(this.#db.all<Row>("SELECT * FROM webhooks ORDER BY id").map((row) => this.#record(row)));
  }

  /** Records the response status of a delivery (0: no response). Null if the notification does not exist. */
  async answered(id: number, status: number): Promise<WebhookRecord | null> {
    const row = this.#find(id);
    if (!row) return null;
    this.#close(row, status);
    this.wake();
    const closed = this.#find(id);
    return closed && this.#record(closed);
  }

  /** Sends the due notifications in batches and schedules the next run. */
  async deliverDue(): Promise<void> {
    if (this.isHeld) return;
    const due = this.#db.all<Row>(
      "SELECT * FROM webhooks WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, id LIMIT ?",
      this.#clock.now(),
      AT_ONCE,
    );
    await Promise.all(due.map(async (row) => this.#close(row, await this.#send(row))));
    this.wake();
  }

  /**
   * Schedules the next delivery. Call this after any change of what is due, including the clock and the
   * settings.
   */
  wake(): void {
    if (this.isHeld) return;
    const next = this.#db.first<{ at: number | null }>(
      "SELECT min(next_at) AS at FROM webhooks WHERE state = 'waiting'",
    );
    if (next && next.at !== null) this.#wakeAt(Math.max(Date.now(), next.at - this.#clock.offsetMs));
  }

  #find(id: number): Row | null {
    return this.#db.first<Row>("SELECT * FROM webhooks WHERE id = ?", id);
  }

  async #send(row: Row): Promise<number> {
    try {
      const answer = await fetch(row.url, {
        method: "POST",
        headers: await headersOf(row),
        body: row.body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return 0;
    }
  }

  #close({ id, attempts }: Row, status: number): void {
    const gap = GAPS_MS[attempts];
    const isTaken = status >= 200 && status < 300;
    this.#db.run(
      "UPDATE webhooks SET state = ?, attempts = attempts + 1, next_at = ? WHERE id = ?",
      isTaken ? "delivered" : gap === undefined ? "dropped" : "waiting",
      this.#clock.now() + (gap ?? 0),
      id,
    );
  }

  async #record(row: Row): Promise<WebhookRecord> {
    const { id, platform, url, body, attempts } = row;
    const isLater = row.state === "waiting" && row.next_at > this.#clock.now();
    return { id, platform, url, headers: await headersOf(row), body, state: isLater ? "later" : row.state, attempts };
  }
}

async function headersOf(row: Row): Promise<Record<string, string>> {
  const signatures = z.array(Signature).parse(JSON.parse(row.signatures));
  const seconds = Math.floor(row.created_at / 1000);
  const signed = signatures.map(async ({ header, hash, encoding, prefix, isTimed }) => {
    const digest = await hmac(row.secret, isTimed ? `${seconds}.${row.body}` : row.body, hash);
    const shown = encoding === "hex" ? hex(digest) : base64(digest);
    return [header, isTimed ? `t=${seconds},s=${shown}` : prefix + shown];
  });
  return { "content-type": row.content_type, ...Object.fromEntries(await Promise.all(signed)) };
}
