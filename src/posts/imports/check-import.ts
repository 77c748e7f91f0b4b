import type { Caller } from "../../core/caller.ts";
import { type Sentences, said } from "../../core/checks.ts";
import { AppError, absent, invalidFields } from "../../core/errors.ts";
import type { ImportId } from "../../core/ids.ts";
import { grouped } from "../../core/sentences.ts";
import { DAY, HOUR, SECOND } from "../../core/time.ts";
import { sha256Hex } from "../../core/tokens.ts";
import { runBatch } from "../../db/client.ts";
import { scheduleTask } from "../../jobs/recurring-store.ts";
import type { Deps } from "../../service/deps.ts";
import { checkTogether } from "../create/create.ts";
import { isWithinBytes } from "../create/quota.ts";
import {
  type ColumnProblem,
  type Columns,
  columnOf,
  fieldsOf,
  MAX_COLUMNS,
  MAX_NAME,
  readColumns,
} from "./columns-schema.ts";
import { type CsvRow, type CsvRows, NotATable, readCsv, UndecodableRow, UnreadableRow } from "./csv.ts";
import { type DateOrder, withRowTime } from "./row-times.ts";
import { ChannelTypes, refusalsOf, toItem } from "./rows.ts";
import { endCheck, findImport, forgetImport, type Import, insertImport, storePart } from "./store.ts";
import type { RowProblem, StoredRow } from "./table.ts";

export const IMPORT = "import";

const MAX_ROWS = 10_000;
/** Rows of one part: one transaction. */
const PART_ROWS = 100;
/** D1 stores at most 2 MB in one row. */
const PART_LENGTH = 500_000;
/** An import that was not read to its end is forgotten after a day. */
const UNREAD_LIFE_MS = DAY;

export interface FileOptions {
  /** The canonical name of the charset that the sender declares; null without one. */
  readonly charset: string | null;
  /** How the file writes dates without a year in front; null if it does not say. */
  readonly dateOrder: DateOrder | null;
}

/**
 * Reads a file of posts as it arrives, checks each row as create-post would, and stores it for the import.
 * Two D1 calls for each 100 rows; one part is in memory. Creates no post. Errors: a 422 on `file`;
 * `quota_exceeded` for the open imports of the project, or the bytes of its texts. A refused file is
 * forgotten.
 */
export async function checkImport(
  deps: Deps,
  caller: Caller,
  body: ReadableStream<Uint8Array>,
  { charset, dateOrder }: FileOptions,
): Promise<Import> {
  let begun: ImportId | null = null;
  const onBegun = (id: ImportId) => {
    begun = id;
  };
  try {
    return await check(deps, caller, { ...readCsv(body, charset), dateOrder, onBegun });
  } catch (error) {
    if (begun !== null) await forgetImport(deps.db, begun);
    if (error instanceof NotATable) {
      throw refused('it must be text, not a workbook. Save it as "CSV UTF-8".', "csv_workbook");
    }
    if (error instanceof UndecodableRow) {
      const { row, encoding } = error;
      const sentence = `it was read as ${encoding}, in which row ${row} has letters that are not clear. Save it as "CSV UTF-8".`;
      throw refused(sentence, "csv_encoding", row, encoding);
    }
    if (!(error instanceof UnreadableRow)) throw error;
    const sentence = `row ${error.row} cannot be read: a quote is not closed, or the row is too long.`;
    throw refused(sentence, "csv_unreadable", error.row);
  }
}

function refused<Name extends keyof Sentences>(sentence: string, kind: Name, ...parts: Sentences[Name]): AppError {
  return invalidFields([{ field: "file", code: "invalid_request", ...said(`file: ${sentence}`, kind, ...parts) }]);
}

interface Reading extends CsvRows {
  readonly dateOrder: DateOrder | null;
  readonly onBegun: (id: ImportId) => void;
}

async function check(deps: Deps, caller: Caller, { rows, encoding, dateOrder, onBegun }: Reading): Promise<Import> {
  const head = await rows.next();
  if (head.done) throw refused("it is empty. Its first row has the names of the columns.", "csv_empty");
  const columns = readColumns(head.value.cells);
  if ("problem" in columns) throw unreadableColumns(columns.problem);
  if (!columns.names.some(({ path }) => path.join() === "channel_id")) {
    const sentence = "its first row must have the column channel_id, and further fields of create-post.";
    throw refused(sentence, "csv_no_channel");
  }
  const now = Date.now();
  const most = deps.config.quotas.openImports;
  const id = await insertImport(deps.db, caller.projectId, most, now);
  if (id === null) throw tooManyOpen(most);
  onBegun(id);
  const forget = { key: `${IMPORT}:${id}`, dueAt: now + UNREAD_LIFE_MS, intervalMs: UNREAD_LIFE_MS, now };
  await runBatch(deps.db, [scheduleTask(deps.db, forget)]);
  const checking = { deps, caller, columns, types: new ChannelTypes() };
  let [number, waiting] = [0, 0];
  let contentHash = "";
  let problems = unknownColumns(columns);
  const fieldsIn = (cells: readonly string[]) => withRowTime(fieldsOf(columns, cells), dateOrder, caller.timeZone);
  for await (const part of inParts(rows, fieldsIn)) {
    const checked = await checkPart(checking, part, waiting);
    waiting += part.length - checked.refused;
    const its = { ...checked, number, problems: [...problems, ...checked.problems] };
    const hasRoom = isWithinBytes(deps, caller.projectId);
    const isStored = await storePart(deps.db, { id, projectId: caller.projectId }, its, hasRoom);
    if (!isStored) throw (await findImport(deps.db, caller.projectId, id)) ? tooManyBytes(deps) : absent("import", id);
    contentHash = await sha256Hex(contentHash + JSON.stringify(part));
    number += 1;
    problems = [];
  }
  if (number === 0) throw refused("it has no posts, only the names of the columns.", "csv_no_posts");
  await endCheck(deps.db, id, { contentHash, encoding: encoding() }, Date.now());
  const found = await findImport(deps.db, caller.projectId, id);
  if (!found) throw absent("import", id);
  return found;
}

function tooManyOpen(most: number): AppError {
  const sentence = `This project has ${most} files that are not imported yet, the maximum. Start or delete some; each is forgotten after a week.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: HOUR / SECOND });
}

function tooManyBytes({ config }: Deps): AppError {
  const most = config.quotas.storedBytes.toLocaleString("en");
  const sentence = `With this file, the texts of this project would hold more than ${most} bytes, the maximum. Delete files that are not imported yet or old posts, or ask the operator of this service for a higher quota.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: HOUR / SECOND });
}

function unreadableColumns(problem: ColumnProblem): AppError {
  if (problem.kind === "many") {
    const sentence = `its first row must have at most ${MAX_COLUMNS} columns, not ${grouped(problem.count)}.`;
    return refused(sentence, "csv_columns", MAX_COLUMNS);
  }
  const sentence = `its first row must have names of at most ${MAX_NAME} characters: column ${problem.column} has more.`;
  return refused(sentence, "csv_name", problem.column, MAX_NAME);
}

async function* inParts(
  rows: AsyncGenerator<CsvRow>,
  fieldsIn: (cells: readonly string[]) => StoredRow["fields"],
): AsyncGenerator<readonly StoredRow[]> {
  let [part, length, count]: [StoredRow[], number, number] = [[], 0, 0];
  for await (const { row, cells } of rows) {
    count += 1;
    if (count > MAX_ROWS) {
      throw refused(`it must have at most ${MAX_ROWS.toLocaleString("en")} posts.`, "csv_most", MAX_ROWS);
    }
    part.push({ row, fields: fieldsIn(cells) });
    length += cells.reduce((sum, cell) => sum + cell.length, 0);
    if (part.length < PART_ROWS && length < PART_LENGTH) continue;
    yield part;
    [part, length] = [[], 0];
  }
  if (part.length > 0) yield part;
}

interface Checking {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly columns: Columns;
  readonly types: ChannelTypes;
}

async function checkPart({ deps, caller, columns, types }: Checking, rows: readonly StoredRow[], waiting: number) {
  await types.read(deps, caller, rows);
  const bodies = rows.map((row) => toItem(row, caller, types).body);
  const outcomes = await checkTogether(deps, caller, bodies, waiting);
  const { count, problems } = refusalsOf(rows, outcomes, (field) => columnOf(columns, field));
  return { rows, refused: count, problems };
}

/** They refuse no row, but are probably a mistake. */
function unknownColumns({ unknown }: Columns): readonly RowProblem[] {
  return unknown.map(({ name, nearest }) => {
    const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
    const sentence = `${name} is not a field of create-post.${hint}`;
    return { row: 1, column: name, code: "invalid_request", ...said(sentence, "no_column", name, nearest ?? "") };
  });
}
