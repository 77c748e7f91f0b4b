import fc from "fast-check";
import { expect, test } from "vitest";
import { type Columns, columnOf, fieldsOf, readColumns } from "../../../src/posts/imports/columns-schema.ts";
import { type CsvRow, readCsv, UnreadableRow } from "../../../src/posts/imports/csv.ts";

/** The file in pieces of so many bytes, as a connection delivers it. */
function streamOf(text: string, size = 1 << 16): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

async function rowsOf(text: string, size?: number): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of readCsv(streamOf(text, size)).rows) rows.push(row);
  return rows;
}

const cellsOf = async (text: string, size?: number) => (await rowsOf(text, size)).map(({ cells }) => cells);

test("reads what any writer of RFC 4180 writes, however the bytes arrive", async () => {
  const cell = fc.stringMatching(/^[a-zé😀 ,;"\n\r\t]{0,12}$/u);
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const style = fc.record({
    separator: fc.constantFrom(",", ";", "\t"),
    end: fc.constantFrom("\n", "\r\n", "\r"),
    size: fc.integer({ min: 1, max: 9 }),
    isMarked: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(table, style, async (rows, { separator, end, size, isMarked }) => {
      const written = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(separator));
      const names = ["a", "b", "c"].join(separator);
      const text = `${isMarked ? "\uFEFF" : ""}${[names, ...written].join(end)}`;
      const filled = rows.filter((cells) => cells.some((each) => each.trim() !== ""));
      expect(await cellsOf(text, size)).toEqual([["a", "b", "c"], ...filled]);
    }),
  );
});

test("counts rows as a spreadsheet does: one for the names, one for each row, whatever lines it has", async () => {
  const rows = await rowsOf('a,b\n"two\nlines",x\n\n,\nlast,y\n');
  expect(rows).toEqual([
    { row: 1, cells: ["a", "b"] },
    { row: 2, cells: ["two\nlines", "x"] },
    { row: 5, cells: ["last", "y"] },
  ]);
});

test("a quote that is not closed, and a row without an end, are refused with their row", async () => {
  await expect(rowsOf('a,b\n1,2\n"open,3\n4,5\n')).rejects.toMatchObject({ row: 3 });
  await expect(rowsOf(`a,b\n1,2\n${"x".repeat(300_000)}`)).rejects.toBeInstanceOf(UnreadableRow);
});

function namedIn(header: readonly string[]): Columns {
  const columns = readColumns(header);
  if ("problem" in columns) throw new Error(JSON.stringify(columns.problem));
  return columns;
}

test("cells become fields by what the field takes", () => {
  const columns = namedIn([
    "Channel ID",
    "caption_text",
    "media_urls",
    "alt_texts",
    "twitter_threads",
    "options.title",
    "options.comments",
    "post_extra.category",
    "captoin",
    "",
  ]);
  expect(columns.unknown).toEqual([{ name: "captoin", nearest: "caption_text" }]);
  const cells = [
    "12",
    " Hello ",
    "https://a/1.jpg https://a/2.jpg",
    "one | two",
    "a\n---\nb",
    "T",
    "no",
    "22",
    "x",
    "y",
  ];
  expect(fieldsOf(columns, cells)).toEqual({
    channel_id: 12,
    caption_text: " Hello ",
    media_urls: ["https://a/1.jpg", "https://a/2.jpg"],
    alt_texts: ["one", "two"],
    twitter_threads: [{ message: "a" }, { message: "b" }],
    options: { title: "T", comments: false },
    post_extra: { category: 22 },
  });
  expect(fieldsOf(columns, ["twelve"])).toEqual({ channel_id: "twelve" });
  for (const written of ["12.0", "12,00", " 12 "]) expect(fieldsOf(columns, [written])).toEqual({ channel_id: 12 });
  // Thousands, or no whole number.
  for (const written of ["1.000", "12.5", "1.2E+11"])
    expect(fieldsOf(columns, [written])).toEqual({ channel_id: written });
  expect(columnOf(columns, "media_urls.1")).toBe("media_urls");
  expect(columnOf(columns, "options.title")).toBe("options.title");
  expect(columnOf(columns, "schedule_time")).toBeNull();
});
