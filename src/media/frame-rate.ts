import type { VideoEncoding } from "../platforms/rules.ts";

/** The frame rate of a video by the durations of its frames. Pure. */
export type FrameRate = Pick<VideoEncoding, "fps" | "minFps" | "maxFps">;

export const UNKNOWN_RATE: FrameRate = { fps: null, minFps: null, maxFps: null };

/** A run of frames of one duration, in ticks. */
export interface Run {
  readonly count: number;
  readonly ticks: number;
}

/** Rates that fewer frames have are no property of the video: a first or last frame often differs. */
const FEW = 0.05;

/** `ticksPerSecond`: of the track. */
export function frameRateOf(runs: readonly Run[], ticksPerSecond: number): FrameRate {
  const counts = new Map<number, number>();
  let frames = 0;
  let ticks = 0;
  for (const run of runs) {
    if (run.ticks === 0) continue;
    frames += run.count;
    ticks += run.count * run.ticks;
    counts.set(run.ticks, (counts.get(run.ticks) ?? 0) + run.count);
  }
  if (ticks === 0 || frames < 2 || ticksPerSecond === 0) return UNKNOWN_RATE;
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  const from = (list: readonly (readonly [number, number])[]): number => {
    let passed = 0;
    for (const [duration, count] of list) {
      passed += count;
      if (passed > frames * FEW) return ticksPerSecond / duration;
    }
    return (ticksPerSecond * frames) / ticks;
  };
  return { fps: (ticksPerSecond * frames) / ticks, maxFps: from(sorted), minFps: from(sorted.toReversed()) };
}
