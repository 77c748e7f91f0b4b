// Fault injection. Each fault waits for calls of one operation on one platform and affects the next `times`
// of them. `operation.ts` applies faults to calls.

import type { Database } from "./database";

const OF_MODELS = ["chat", "image", "speech", "video", "video_status", "video_content"] as const;

export const OPERATIONS = [
  "token",
  "publish",
  "upload",
  "status",
  "delete",
  "comments",
  "insights",
  "reply",
  "message",
  "ads",
  "ads_campaign",
  "ads_set",
  "ads_creative",
  "ads_ad",
  "ads_update",
  "ads_delete",
  "ads_read",
  "ads_insights",
  "ads_search",
  ...OF_MODELS,
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The model server is not a platform; it supports only these operations. */
export const MODEL_OPERATIONS: readonly Operation[] = OF_MODELS;

/** Faults of any call. */
const CALL_FAULTS = [
  "error",
  "html_error",
  "empty_error",
  "gateway_refusal",
  "slow",
  "rate_limit",
  "accept_then_drop",
  "accept_then_error",
] as const;

/** Faults that every platform supports. */
const COMMON_FAULTS = [...CALL_FAULTS, "expire_token", "revoke_token", "reject_media", "processing_failed"] as const;

/** Faults that only some platforms support (`SimulatedPlatform.ownFaults`). */
export const OWN_FAULTS = [
  "credits_depleted",
  "credits_depleted_old",
  "account_locked",
  "page_role_missing",
  "unfetchable_media",
  "organization_permission_missing",
  "proof_refused",
] as const;
export type OwnFault = (typeof OWN_FAULTS)[number];

/** Faults of the model server. It has no logins and accepts no media. Only video processing can fail. */
export const MODEL_FAULTS: readonly FaultKind[] = [...CALL_FAULTS, "processing_failed"];

export const FAULT_KINDS = [...COMMON_FAULTS, ...OWN_FAULTS] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly platform: string;
  readonly operation: Operation;
  readonly kind: FaultKind;
  /** True once the fault has affected a call. */
  met: boolean;
}

export type FaultRow = { platform: string; operation: Operation; kind: FaultKind; times: number };

export class FaultBook {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(): FaultRow[] {
    return this.#db.all<FaultRow>("SELECT platform, operation, kind, times FROM faults ORDER BY rowid");
  }

  set(fault: FaultRow): void {
    const { platform, operation, kind, times } = fault;
    this.#db.run("DELETE FROM faults WHERE platform = ? AND operation = ? AND kind = ?", platform, operation, kind);
    if (times > 0) {
      this.#db.insert("faults", { platform, operation, kind, times });
    }
  }

  /**
   * Takes the oldest fault that waits for this operation and decrements its count. A fault of `ads` matches
   * every operation whose name starts with `ads`.
   */
  take(platform: string, called: Operation): Fault | null {
    const row = this.#db.first<{ rowid: number; operation: Operation; kind: FaultKind; times: number }>(
      "SELECT rowid, operation, kind, times FROM faults WHERE platform = ? AND operation IN (?, ?) ORDER BY rowid LIMIT 1",
      platform,
      called,
      called.startsWith("ads_") ? "ads" : called,
    );
    if (!row) return null;
    if (row.times > 1) this.#db.run("UPDATE faults SET times = times - 1 WHERE rowid = ?", row.rowid);
    else this.#db.run("DELETE FROM faults WHERE rowid = ?", row.rowid);
    return { platform, operation: row.operation, kind: row.kind, met: false };
  }

  giveBack({ platform, operation, kind }: Fault): void {
    const waiting = this.list().find((f) => f.platform === platform && f.operation === operation && f.kind === kind);
    this.set({ platform, operation, kind, times: (waiting?.times ?? 0) + 1 });
  }
}
