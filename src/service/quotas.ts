/** The quotas of a project. */
export interface Quotas {
  /** Posts that are drafts, scheduled, queued or being published. */
  readonly waitingPosts: number;
  /** Bytes of the texts of its posts. */
  readonly storedBytes: number;
  /** Bytes of its uploaded files. */
  readonly uploadedBytes: number;
  /** Uploads that are not complete. */
  readonly uploadsUnderWay: number;
  /** Open connect sessions that have not connected anything yet. */
  readonly connectSessions: number;
  readonly webhooks: number;
  /** Comment automations that are not deleted, and the active ones per channel. */
  readonly bots: number;
  readonly botsOfChannel: number;
  /** Concurrent requests that inspect media files. */
  readonly probingsAtOnce: number;
  /**
   * The most that its campaigns may cost together, in whole units by currency; `*` for all other currencies.
   */
  readonly spend: Readonly<Record<string, number>>;
  /** The most that platforms may charge for its calls in a month, likewise; empty for no ceiling. */
  readonly platformCost: Readonly<Record<string, number>>;
  /** Generations started per day, UTC. */
  readonly generationsADay: number;
}

/** The ceiling of campaigns unless `MAX_SPEND` names others: roughly the same value in every currency. */
export const STANDARD_SPEND = {
  JPY: 1_500_000,
  KRW: 15_000_000,
  VND: 250_000_000,
  IDR: 150_000_000,
  CLP: 10_000_000,
  COP: 40_000_000,
  HUF: 4_000_000,
  INR: 900_000,
  "*": 10_000,
};
