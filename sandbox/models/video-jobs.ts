// Video generation jobs. The outcome of a job is fixed at its start; its state then depends only on the
// clock.

import type { Database } from "../database";
import { randomText } from "../random";
import type { Clock, SettingsStore } from "../settings";

export const VIDEO_JOB_TABLES = `
  CREATE TABLE IF NOT EXISTS video_jobs (
    id TEXT PRIMARY KEY, prompt TEXT NOT NULL, model TEXT NOT NULL, seconds TEXT NOT NULL, size TEXT NOT NULL,
    idempotency_key TEXT, fate TEXT, duration_ms INTEGER NOT NULL, created_at INTEGER NOT NULL);
`;

/** How long a finished video can be downloaded. */
const KEPT_MS = 3_600_000;

export type NewVideo = {
  prompt: string;
  model: string;
  seconds: string;
  size: string;
  idempotency_key: string | null;
  /** Null if the job succeeds. */
  fate: "refused" | "failed" | null;
};

type Row = NewVideo & { id: string; duration_ms: number; created_at: number };

export interface VideoJob extends Row {
  status: "queued" | "in_progress" | "completed" | "failed";
  progress: number;
  completed_at: number | null;
  expires_at: number | null;
}

export class VideoJobs {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #settings: SettingsStore;

  constructor(db: Database, clock: Clock, settings: SettingsStore) {
    this.#db = db;
    this.#clock = clock;
    this.#settings = settings;
  }

  begin(video: NewVideo): VideoJob {
    const row: Row = {
      ...video,
      id: `video_${randomText(32)}`,
      duration_ms: this.#settings.all.models_video_ms,
      created_at: this.#clock.now(),
    };
    this.#db.insert("video_jobs", {
      id: row.id,
      prompt: row.prompt,
      model: row.model,
      seconds: row.seconds,
      size: row.size,
      idempotency_key: row.idempotency_key,
      fate: row.fate,
      duration_ms: row.duration_ms,
      created_at: row.created_at,
    });
    return this.#view(row);
  }

  find(id: string): VideoJob | null {
    const row = this.#db.first<Row>("SELECT * FROM video_jobs WHERE id = ?", id);
    return row && this.#view(row);
  }

  ofKey(key: string): VideoJob | null {
    const row = this.#db.first<Row>("SELECT * FROM video_jobs WHERE idempotency_key = ?", key);
    return row && this.#view(row);
  }

  /** Newest first. */
  list(): VideoJob[] {
    const rows = this.#db.all<Row>("SELECT * FROM video_jobs ORDER BY created_at DESC, rowid DESC");
    return rows.map((row) => this.#view(row));
  }

  #view(row: Row): VideoJob {
    const age = this.#clock.now() - row.created_at;
    if (age < row.duration_ms) {
      const part = age / row.duration_ms;
      const running = { completed_at: null, expires_at: null };
      return part < 0.25
        ? { ...row, status: "queued", progress: 0, ...running }
        : { ...row, status: "in_progress", progress: Math.floor(part * 100), ...running };
    }
    const completed_at = row.created_at + row.duration_ms;
    if (row.fate !== null) return { ...row, status: "failed", progress: 50, completed_at, expires_at: null };
    return { ...row, status: "completed", progress: 100, completed_at, expires_at: completed_at + KEPT_MS };
  }
}
