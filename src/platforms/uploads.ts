import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { Failure } from "./context.ts";

/** What uploads in parts have in common. */

/** The result of one call of an upload: how far it is, and whether to go on at once or after a while. */
export type UploadStep<T> =
  | { readonly kind: "more"; readonly upload: T; readonly afterSeconds?: number; readonly reason?: string }
  | { readonly kind: "ready"; readonly upload: T }
  | Failure;

/** Of a part, from a server that may be slow. */
const PART_MS = 45_000;

/** How long sending so many bytes may take. */
export function sendingMs(bytes: number): number {
  return PART_MS * Math.max(1, Math.ceil(bytes / MAX_PART_BYTES));
}

/**
 * How often an upload begins anew that was refused in the middle: its state at the platform is unknown then.
 */
export const MAX_RESTARTS = 1;

const PARTS_PER_DELIVERY = 32;

/** Whether the job pauses after so many parts: one delivery may take only so many minutes and requests. */
export function isPauseDue(parts: number): boolean {
  return parts % PARTS_PER_DELIVERY === 0;
}
