import fc from "fast-check";
import { describe, test } from "vitest";
import { BLUESKY } from "../../src/platforms/bluesky/errors.ts";
import { FACEBOOK } from "../../src/platforms/facebook/api.ts";
import { VIA_FACEBOOK, VIA_INSTAGRAM } from "../../src/platforms/instagram/api.ts";
import { LINKEDIN } from "../../src/platforms/linkedin/errors.ts";
import { graphTable } from "../../src/platforms/meta/errors.ts";
import { findRow, type RefusalTable, type Row } from "../../src/platforms/refusals.ts";
import { THREADS } from "../../src/platforms/threads/api.ts";
import { TIKTOK_ADS, TIKTOK_BUSINESS } from "../../src/platforms/tiktok/business-errors.ts";
import { TIKTOK } from "../../src/platforms/tiktok/errors.ts";
import { X } from "../../src/platforms/twitter/errors.ts";
import { YOUTUBE } from "../../src/platforms/youtube/errors.ts";

/** The tables are the only list of what refusals mean: no row may hide another. */

const TABLES: readonly (readonly [name: string, table: RefusalTable])[] = [
  ["facebook", graphTable(FACEBOOK)],
  ["instagram by Facebook", graphTable(VIA_FACEBOOK)],
  ["instagram", graphTable(VIA_INSTAGRAM)],
  ["threads", graphTable(THREADS)],
  ["bluesky", BLUESKY],
  ["linkedin", LINKEDIN],
  ["tiktok", TIKTOK],
  ["tiktok comments", TIKTOK_BUSINESS],
  ["tiktok ads", TIKTOK_ADS],
  ["twitter", X],
  ["youtube", YOUTUBE],
];

interface Parts {
  readonly status?: number | readonly number[];
  readonly code?: string | readonly string[];
  readonly words?: RegExp;
}

function partsOf([when]: Row): Parts {
  if (typeof when === "number") return { status: when };
  if (typeof when === "string" || "length" in when) return { code: when };
  return when instanceof RegExp ? { words: when } : when;
}

const listed = <T extends string | number>(value: T | readonly T[] | undefined): readonly (T | undefined)[] =>
  typeof value === "object" ? value : [value];

/** Whether some text that has a row's words decides for that row, with this code and status. */
function isReached(table: RefusalTable, row: Row, code: string | undefined, status: number | undefined): boolean {
  const { words } = partsOf(row);
  const codes = code === undefined ? [] : [code];
  // fast-check knows no word boundaries: texts that lack them reach no row, others do.
  const source = words?.source.replaceAll("\\b", "");
  const texts = source ? fc.sample(fc.stringMatching(new RegExp(source)), { numRuns: 100, seed: 1 }) : [""];
  return texts.some((text) => findRow(table.rows, { codes, text }, status) === row);
}

describe.for(TABLES)("the refusal table of %s", ([, table]) => {
  test("is reached in each row, by each of its codes and statuses", ({ expect }) => {
    const hidden = table.rows.flatMap((row) => {
      const { status, code } = partsOf(row);
      const ways = listed(code).flatMap((one) => listed(status).map((number) => ({ code: one, status: number })));
      return ways.filter((way) => !isReached(table, row, way.code, way.status)).map((way) => ({ ...way, row }));
    });
    expect(hidden).toEqual([]);
  });
});
