import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PostId } from "../../core/ids.ts";
import type { Db, Statement } from "../../db/client.ts";
import { isOpenJob } from "../../jobs/store.ts";
import { FIRST_COMMENT } from "../jobs.ts";
import type { CommentResult } from "../stored.ts";
import { postsTable } from "../table.ts";

/** SQL of the result of a first comment. */

/** What is known of the first comment, and whether its job is still open. */
export async function findFirstComment(db: Db, id: PostId) {
  const [known] = await db
    .select({
      result: postsTable.firstCommentResult,
      isOpen: sql<number>`${isOpenJob(FIRST_COMMENT, postsTable.id)}`.mapWith(Boolean),
    })
    .from(postsTable)
    .where(eq(postsTable.id, id));
  return known ?? { result: null, isOpen: false };
}

/** Stores the result of the first comment. */
export function markFirstComment(db: Db, id: PostId, result: CommentResult, hasLease: SQL): Statement {
  return db
    .update(postsTable)
    .set({ firstCommentResult: result, updatedAt: Date.now() })
    .where(and(eq(postsTable.id, id), hasLease));
}
