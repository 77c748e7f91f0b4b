import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterReading,
  beginReading,
  isThrough,
  readState,
  type ScanState,
} from "../../src/automations/comment-scan.ts";
import type { ReadComment } from "../../src/platforms/commenting.ts";
import { runsOf } from "../contract/sample.ts";

/**
 * Reading comments while the platform's list moves: none is missed for good, whatever comes late, goes, or
 * shifts.
 */

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const START = 1_900_000_000_000;

interface Shown {
  readonly id: string;
  /** Dated in whole seconds, as some platforms do. */
  readonly createdAt: number;
  readonly shownAt: number;
  readonly goneAt: number;
}

const comments = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 2 * HOUR }),
    late: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 10 * MINUTE }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * DAY }) },
    ),
    life: fc.option(fc.integer({ min: 0, max: 3 * HOUR })),
  }),
  { minLength: 60, maxLength: 90 },
);

const world = fc.record({
  comments,
  /** From zero: whether many share a second. */
  crowd: fc.integer({ min: 1, max: 4 }),
  size: fc.integer({ min: 1, max: 4 }),
  paging: fc.constantFrom("offset", "after" as const),
  /** Between two pages. */
  pauses: fc.array(fc.integer({ min: 0, max: 90 * SECOND }), { minLength: 1, maxLength: 20 }),
  /** Between two runs, and how many pages each reads at most. */
  waits: fc.array(fc.integer({ min: 50 * SECOND, max: 20 * MINUTE }), { minLength: 1, maxLength: 20 }),
  most: fc.integer({ min: 1, max: 5 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function shownOf({ comments: list, crowd }: World): readonly Shown[] {
  return list.map(({ after, late, life }, index) => {
    const at = START + Math.floor(after / (SECOND * crowd * 20)) * SECOND * crowd * 20;
    const shownAt = at + late;
    return {
      id: String(index),
      createdAt: at,
      shownAt,
      goneAt: life === null ? Number.POSITIVE_INFINITY : shownAt + life,
    };
  });
}

/** One page of the list as it is at this moment, the newest first. */
function pageAt(all: readonly Shown[], { size, paging }: World, cursor: string | null, now: number) {
  const list = all
    .filter(({ shownAt, goneAt }) => shownAt <= now && now < goneAt)
    .toSorted((a, b) => b.createdAt - a.createdAt || Number(b.id) - Number(a.id));
  const start = cursor === null ? 0 : paging === "offset" ? Number(cursor) : placeAfter(list, all, cursor);
  const some = list.slice(start, start + size);
  const next =
    start + size >= list.length ? null : paging === "offset" ? String(start + size) : (some.at(-1)?.id ?? null);
  return { kind: "page" as const, comments: some.map(toRead), next };
}

function placeAfter(list: readonly Shown[], all: readonly Shown[], id: string): number {
  const last = all.find((one) => one.id === id);
  if (!last) return list.length;
  const place = list.findIndex(
    (one) => one.createdAt < last.createdAt || (one.createdAt === last.createdAt && Number(one.id) < Number(last.id)),
  );
  return place === -1 ? list.length : place;
}

function toRead({ id, createdAt }: Shown): ReadComment {
  return { id, createdAt, text: "x", author: { id: "a", name: "A" }, isTopLevel: true, isOwn: false };
}

/** As watch.ts does it: what it has taken by then, and how many pages it has read. */
function run(one: World, until: number) {
  const all = shownOf(one);
  const taken = new Set<string>();
  let [now, stored, pages] = [START, null as string | null, 0];
  for (let count = 0; now < until; count++) {
    const state: ScanState = readState(stored, { activeSince: START, newsAt: START, now });
    const from = beginReading(state, START, now);
    let cursor = from.cursor;
    let [newsAt, calls] = [state.newsAt, 0];
    for (;;) {
      const page = pageAt(all, one, cursor, now);
      calls++;
      for (const { id } of page.comments) {
        if (!taken.has(id)) newsAt = now;
        taken.add(id);
      }
      cursor = isThrough(page, from.since, true) || page.next === cursor ? null : page.next;
      if (cursor === null || calls >= one.most) break;
      now += one.pauses[(count + calls) % one.pauses.length] ?? 0;
    }
    pages += calls;
    stored = JSON.stringify(afterReading(state, from, { cursor, newsAt, pages: from.pages + calls }, now));
    now += cursor === null ? (one.waits[count % one.waits.length] ?? MINUTE) : SECOND;
  }
  return { all, taken, pages };
}

describe("reading on", () => {
  test("takes every comment that stays, also what comes late, by the next reading of a whole week", () => {
    fc.assert(
      fc.property(world, (one) => {
        const until = START + 5 * HOUR + 3 * DAY + 2 * DAY;
        const { all, taken } = run({ ...one, waits: one.waits.map((wait) => wait * 12) }, until);
        const missed = all.filter(({ id, goneAt }) => goneAt > until && !taken.has(id));
        expect(missed).toEqual([]);
      }),
      { numRuns: runsOf(50), endOnFailure: true },
    );
  });

  test("takes what is not late soon, also where one that goes moves others past it", () => {
    fc.assert(
      fc.property(world, fc.nat(), fc.nat({ max: 3 * HOUR }), (one, which, life) => {
        const gone = which % one.comments.length;
        const moved = one.comments.map((comment, index) => ({
          ...comment,
          late: 0,
          life: index === gone ? life : null,
        }));
        const until = START + 2 * HOUR + 4 * HOUR;
        const { all, taken } = run({ ...one, comments: moved, paging: "offset" }, until);
        const missed = all.filter(({ id, goneAt }) => goneAt > until && !taken.has(id));
        expect(missed).toEqual([]);
      }),
      { numRuns: runsOf(100), endOnFailure: true },
    );
  });

  test("makes a scan of several pages twice: what one that went moved past it is taken then", () => {
    const list = Array.from({ length: 9 }, (_, index) => ({
      after: index * 10 * MINUTE,
      late: 0,
      life: null as number | null,
    }));
    // The newest goes while the fourth page is awaited.
    list[8] = { after: 80 * MINUTE, late: 0, life: 42 * MINUTE + 30 * SECOND };
    const waits = [2 * HOUR, MINUTE];
    const one = { comments: list, crowd: 1, size: 2, paging: "offset" as const, pauses: [MINUTE], waits, most: 5 };
    expect(run(one, START + 2 * HOUR + SECOND).taken.has("2")).toBe(false);
    expect(run(one, START + 2 * HOUR + 10 * MINUTE).taken.has("2")).toBe(true);
  });

  test("reads one page of a list that does not change, however long it is", () => {
    const list = Array.from({ length: 50 }, (_, index) => ({ after: index * SECOND, late: 0, life: null }));
    const one = { comments: list, crowd: 1, size: 5, paging: "after" as const, pauses: [0], waits: [MINUTE], most: 5 };
    const [day, more] = [run(one, START + 12 * HOUR), run(one, START + 14 * HOUR)];
    expect(day.taken.size).toBe(50);
    expect(more.pages - day.pages).toBe(120);
  });

  test("of what was stored in another form starts again", () => {
    for (const stored of ["", "{", "null", '{"frontier":1}', "[]"]) {
      const now = START + DAY;
      expect(readState(stored, { activeSince: START, newsAt: START, now })).toMatchObject({
        frontier: START,
        scan: null,
      });
    }
  });
});
