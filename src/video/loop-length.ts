import type { Frame, Pictures } from "./picture-track.ts";

/**
 * How often a video is looped: a number of complete runs, then its first frames once more. The last picture
 * stays for the remaining time, if any.
 */
export interface LoopLength {
  readonly times: number;
  /** In decoding order. */
  readonly more: number;
  /** The total duration. */
  readonly ticks: number;
}

/** A shorter repeat would only flicker, so the last picture stays instead. */
const MIN_LOOP_SECONDS = 0.5;
/** The minimum average frame rate that platforms require of reels. */
const PICTURES_A_SECOND = 23;

/**
 * Loops at least once, until `until` or slightly later. It stops at a frame where all pictures up to that
 * point are complete, and depend on no later frame.
 */
export function loopUntil({ frames, ticks, ticksPerSecond }: Pictures, until: number): LoopLength {
  if (until <= ticks) return { times: 1, more: 0, ticks };
  const times = Math.floor(until / ticks);
  const rest = until - times * ticks;
  const isFluent = (times * frames.length * ticksPerSecond) / until >= PICTURES_A_SECOND;
  if (rest === 0 || (isFluent && rest < MIN_LOOP_SECONDS * ticksPerSecond)) return { times, more: 0, ticks: until };
  const { more, shownUntil } = firstFrames(frames, ticks, rest);
  return more === frames.length
    ? { times: times + 1, more: 0, ticks: (times + 1) * ticks }
    : { times, more, ticks: times * ticks + shownUntil };
}

function firstFrames(frames: readonly Frame[], ticks: number, until: number): { more: number; shownUntil: number } {
  // The earliest display time of each frame and all later ones.
  const earliest = Array.from({ length: frames.length }, () => ticks);
  for (let index = frames.length - 1, least = ticks; index >= 0; index -= 1) {
    least = Math.min(least, frames[index]?.shownAt ?? ticks);
    earliest[index] = least;
  }
  let latest = -1;
  for (const [index, { shownAt }] of frames.entries()) {
    latest = Math.max(latest, shownAt);
    const next = earliest[index + 1] ?? ticks;
    if (latest < next && next >= until) return { more: index + 1, shownUntil: next };
  }
  return { more: frames.length, shownUntil: ticks };
}
