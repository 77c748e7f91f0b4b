import type { Chunks } from "./chunks.ts";
import { Runs, type TableBudget, Words } from "./lists.ts";
import { MAX_SAMPLES } from "./sample-tables.ts";
import type { Track } from "./tracks.ts";
import { damaged, tooComplex } from "./unfit.ts";

/** The frames of one file, of all tracks. */
export class SampleCount {
  #left = MAX_SAMPLES;

  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw tooComplex();
  }
}

/** What all tracks of a file write to. */
export interface SharedTables {
  readonly chunks: Chunks;
  readonly budget: TableBudget;
  readonly count: SampleCount;
}

/** Frames that follow each other in the file: the least distance of pictures and sound in the result. */
const MAX_CHUNK_BYTES = 1024 * 1024;

/** The tables of a track whose frames come from fragments. */
export class WrittenTrack {
  readonly track: Track;
  readonly sizes: Words;
  /** `stts`. */
  readonly ticks: Runs;
  /** `ctts`. */
  readonly shifts: Runs;
  /** `stss`. */
  readonly keys: Words;
  /** `stsc`: its first chunk, the frames of each, and their description. */
  readonly chunkRows: Words;
  readonly #number: number;
  readonly #count: SampleCount;
  readonly #chunks: Chunks;
  samples = 0;
  hasShifts = false;
  hasNegativeShifts = false;
  /** When its first frame is decoded, in ticks; null before the first. */
  startsAt: number | null = null;
  /** When its next frame is decoded if nothing else is said, in ticks. */
  endsAt = 0;
  /** When its last frame ends on the screen: later than `endsAt` if frames are shown out of order. */
  shownUntil = 0;
  #ownChunks = 0;
  #chunk = { samples: 0, description: 0 };
  #lastRow = { samples: 0, description: 0 };

  /** `number`: of the track, among its chunks. */
  constructor(track: Track, number: number, { chunks, budget, count }: SharedTables) {
    this.track = track;
    this.#number = number;
    this.#chunks = chunks;
    this.#count = count;
    this.sizes = new Words(budget);
    this.ticks = new Runs(budget);
    this.shifts = new Runs(budget);
    this.keys = new Words(budget);
    this.chunkRows = new Words(budget);
  }

  /**
   * The time of the next frame, where a fragment states it. A gap lengthens the frame before it; an overlap
   * shortens that frame, as players do.
   */
  moveTo(time: number): void {
    if (!Number.isSafeInteger(time)) throw damaged();
    if (this.startsAt === null) {
      this.startsAt = time;
      this.endsAt = time;
      return;
    }
    const by = time - this.endsAt;
    if (by === 0 || this.samples === 0) return;
    let moved = 0;
    this.ticks.changeLast((ticks) => {
      const changed = Math.min(Math.max(ticks + by, 0), 0xffff_ffff);
      moved = changed - ticks;
      return changed;
    });
    this.endsAt += moved;
    this.shownUntil += Math.max(0, moved);
  }

  /** A number of frames in a row at this offset of the source. `sizesOf` has the size of each. */
  addData(offset: number, size: number, samples: number, description: number): void {
    if (samples === 0) return;
    const isSame =
      this.#chunk.description === description && this.#chunks.continues(this.#number, offset, size, MAX_CHUNK_BYTES);
    if (isSame) {
      this.#chunks.extendLast(size);
      this.#chunk.samples += samples;
      return;
    }
    this.#closeChunk();
    this.#chunks.add(this.#number, offset, size);
    this.#ownChunks += 1;
    this.#chunk = { samples, description };
  }

  addSample(size: number, ticks: number, shift: number, isKey: boolean): void {
    this.startsAt ??= 0;
    this.#count.take(1);
    this.samples += 1;
    this.sizes.push(size);
    this.ticks.push(ticks);
    this.shifts.push(shift);
    if (shift !== 0) this.hasShifts = true;
    if (shift < 0) this.hasNegativeShifts = true;
    if (isKey && this.track.handler === "vide") this.keys.push(this.samples);
    this.endsAt += ticks;
    this.shownUntil = Math.max(this.shownUntil, this.endsAt + shift);
  }

  /** Call before the tables are read. */
  close(): void {
    this.#closeChunk();
    this.ticks.flush();
    this.shifts.flush();
  }

  #closeChunk(): void {
    const { samples, description } = this.#chunk;
    if (samples === 0) return;
    const last = this.#lastRow;
    if (last.samples === samples && last.description === description) return;
    for (const number of [this.#ownChunks, samples, description]) this.chunkRows.push(number);
    this.#lastRow = { samples, description };
  }
}
