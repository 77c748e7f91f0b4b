import { describe, test } from "vitest";
import { idOf, type ProjectId } from "../../src/core/ids.ts";
import { RowPace } from "../../src/core/row-pace.ts";

const [one, other] = [idOf<ProjectId>(1), idOf<ProjectId>(2)];
const PAGE = 20_000;

describe("the pace of costly reads", () => {
  test("reads of a project take turns half a second apart, those of others do not wait for them", ({ expect }) => {
    const pace = new RowPace();
    const turns = Array.from({ length: 4 }, () => pace.enter(one, PAGE, 1_000));
    expect(turns).toEqual([0, 500, 1_000, 1_500].map((waitMs) => ({ kind: "go", waitMs })));
    expect(pace.enter(other, PAGE, 1_000)).toEqual({ kind: "go", waitMs: 0 });
    expect(pace.enter(one, PAGE, 2_500)).toEqual({ kind: "go", waitMs: 500 });
    expect(pace.enter(one, PAGE, 60_000)).toEqual({ kind: "go", waitMs: 0 });
  });

  test("a caller who would wait longer than five seconds learns when to come again, and takes no turn", ({
    expect,
  }) => {
    const pace = new RowPace();
    for (let turn = 0; turn <= 10; turn++) expect(pace.enter(one, PAGE, 0)).toMatchObject({ kind: "go" });
    for (let time = 0; time < 3; time++) {
      expect(pace.enter(one, PAGE, 0)).toEqual({ kind: "full", retryAfterMs: 500 });
    }
    expect(pace.enter(one, PAGE, 500)).toEqual({ kind: "go", waitMs: 5_000 });
  });

  test("the rows that were really read count, and a few of them delay no read", ({ expect }) => {
    const pace = new RowPace();
    pace.enter(one, PAGE, 0);
    pace.correct(one, 2_000 - PAGE, 20);
    expect(pace.enter(one, 0, 20)).toEqual({ kind: "go", waitMs: 0 });
    pace.correct(one, 10_000, 20);
    expect(pace.enter(one, 0, 20)).toEqual({ kind: "go", waitMs: 280 });
  });

  test("a request that read a million rows slows the next ones of its project, and of no other", ({ expect }) => {
    const pace = new RowPace();
    expect(pace.request(one, 0)).toEqual({ kind: "go", waitMs: 0 });
    pace.charge(one, 1_000_000, 0);
    expect(pace.request(other, 0)).toEqual({ kind: "go", waitMs: 0 });
    // Ahead by ten seconds at most, of which one is spared: no wait longer than five.
    expect(pace.request(one, 0)).toEqual({ kind: "full", retryAfterMs: 4_000 });
    expect(pace.request(one, 5_000)).toEqual({ kind: "go", waitMs: 4_000 });
    expect(pace.request(one, 9_000)).toEqual({ kind: "go", waitMs: 0 });
  });

  test("requests that read as many rows as usual never wait", ({ expect }) => {
    const pace = new RowPace();
    for (let request = 0; request < 30; request++) {
      expect(pace.request(one, request * 10)).toEqual({ kind: "go", waitMs: 0 });
      pace.charge(one, 300, request * 10);
    }
  });
});
