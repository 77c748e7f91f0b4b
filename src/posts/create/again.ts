import { and, eq, isNull, sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent } from "../../core/errors.ts";
import { FAILURES } from "../../core/failures.ts";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { type Db, type IdempotencyRecord, refuseRepeat, requireStill } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { CreatePostBody } from "../schema.ts";
import { findWholePost, isOwn, type Post } from "../store.ts";
import { postsTable } from "../table.ts";
import { createPost } from "./create.ts";
import type { Created } from "./created.ts";

/** How a failed post is repeated: published now, or stored as a draft to be changed first. */
export interface Again {
  readonly mode: "now" | "draft";
  /** Whether a person has checked that nothing of the post is live. */
  readonly isChecked: boolean;
  /** Of the request: a repeat gets the post of the first one. */
  readonly record?: IdempotencyRecord | undefined;
}

/**
 * Posts the content of a failed post again, at most once whatever the number of requests: the new post and
 * the mark on the failed one are one transaction. Errors: `not_found`; `not_changeable` for a post that did
 * not fail, was handled before, has live items, or may be live and was not checked; those of create-post.
 */
export async function postAgain(deps: Deps, caller: Caller, id: PostId, again: Again): Promise<Created> {
  const { record = null } = again;
  await refuseRepeat(deps.db, record);
  try {
    return await createAgain(deps, caller, id, again);
  } catch (error) {
    // The first of two requests has handled the post meanwhile.
    await refuseRepeat(deps.db, record);
    throw error;
  }
}

async function createAgain(deps: Deps, caller: Caller, id: PostId, again: Again): Promise<Created> {
  const post = await findWholePost(deps, caller.projectId, id);
  if (!post) throw absent("post", id);
  requireUnhandled(post);
  if (post.platformPosts.length > 0) {
    throw new AppError("not_changeable", `Items of post ${id} are live. Delete the post, which deletes them, instead.`);
  }
  if (again.mode === "now" && FAILURES[post.errorCode ?? "unexpected"].retry === "look_first" && !again.isChecked) {
    throw new AppError(
      "not_changeable",
      `Post ${id} may be live. Check the channel first, and confirm that it is not.`,
    );
  }
  const handled = handledRecord(deps.db, caller.projectId, id);
  const { record } = again;
  const both: IdempotencyRecord = record
    ? { ...handled, write: (answer) => [handled.write(answer), record.write(answer)].flat() }
    : handled;
  return createPost(deps, caller, contentOf(post, again.mode), both);
}

/** Hides a failed post from what needs attention. */
export async function dismissFailed(deps: Deps, projectId: ProjectId, id: PostId, now: number): Promise<void> {
  const [dismissed] = await deps.db
    .update(postsTable)
    .set({ handledAt: now })
    .where(and(isOwn(projectId, id), eq(postsTable.state, "failed"), isNull(postsTable.handledAt)))
    .returning({ id: postsTable.id });
  if (dismissed) return;
  const post = await findWholePost(deps, projectId, id);
  if (!post) throw absent("post", id);
  requireUnhandled(post);
}

function requireUnhandled({ id, state, handledAt }: Pick<Post, "id" | "state" | "handledAt">): void {
  if (state !== "failed") throw new AppError("not_changeable", `Post ${id} did not fail.`);
  if (handledAt !== null) throw new AppError("not_changeable", `Post ${id} was posted again or dismissed before.`);
}

/**
 * Joins the transaction that creates the new post: it fails if another request handled or
 * deleted the post first.
 */
function handledRecord(db: Db, projectId: ProjectId, id: PostId): IdempotencyRecord {
  const unhandled = db
    .select({ id: postsTable.id })
    .from(postsTable)
    .where(and(isOwn(projectId, id), eq(postsTable.state, "failed"), isNull(postsTable.handledAt)));
  return {
    read: unhandled,
    check(rows) {
      if (Array.isArray(rows) && rows.length > 0) return;
      throw new AppError("not_changeable", `Post ${id} was posted again or dismissed before, or deleted.`);
    },
    write: () => [
      requireStill(db, sql`EXISTS ${unhandled}`),
      db.update(postsTable).set({ handledAt: Date.now() }).where(isOwn(projectId, id)),
    ],
  };
}

/** The request that creates the same content again, as it was sent. */
function contentOf(post: Post, publish_mode: Again["mode"]): CreatePostBody {
  const files = ({ mediaUrls, altTexts }: Pick<Post, "mediaUrls" | "altTexts">) => ({
    media_urls: mediaUrls,
    alt_texts: altTexts.map((text) => text ?? ""),
  });
  const content =
    post.postType === "thread"
      ? { twitter_threads: post.thread.map((item) => ({ message: item.message, ...files(item) })) }
      : { caption_text: post.caption, ...files(post) };
  return CreatePostBody.parse({
    ...content,
    channel_type: post.channelType,
    channel_id: post.channelId,
    post_type: post.postType,
    publish_mode,
    hash_tags: post.hashTags.join(" "),
    declared: post.declared,
    options: post.options,
    post_extra: post.extra ?? undefined,
    first_comment: post.firstComment ?? undefined,
    external_id: post.externalId ?? undefined,
    metadata: post.metadata ?? undefined,
  });
}
