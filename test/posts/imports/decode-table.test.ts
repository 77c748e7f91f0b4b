import { describe, expect, test } from "vitest";
import { readCsv, UndecodableRow } from "../../../src/posts/imports/csv.ts";

/** Files in the encodings in which programs and people send them. */

const NAMES = "channel_id;caption_text\r\n";
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, isLittle: boolean) =>
  Uint8Array.from(
    ["\ufeff", ...text.split("")].flatMap((letter) => {
      const unit = letter.charCodeAt(0);
      return isLittle ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255];
    }),
  );

function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

async function read(bytes: Uint8Array, { size = 1 << 16, charset = null as string | null } = {}) {
  const { rows, encoding } = readCsv(streamOf(bytes, size), charset);
  const cells: (readonly string[])[] = [];
  for await (const row of rows) cells.push(row.cells);
  return { encoding: encoding(), cells: cells.slice(1) };
}

const CREME = "Crème brûlée “today” – 5 €";
const CREME_1252 = "Cr\xe8me br\xfbl\xe9e \x93today\x94 \x96 5 \x80";

describe.each([1, 2, 3, 7, 1 << 16])("in pieces of %i bytes", (size) => {
  test.for([
    ["UTF-8", utf8(`${NAMES}1;${CREME} 😀\r\n`), null, "utf-8", `${CREME} 😀`],
    ["UTF-8 with a mark", utf8(`\ufeff${NAMES}1;${CREME}`), null, "utf-8", CREME],
    ["UTF-8 that is declared as another charset", utf8(`${NAMES}1;${CREME}`), "windows-1252", "utf-8", CREME],
    ["ASCII", utf8(`${NAMES}1;plain`), "shift_jis", "utf-8", "plain"],
    ["Windows-1252", latin(`${NAMES}1;${CREME_1252}\r\n`), null, "windows-1252", CREME],
    ["Windows-1252 whose last byte is a letter", latin(`${NAMES}1;Caf\xe9`), null, "windows-1252", "Café"],
    ["Mac OS Roman, by its line ends", latin("channel_id;caption_text\r1;Caf\x8e\r"), null, "macintosh", "Café"],
    ["UTF-16 with a mark", utf16(`${NAMES}1;${CREME} 😀`, true), null, "utf-16le", `${CREME} 😀`],
    ["UTF-16, the other order", utf16(`${NAMES}1;${CREME}`, false), null, "utf-16be", CREME],
    ["a declared charset", latin(`${NAMES}1;\xcf\xf0\xe8\xe2\xe5\xf2`), "windows-1251", "windows-1251", "Привет"],
    [
      "a declared charset of several bytes",
      latin(`${NAMES}1;\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x81I`),
      "shift_jis",
      "shift_jis",
      "こんにちは！",
    ],
  ] as const)("%s is read", async ([, bytes, charset, encoding, text]) => {
    expect(await read(bytes, { size, charset })).toEqual({ encoding, cells: [["1", text]] });
  });

  test.for([
    ["a damaged letter of UTF-8", `${NAMES}1;a\r\n1;Caf\xc3\xa9\r\n1;br\xc3\xbbl\xc3e\r\n`, null, 4],
    ["UTF-8 and Windows-1252 in one file", `${NAMES}1;Caf\xc3\xa9\r\n1;Caf\xe9\r\n`, null, 3],
    ["what is declared as UTF-8 and is not", `${NAMES}1;Caf\xe9\r\n`, "utf-8", 2],
    ["Windows-1251 that is not declared", `${NAMES}1;a\r\n1;\xcf\xf0\xe8\xe2\xe5\xf2\r\n`, null, 3],
    ["Shift_JIS that is not declared", `${NAMES}1;\x82\xc4\x82\xb7\x82\xc6\r\n`, null, 2],
    ["GBK that is not declared", `${NAMES}1;\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\r\n`, null, 2],
    ["a byte that Windows-1252 does not have", `${NAMES}1;Caf\xe9\r\n1;a\x8d\r\n`, null, 3],
    ["a byte that the declared charset does not have", `${NAMES}1;\x82\xb1\r\n1;a\x82`, "shift_jis", 3],
    ["half a character of UTF-16", "\xff\xfea\0\n\0\x3d\xd8", null, 2],
  ] as const)("%s is refused with its row", async ([, text, charset, row]) => {
    const reading = read(latin(text), { size, charset });
    await expect(reading).rejects.toBeInstanceOf(UndecodableRow);
    await expect(reading).rejects.toMatchObject({ row });
  });
});

test("letters far behind the beginning are decoded too, and late damage is refused", async () => {
  const plain = "1;plain text of a row\r\n".repeat(20_000);
  const { encoding, cells } = await read(latin(`${NAMES}${plain}1;Caf\xe9\r\n`));
  expect([encoding, cells.at(-1)]).toEqual(["windows-1252", ["1", "Café"]]);
  await expect(read(latin(`${NAMES}1;\xc3\xa9\r\n${plain}1;Caf\xe9\r\n`))).rejects.toMatchObject({ row: 20_003 });
});

test.for([
  ["French capitals with a space before the sign", "CAF\xc9S\xa0: \xab\xa0\xc9T\xc9\xa0\xbb d\xe9j\xe0"],
  ["Icelandic", "\xfe\xfd\xf0ir \xedslenska or\xf0i\xf0"],
  ["German and Portuguese", "S\xfc\xdfe Gr\xfc\xdfe, a\xe7\xe3o e li\xe7\xf5es"],
  ["lines of signs", "\x97\x97\x97\x97\x97\x97 \x95\x95\x95\x95 \x85\x85\x85\x85 na\xefve"],
] as const)("%s in Windows-1252 is taken for what it is", async ([, text]) => {
  expect((await read(latin(`${NAMES}1;${text}\r\n`))).encoding).toBe("windows-1252");
});

test.for([
  ["Excel's line", "sep=;\r\n"],
  ["LibreOffice's line in quotes", '"sep=;"\n'],
  ["in capitals, after a mark", "\ufeffSEP=;\n"],
] as const)("%s names the separator and is no row", async ([, line]) => {
  const { rows } = readCsv(streamOf(utf8(`${line}channel_id;caption,text\n1;a,b\n`), 5));
  const all = [];
  for await (const row of rows) all.push(row);
  expect(all).toEqual([
    { row: 1, cells: ["channel_id", "caption,text"] },
    { row: 2, cells: ["1", "a,b"] },
  ]);
});

test("a line may name any separator", async () => {
  expect((await read(utf8("sep=|\nchannel_id|caption_text\n1|a;b,c\n"))).cells).toEqual([["1", "a;b,c"]]);
  expect((await read(utf8("sep=\t\nchannel_id\tcaption_text\n1\ta;b,c\n"))).cells).toEqual([["1", "a;b,c"]]);
});
