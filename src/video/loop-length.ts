import type { Frame, Pictures } from "./picture-track.ts";

/**
 * How often a film is shown: some times whole, and then its first frames once more. The last picture stays
 * for what is left, if anything.
 */
export interface LoopLength {
  readonly times: number;
  /** In the order of decoding. */
  readonly more: number;
  /** Of all that. */
  readonly ticks: number;
}

/** A film that begins anew for less than this would only flicker: its last picture stays. */
const MIN_LOOP_SECONDS = 0.5;
/** On average, what platforms ask of reels at the least. */
const PICTURES_A_SECOND = 23;

/**
 * Once at least, and until then or a little later: it is left where all pictures up to one are there, and
 * needed nothing behind it.
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
  // When the earliest of those from each one on is shown.
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
