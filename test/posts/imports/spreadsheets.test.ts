import { beforeAll, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { LIBREOFFICE, ROWS, SAMPLE_ID, TYPED_TIME } from "../../support/spreadsheet-samples.ts";
import { type ChannelRef, type Project, projectWith } from "../../support/world.ts";

/** The sample of the console, opened in a spreadsheet and saved as CSV: every row stays valid. */

let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

const Checked = z.object({
  import: z.object({
    import_id: z.number(),
    encoding: z.string(),
    rows: z.number(),
    valid: z.number(),
    problems: z.array(z.object({ row: z.number(), column: z.string().nullable(), message: z.string() })),
  }),
});

async function upload(file: Uint8Array<ArrayBuffer>, query = "") {
  const headers = { "Content-Type": "text/csv", "Content-Length": String(file.length) };
  return project.call("POST", `/social/import-posts${query}`, { raw: file, headers });
}

/** The dry run, of which nothing is kept: a project may have few open files. */
async function check(file: Uint8Array<ArrayBuffer>, query = "") {
  const checked = Checked.parse((await upload(file, query)).body).import;
  await project.call("DELETE", `/social/delete-import/${checked.import_id}`);
  return checked;
}

const letters = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** The file with the channel of these tests, in either width of its letters. */
function ofChannel(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const wide = (text: string) => [...text].map((letter) => `${letter}\0`).join("");
  const id = String(channel.channel_id);
  return bytesOf(letters(file).replaceAll(SAMPLE_ID, id).replaceAll(wide(SAMPLE_ID), wide(id)));
}

test.for(LIBREOFFICE)("LibreOffice: $name", async ({ file, encoding }, { expect }) => {
  const checked = await check(ofChannel(file));
  const rows = ROWS.length - 1;
  expect(checked).toMatchObject({ encoding, rows, valid: rows, problems: [] });
});

test("LibreOffice: a time that a person typed is read with the order of the file", async ({ expect }) => {
  const file = ofChannel(TYPED_TIME);
  expect(await check(file)).toMatchObject({ valid: 0, problems: [{ row: 2, column: "schedule_time" }] });
  expect(await check(file, "?date_format=mdy")).toMatchObject({ valid: 1, problems: [] });
});

/** As Excel writes a cell: in quotes only if it must be. */
const cellOf = (text: string, separator: string) =>
  new RegExp(`["\r\n${separator}]`).test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const tableOf = (separator: string, end: string, rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.map((cell) => cellOf(cell, separator)).join(separator)}${end}`).join("");

/** Windows-1252 and Mac OS Roman, as far as the sample needs them. */
const SIGNS: Readonly<Record<string, readonly [windows: number, mac: number]>> = {
  É: [0xc9, 0x83],
  è: [0xe8, 0x8f],
  û: [0xfb, 0x9e],
  é: [0xe9, 0x8e],
  à: [0xe0, 0x88],
  "“": [0x93, 0xd2],
  "”": [0x94, 0xd3],
  "’": [0x92, 0xd5],
  "€": [0x80, 0xdb],
};
const inOneByte = (text: string, place: 0 | 1) =>
  Uint8Array.from(text, (letter) => SIGNS[letter]?.[place] ?? letter.charCodeAt(0));
const inUtf16 = (text: string) =>
  Uint8Array.from(text.split("").flatMap((unit) => [unit.charCodeAt(0) & 255, unit.charCodeAt(0) >> 8]));
const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text));

/**
 * The forms that Microsoft documents for Excel's "Save as"; no Excel wrote these. Excel takes `…T09:00` for a
 * text, and leaves it as it is.
 */
const EXCEL = [
  ["CSV UTF-8 (Comma delimited)", utf8(`\ufeff${tableOf(",", "\r\n", ROWS)}`), "utf-8"],
  ["CSV UTF-8 where the list separator is a semicolon", utf8(`\ufeff${tableOf(";", "\r\n", ROWS)}`), "utf-8"],
  ["CSV (Comma delimited) of Western Europe", inOneByte(tableOf(";", "\r\n", ROWS), 0), "windows-1252"],
  ["CSV (Comma delimited) of the United States", inOneByte(tableOf(",", "\r\n", ROWS), 0), "windows-1252"],
  ["Text (Tab delimited)", inOneByte(tableOf("\t", "\r\n", ROWS), 0), "windows-1252"],
  ["CSV (Macintosh)", inOneByte(tableOf(";", "\r", ROWS).replaceAll("\n", " "), 1), "macintosh"],
  ["Unicode Text", inUtf16(`\ufeff${tableOf("\t", "\r\n", ROWS)}`), "utf-16le"],
  ["with a line for the separator", utf8(`sep=;\r\n${tableOf(";", "\r\n", ROWS)}`), "utf-8"],
] as const;

test.for(EXCEL)("as Excel writes it: %s", async ([, file, encoding], { expect }) => {
  const checked = await check(ofChannel(file));
  const rows = ROWS.length - 1;
  expect(checked).toMatchObject({ encoding, rows, valid: rows, problems: [] });
});

const timed = (time: string) =>
  utf8(`channel_id,caption_text,schedule_time,time_zone\r\n${channel.channel_id}.0,x,"${time}",Europe/Berlin\r\n`);

test.for(["2030-03-18T09:00", "2030-03-18 09:00:00", "2030-03-18 9:00", "2030-03-18T09:00:00+01:00", "47560.375"])(
  "the time %s means one thing, and the id 1.0 a channel",
  async (time, { expect }) => {
    const checked = await check(timed(time));
    expect(checked).toMatchObject({ valid: 1, problems: [] });
  },
);

test.for([
  ["18.03.2030 09:00", "dmy"],
  ["3/18/2030 9:00", "mdy"],
  ["03/04/2030 09:00 AM", "mdy"],
  ["03/04/2030 09:00 AM", "dmy"],
] as const)("the time %s is read with date_format %s only", async ([time, order], { expect }) => {
  const { valid, problems } = await check(timed(time));
  expect([valid, problems]).toEqual([
    0,
    [{ row: 2, column: "schedule_time", message: expect.stringContaining("date_format") }],
  ]);
  expect(await check(timed(time), `?date_format=${order}`)).toMatchObject({ valid: 1, problems: [] });
});

test("a post is published at the time that the row means", async ({ expect }) => {
  const file = timed("2030-03-18T09:00:00+05:30");
  const { import_id } = Checked.parse((await upload(file)).body).import;
  await project.call("POST", `/social/start-import/${import_id}`, { body: {} });
  await queuesIdle();
  const { body } = await project.call("GET", "/social/upcoming-posts");
  const { up_coming } = z.object({ up_coming: z.array(z.looseObject({ scheduled_at: z.string() })) }).parse(body);
  expect(up_coming.map(({ scheduled_at }) => new Date(scheduled_at).toISOString())).toEqual([
    "2030-03-18T03:30:00.000Z",
  ]);
});

test("a date_format that is none is refused", async ({ expect }) => {
  const file = timed("2030-03-18 09:00");
  expect((await upload(file, "?date_format=ymd")).status).toBe(422);
});

test.for([
  ["more than 200 columns", ["channel_id", ...Array.from({ length: 200 }, (_, index) => `c${index}`)].join(","), "200"],
  ["a name of more than 60 characters", `channel_id,${"n".repeat(61)}`, "column 2"],
] as const)("a header of %s is refused", async ([, names, words], { expect }) => {
  const answer = await upload(utf8(`${names}\n1,x\n`));
  expect([answer.status, answer.body]).toEqual([
    422,
    expect.objectContaining({ errors: { file: [expect.stringContaining(words)] } }),
  ]);
});
