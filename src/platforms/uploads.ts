import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { Failure } from "./context.ts";

/** Shared by uploads in parts. */

/** The result of one call of an upload: its progress, and whether to continue at once or after a delay. */
export type UploadStep<T> =
  | { readonly kind: "more"; readonly upload: T; readonly afterSeconds?: number; readonly reason?: string }
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
export function isPauseDue(parts: number): boolean {
  return parts % PARTS_PER_DELIVERY === 0;
}
