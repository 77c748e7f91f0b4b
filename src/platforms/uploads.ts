import type { Failure } from "./platform.ts";

/** What uploads in parts have in common. */

/** One bounded act of an upload: what was reached, and whether to go on at once or after a while. */
export type UploadStep<T> =
  | { readonly kind: "more"; readonly upload: T; readonly afterSeconds?: number; readonly reason?: string }
  | { readonly kind: "ready"; readonly upload: T }
  | Failure;

/** An upload that is refused in the middle, for reasons that nobody knows, begins anew so many times. */
export const MAX_RESTARTS = 1;

const PARTS_AT_A_STRETCH = 32;

/** Whether the job pauses after so many parts: one delivery may take only so many minutes and requests. */
export function isPauseDue(parts: number): boolean {
  return parts % PARTS_AT_A_STRETCH === 0;
}
