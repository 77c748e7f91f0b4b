import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Log } from "../core/log.ts";
import { DAY, MINUTE, SECOND } from "../core/time.ts";
import { type Answers, type Db, writeTogether } from "../db/client.ts";
import { MARK, SET_BACK, SLACK_MS } from "./set-back-notes.ts";
import { storeNote } from "./sweep-notes.ts";
import { sweepNotesTable } from "./table.ts";

/**
 * Notices that the database was set back to an earlier time (docs/decisions/0059). Every minute the sweep
 * raises a count in the database, and then stores the same count in KV, which keeps it. So the count in KV is
 * the higher one only after the database was set back.
 *
 * What was written between the two times is lost: a post may be live although its row says that it waits. So
 * jobs look for the result of such an act before they act.
 */
export interface SetBack {
  /** Nothing that was written before this time is lost. Epoch milliseconds. */
  readonly since: number;
  /** Nothing that was written after this time is lost. */
  readonly until: number;
}

/** The time that the database has lost, if the object existed before: acts on it may have been done. */
export function setBackBefore(
  { setBack }: { readonly setBack: SetBack | null },
  { createdAt }: { readonly createdAt: number },
): SetBack | null {
  return setBack && createdAt <= setBack.until ? setBack : null;
}

interface Checking {
  readonly db: Db;
  readonly database: number;
  readonly kv: KVNamespace;
  readonly log: Log;
}

/** Each database is set back alone. */
const kvKeyOf = ({ database }: Checking): string => (database === 0 ? "sweep-mark" : `sweep-mark:${database}`);
/** Each sweep raises the count, but not two that overlap. */
const EVERY_MS = 50 * SECOND;
/** How far D1 can be set back. */
const LONGEST_MS = 30 * DAY;
/** A delivery checks for itself if no sweep has raised the count for this long. */
const OLD_MARK_MS = 3 * MINUTE;

const Mark = z.object({ count: z.int(), at: z.number() });
type Mark = z.output<typeof Mark>;
const Lost = z.object({ since: z.number(), until: z.number() });

/** The count of KV. It is read before that of the database, which is never lower than an earlier one. */
export async function readOutside(checking: Checking): Promise<Mark | null> {
  return Mark.safeParse(await checking.kv.get(kvKeyOf(checking), "json")).data ?? null;
}

/** The statements that read the count of the database, and raise it if it is time. */
export function raiseMark(db: Db, outside: Mark | null, at: number) {
  const value = (name: string) => sql`json_extract(value, ${`$.${name}`})`;
  const isDue = sql`${value("count")} >= ${outside?.count ?? 0} AND ${value("at")} <= ${at - EVERY_MS}`;
  return {
    notes: selectMarks(db),
    raised: db
      .update(sweepNotesTable)
      .set({ value: markOf(sql`${value("count")} + 1`, at) })
      .where(and(eq(sweepNotesTable.name, MARK), isDue))
      .returning({ value: sweepNotesTable.value }),
  };
}

/** What `raiseMark` has read and raised, given the count of KV from before. */
export interface Raised extends Answers<ReturnType<typeof raiseMark>> {
  readonly outside: Mark | null;
  readonly at: number;
}

/** Stores the raised count in KV, or stores which time is lost. Returns the latest lost time. */
export async function settleMark(checking: Checking, { outside, at, notes, raised }: Raised): Promise<SetBack | null> {
  const { db, kv, log } = checking;
  const kvKey = kvKeyOf(checking);
  const { mark, setBack } = readMarks(notes);
  const [counted] = raised;
  if (counted) await kv.put(kvKey, counted.value);
  if (mark && mark.count >= (outside?.count ?? 0)) return setBack;
  const lost = outside && lostBetween(mark, outside, setBack, at);
  const next: Mark = { count: (outside?.count ?? 0) + 1, at };
  await writeTogether(db, {
    lost: lost && storeNote(db, SET_BACK, JSON.stringify(lost)),
    mark: storeNote(db, MARK, JSON.stringify(next)),
  });
  if (lost) log.event("database_set_back", { since: lost.since, until: lost.until });
  await kv.put(kvKey, JSON.stringify(next));
  return lost;
}

/** Raises the count, or stores which time is lost. Returns the latest lost time. */
export async function noticeSetBack(checking: Checking): Promise<SetBack | null> {
  const outside = await readOutside(checking);
  const at = Date.now();
  return settleMark(checking, {
    outside,
    at,
    ...(await writeTogether(checking.db, raiseMark(checking.db, outside, at))),
  });
}

/** One lost time covers all that D1 can still be set back over: an earlier one is part of it. */
function lostBetween(mark: Mark | null, outside: Mark, earlier: SetBack | null, now: number): SetBack {
  const since = (mark?.at ?? outside.at - LONGEST_MS) - SLACK_MS;
  const isRecent = earlier !== null && earlier.until > now - LONGEST_MS;
  return { since: isRecent ? Math.min(since, earlier.since) : since, until: Math.min(now, outside.at + SLACK_MS) };
}

/** The notes for `setBackFor`, read with the claim of a job. */
export function selectMarks(db: Db) {
  return db
    .select()
    .from(sweepNotesTable)
    .where(inArray(sweepNotesTable.name, [MARK, SET_BACK]));
}

/** The lost time that a delivery must heed; checks for one if the sweep may not have noticed it yet. */
export async function setBackFor(
  deps: Checking,
  notes: Awaited<ReturnType<typeof selectMarks>>,
): Promise<SetBack | null> {
  const { mark, setBack } = readMarks(notes);
  const isUnchecked = mark !== null && mark.at < Date.now() - OLD_MARK_MS;
  return isUnchecked ? noticeSetBack(deps) : setBack;
}

function readMarks(notes: Awaited<ReturnType<typeof selectMarks>>) {
  const noted = new Map(notes.map(({ name, value }) => [name, value]));
  const read = <T>(name: string, schema: z.ZodType<T>) => {
    const text = noted.get(name);
    return text === undefined ? null : schema.parse(JSON.parse(text));
  };
  return { mark: read(MARK, Mark), setBack: read(SET_BACK, Lost) };
}

function markOf(count: SQL, at: number): SQL<string> {
  return sql<string>`json_object('count', ${count}, 'at', ${at})`;
}
