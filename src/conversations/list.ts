import { invalid } from "../core/errors.ts";
import type { Db } from "../db/client.ts";
import { type WalkOf, walkBy } from "../db/id-list.ts";
import { type ConversationFilter, type ListedConversation, listConversations } from "./store.ts";

/**
 * Cursors of lists that are ordered by several numbers: the numbers of the last row. They name a place and
 * nothing else, so a forged one shows nothing that the caller may not read.
 */
export const writeCursor = (numbers: readonly number[]): string => numbers.join(".");

/** Null for an empty cursor: from the start. Throws `invalid_request` for one that no list returned. */
export function readCursor(cursor: string, count: number): readonly number[] | null {
  if (cursor === "") return null;
  const numbers = cursor.split(".").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === count && numbers.every(Number.isSafeInteger)) return numbers;
  throw invalid({ cursor: ["cursor must be a next_cursor of this list, or empty to start."] });
}

/** A page of conversations, with its cursor. Errors: `invalid_request` for the cursor. */
export async function walkConversations(
  db: Db,
  filter: ConversationFilter,
  { cursor, limit }: { readonly cursor: string; readonly limit: number },
): Promise<WalkOf<ListedConversation, string>> {
  const [priority, at, id] = readCursor(cursor, 3) ?? [];
  const after = priority === undefined || at === undefined || id === undefined ? null : { priority, at, id };
  const rows = await listConversations(db, filter, after, limit + 1);
  return walkBy(rows, limit, (last) => writeCursor([last.priority, last.lastMessageAt, last.id]));
}
