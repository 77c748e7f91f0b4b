import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { Failure } from "./context.ts";

/** Shared by uploads in parts. */

/** Whether an upload continues at once or after a delay, and what its step sent. */
export interface UploadPace {
  readonly afterSeconds?: number;
  readonly reason?: string;
  /**
   * The bytes that the step sent, if sending them again is harmless: the platform continues at its own
   * offset, or ignores a file that no post uses.
   */
  readonly repeatableBytes?: number;
}

/** The result of one call of an upload: its progress, and how to continue. */
export type UploadStep<T> =
  | ({ readonly kind: "more"; readonly upload: T } & UploadPace)
  | { readonly kind: "ready"; readonly upload: T }
  | Failure;

/** The time for one part, from a server that may be slow. */
const PART_MS = 45_000;

/** The time limit for sending this many bytes. */
export function sendingMs(bytes: number): number {
  return PART_MS * Math.max(1, Math.ceil(bytes / MAX_PART_BYTES));
}

/** How often an upload that was refused midway restarts: its state at the platform is unknown then. */
export const MAX_RESTARTS = 1;

const PARTS_PER_DELIVERY = 32;

/** Whether the job pauses after this many parts: one delivery has limited time and requests. */
export function isPauseDue(parts: number, perDelivery = PARTS_PER_DELIVERY): boolean {
  return parts % perDelivery === 0;
}
