// What every simulated platform receives: storage, clock, settings, faults, files, media fetches, and
// outgoing webhooks.

import { BlobStore } from "./blobs";
import { CallLog } from "./calls";
import { Database } from "./database";
import { FaultBook } from "./faults";
import { MODEL_CALL_TABLES, ModelCallLog } from "./models/call-log";
import { VIDEO_JOB_TABLES, VideoJobs } from "./models/video-jobs";
import type { SimulatedPlatform } from "./platform";
import { Clock, type Settings, SettingsStore } from "./settings";
import { WEBHOOK_TABLES, WebhookOutbox } from "./webhooks";

const SHARED_TABLES = `${WEBHOOK_TABLES}${MODEL_CALL_TABLES}${VIDEO_JOB_TABLES}
  CREATE TABLE IF NOT EXISTS sequences (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS clock (offset_ms INTEGER NOT NULL, stands_at INTEGER);
  CREATE TABLE IF NOT EXISTS faults (
    platform TEXT NOT NULL, operation TEXT NOT NULL, kind TEXT NOT NULL, times INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, platform TEXT NOT NULL, method TEXT NOT NULL, host TEXT NOT NULL,
    path TEXT NOT NULL, authorization TEXT, body TEXT, operation TEXT, status INTEGER, fault TEXT,
    at INTEGER NOT NULL, ended_at INTEGER);
  CREATE TABLE IF NOT EXISTS set_counts (
    platform TEXT NOT NULL, post_id TEXT NOT NULL, counter TEXT NOT NULL, value INTEGER,
    PRIMARY KEY (platform, post_id, counter));
  CREATE TABLE IF NOT EXISTS removal_callbacks (
    platform TEXT PRIMARY KEY, deauthorize_url TEXT NOT NULL, deletion_url TEXT);
  CREATE TABLE IF NOT EXISTS fetched_media (url TEXT PRIMARY KEY, source_type TEXT, blob_id TEXT);
  CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, type TEXT NOT NULL, size INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS blob_parts (
    blob_id TEXT NOT NULL, start INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (blob_id, start));
`;

export class Sandbox {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: SettingsStore;
  readonly faults: FaultBook;
  readonly calls: CallLog;
  readonly blobs: BlobStore;
  readonly webhooks: WebhookOutbox;
  readonly modelCalls: ModelCallLog;
  readonly videoJobs: VideoJobs;
  /** In display order; filled when the object starts. */
  readonly platforms: SimulatedPlatform[] = [];

  /** `wakeAt` schedules the delivery of due webhooks at a time of the real clock. */
  constructor(sql: SqlStorage, ownSettings: Partial<Settings>, wakeAt: (at: number) => void) {
    this.db = new Database(sql);
    this.db.run(SHARED_TABLES);
    this.clock = new Clock(this.db);
    this.settings = new SettingsStore(this.db, ownSettings);
    this.faults = new FaultBook(this.db);
    this.calls = new CallLog(this.db);
    this.blobs = new BlobStore(this.db);
    this.modelCalls = new ModelCallLog(this.db);
    this.videoJobs = new VideoJobs(this.db, this.clock, this.settings);
    this.webhooks = new WebhookOutbox(this.db, this.clock, this.settings, wakeAt);
  }

  now(): number {
    return this.clock.now();
  }

  iso(at: number = this.now()): string {
    return new Date(at).toISOString();
  }
}
