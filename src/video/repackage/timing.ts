import { uint32, viewOf } from "../../media/bytes.ts";
import { longOf, type Movie } from "./tracks.ts";
import { damaged } from "./unfit.ts";
import type { WrittenTrack } from "./written-track.ts";

/**
 * When the tracks of a fragmented file are shown. Its fragments have times of their own, which may start late
 * (a part of a live stream), and its header has edit lists without a duration. In an ordinary file, each
 * track starts at zero, and its edit list says what is skipped or awaited.
 */
export interface Timing {
  /** The content of `mvhd`, but for the duration. */
  readonly movieHeader: Uint8Array;
  /** The duration of the movie, in its own ticks. */
  readonly ticks: number;
  readonly tracks: readonly TrackTiming[];
}

export interface TrackTiming {
  readonly movieTicks: number;
  readonly mediaTicks: number;
  /** The content of `elst`; null if the track is shown as it is. */
  readonly edits: Uint8Array | null;
}

export function timed(movie: Movie, written: readonly WrittenTrack[]): Timing {
  const starts = written.map((one) => startOf(one, movie.ticksPerSecond));
  // What all tracks wait for is left out.
  const shared = Math.max(0, Math.min(...starts.filter((_, index) => (written[index]?.samples ?? 0) > 0)));
  // A wait is in ticks of the movie, often milliseconds: in those of the track that waits, it is exact.
  const waiting = written.find((_, index) => (starts[index] ?? 0) > shared);
  const ticksPerSecond = waiting?.track.ticksPerSecond ?? movie.ticksPerSecond;
  const tracks = written.map((one, index) => {
    const { track, startsAt, endsAt, shownUntil } = one;
    const [mediaTicks, shownTicks] = [endsAt - (startsAt ?? 0), shownUntil - (startsAt ?? 0)];
    const delay = (starts[index] ?? 0) - shared;
    const skipped = Math.max(0, Math.round(-delay * track.ticksPerSecond));
    const awaited = Math.max(0, Math.round(delay * ticksPerSecond));
    const shown = Math.ceil((Math.max(0, shownTicks - skipped) / track.ticksPerSecond) * ticksPerSecond);
    const isPlain = skipped === 0 && awaited === 0;
    const edits = isPlain ? null : editList(awaited, shown, skipped);
    return { movieTicks: awaited + shown, mediaTicks, edits };
  });
  const movieHeader = movie.header.slice();
  viewOf(movieHeader).setUint32(movieHeader[0] === 1 ? 20 : 12, ticksPerSecond);
  return { movieHeader, ticks: Math.max(...tracks.map(({ movieTicks }) => movieTicks)), tracks };
}

/** When the first frame of the track is shown, in seconds; negative if the first frames are skipped. */
function startOf({ track, startsAt }: WrittenTrack, movieTicksPerSecond: number): number {
  const [first, second] = editsOf(track.edits);
  const begins = (startsAt ?? 0) / track.ticksPerSecond;
  if (!first) return begins;
  if (first.mediaTime >= 0) return begins - first.mediaTime / track.ticksPerSecond;
  return begins - Math.max(0, second?.mediaTime ?? 0) / track.ticksPerSecond + first.movieTicks / movieTicksPerSecond;
}

interface Edit {
  readonly movieTicks: number;
  /** What is shown from here on, in ticks of the track; -1 if nothing is. */
  readonly mediaTime: number;
}

/** The first two, which say when a track starts. Later ones cut a recording, which fragments do not do. */
function editsOf(elst: Uint8Array | null): readonly Edit[] {
  if (elst === null) return [];
  const isLong = elst[0] === 1;
  const row = isLong ? 20 : 12;
  const rows = Math.min(uint32(elst, 4), 2);
  if (elst.byteLength < 8 + rows * row) throw damaged();
  const view = viewOf(elst);
  return Array.from({ length: rows }, (_, index) => {
    const at = 8 + index * row;
    const mediaTime = isLong ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4);
    return { movieTicks: longOf(elst, at), mediaTime };
  });
}

function editList(awaited: number, shown: number, skipped: number): Uint8Array {
  const rows = [...(awaited > 0 ? [[awaited, -1]] : []), [shown, skipped]];
  const view = new DataView(new ArrayBuffer(8 + rows.length * 20));
  view.setUint32(0, 0x1000000);
  view.setUint32(4, rows.length);
  for (const [index, [ticks = 0, time = 0]] of rows.entries()) {
    view.setBigUint64(8 + index * 20, BigInt(ticks));
    view.setBigInt64(16 + index * 20, BigInt(time));
    view.setUint32(24 + index * 20, 0x10000);
  }
  return new Uint8Array(view.buffer);
}
